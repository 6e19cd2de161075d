// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/device_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/thread_team.hpp"
#include "graph/reduction.hpp"
#include "problems/graphs/helper_kernels.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "reduce_graph_abi.cuh"
#include "search_abi.cuh"

namespace mlmq::problems {
namespace {

static_assert(core_place == graph::reduction::core_flag);
// A search may begin at both ends of a chain, which may be in different fragments of low degree.
static_assert(most_seeds == 2 * graph::reduction::low_degree);

/// The kernel waits for memory and at barriers of all blocks.
constexpr unsigned reducing_blocks_per_multiprocessor = 4;
constexpr u64 reducing_limit_ns = 10'000'000'000;

/// Cores of fewer edges are made before the threads have begun.
constexpr std::size_t least_shared_edges = 65'536;
constexpr std::size_t rows_of_block = 1'024;

/// Sorts the rows that the device has not sorted, and removes all parallel edges but the shortest.
/// @param edges  targets are the lower halves
graph::csr_graph core_of(const std::vector<u32>& offsets, std::vector<u64>& edges) {
  const auto target_of = [](u64 edge) { return static_cast<graph::vertex_id>(edge); };
  const auto before = [&](u64 a, u64 b) { return std::pair(target_of(a), a) < std::pair(target_of(b), b); };
  const std::size_t vertices = offsets.size() - 1;
  thread_team team(edges.size() < least_shared_edges ? 1 : 0);
  std::vector<graph::edge_offset> starts(offsets.size(), 0);
  team.run_blocks(vertices, rows_of_block, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
      const auto row = std::span(edges).subspan(offsets[v], offsets[v + 1] - offsets[v]);
      if (!std::ranges::is_sorted(row, before)) std::ranges::sort(row, before);
      starts[v + 1] = row.size() - std::ranges::unique(row, {}, target_of).size();
    }
  });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<graph::vertex_id> targets(starts.back());
  std::vector<std::uint32_t> weights(starts.back());
  team.run_blocks(vertices, rows_of_block, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
      for (graph::edge_offset e = starts[v]; e < starts[v + 1]; ++e) {
        const u64 edge = edges[offsets[v] + (e - starts[v])];
        targets[e] = target_of(edge);
        weights[e] = static_cast<std::uint32_t>(edge >> 32);
      }
    }
  });
  return {std::move(starts), std::move(targets), std::move(weights)};
}

/// Makes a step of a reduction with the threads of the device, or of the host of a grid.
/// @param graph  the core of the step before
/// @throws backends::launch_error if a path is too long for a weight
std::shared_ptr<const graph::reduced_graph> reduce_on_processors(const graph::csr_graph& graph,
                                                                 graph::eliminated_vertices step,
                                                                 graph::reduction_extent extent,
                                                                 graph::lazily_reduced_graphs& reductions,
                                                                 const backends::device_info& device) {
  try {
    thread_team team(device.grid ? 0 : device.multiprocessors);
    return reductions.get(graph, step, team);
  } catch (const input_error& error) {
    throw backends::launch_error(fmt::format("reduction={}: {}", graph::name_of(extent), error.what()));
  }
}

}  // namespace

bool can_reduce_on_device(const backends::device_info& device, const graph::csr_graph& graph) {
  // Rows of links have two entries per edge, which 32 bits count; so row starts have 32 bits, too.
  return device.grid && graph.edge_count() < std::size_t{1} << 31 && graph.vertex_count() > 0 &&
         graph.vertex_count() < graph::reduction::core_flag;
}

reduced_rows reduce_on_device(backends::backend& device, const graph::csr_graph& graph,
                              const resident_graph& on_device) {
  const backends::device_info& info = device.info();
  const std::size_t n = graph.vertex_count();
  const unsigned threads = helper_threads(info);
  const auto kernel = device.compile(helper_variant("reduce_graph", info));
  const unsigned most = std::clamp(kernel->resident_blocks(sizeof(reduction_words)), 1U,
                                   reducing_blocks_per_multiprocessor * std::max(1U, info.multiprocessors));
  const unsigned blocks = std::clamp(static_cast<unsigned>((n + threads - 1) / threads), 1U, most);
  const auto room = [&](std::size_t bytes) { return device.allocate(bytes, "removing chains"); };
  const backends::device_memory begins = room(n * sizeof(u32));
  const backends::device_memory ends = room(n * sizeof(u32));
  const backends::device_memory links = room(2 * graph.edge_count() * sizeof(graph_link));
  const backends::device_memory sides = room(4 * n * sizeof(graph_link));
  const backends::device_memory states = room(n * sizeof(u32));
  const backends::device_memory returns = room(n * sizeof(u64));
  const backends::device_memory sums = room(blocks * sizeof(u32));
  const backends::device_memory places = room(n * sizeof(u32));
  const backends::device_memory core_offsets = room((n + 1) * sizeof(u32));
  const backends::device_memory control_words = room(sizeof(reduction_control));
  backends::device_memory more_room;
  reduced_rows result;
  result.on_device = device.allocate(n * sizeof(fill_row), "the eliminated vertices");
  reduce_arguments arguments{.offsets = on_device.offsets.as<const u32>(),
                             .edges = on_device.edges.as<const u64>(),
                             .link_begins = begins.as<u32>(),
                             .link_ends = ends.as<u32>(),
                             .links = links.as<graph_link>(),
                             .sides = sides.as<graph_link>(),
                             .states = states.as<u32>(),
                             .returns = returns.as<u64>(),
                             .block_sums = sums.as<u32>(),
                             .rows = result.on_device.as<fill_row>(),
                             .places = places.as<u32>(),
                             .core_offsets = core_offsets.as<u32>(),
                             .core_edges = nullptr,
                             .control = control_words.as<reduction_control>(),
                             .time_limit_ns = reducing_limit_ns,
                             .vertices = static_cast<u32>(n),
                             .largest_weight = graph::largest_weight};
  const auto launch = [&] {
    device.launch(*kernel, {.grid_blocks = blocks,
                            .shared_bytes = sizeof(reduction_words),
                            .arguments = &arguments,
                            .argument_bytes = sizeof arguments});
  };
  device.set_watchdog({});
  reduction_control control{};
  const backends::host_copy copy{.source = &control_words, .destination = &control, .bytes = sizeof control};
  (void)device.measure_and_download(
      [&] {
        for (const backends::device_memory* const zeros : {&ends, &states, &control_words})
          device.fill(*zeros, 0, zeros->bytes(), 0);
        launch();
      },
      std::span(&copy, 1));
  if (control.status != static_cast<u32>(run_status::finished)) {
    throw work_error("leaves and chains were not removed within 10 s");
  }
  if (control.has_long_chain != 0) {
    throw backends::launch_error(
        "reduction=chains: the graph cannot be reduced: the length of a chain is too long for a weight");
  }
  // The sides are no longer needed.
  const std::size_t edge_bytes = control.core_edges * sizeof(u64);
  const backends::device_memory& core_edges = edge_bytes <= sides.bytes() ? sides : (more_room = room(edge_bytes));
  arguments.core_edges = core_edges.as<u64>();
  (void)device.measure(launch);
  std::vector<u32> offsets(control.core_vertices + std::size_t{1});
  std::vector<u64> edges(control.core_edges);
  result.places_by_device.resize(n);
  device.download(offsets.data(), core_offsets, offsets.size() * sizeof(u32));
  device.download(edges.data(), core_edges, edge_bytes);
  device.download(result.places_by_device.data(), places, places.bytes());
  result.core = core_of(offsets, edges).with_decimal_places(graph.decimal_places());
  return result;
}

std::vector<reduced_rows> reduce(backends::backend& device, const graph::csr_graph& graph,
                                 const resident_graph& on_device, graph::reduction_extent extent,
                                 graph::lazily_reduced_graphs& reductions) {
  require_reducible_weights(graph, extent);
  const backends::device_info& info = device.info();
  std::vector<reduced_rows> result;
  for (const graph::eliminated_vertices step : graph::steps_of(extent)) {
    if (step == graph::eliminated_vertices::chains && can_reduce_on_device(info, graph)) {
      result.push_back(reduce_on_device(device, graph, on_device));
      continue;
    }
    const graph::csr_graph& former = result.empty() ? graph : result.back().core;
    const auto reduced = reduce_on_processors(former, step, extent, reductions, info);
    reduced_rows of_step{.core = reduced->core(),
                         .rows_per_vertex = static_cast<std::uint32_t>(reduced->rows_per_vertex()),
                         .on_processors = reduced};
    if (info.grid) {
      const std::span<const graph::fill_row<graph::distance_bits>> rows = reduced->rows<graph::distance_bits>();
      static_assert(sizeof rows.front() == sizeof(fill_row));
      of_step.on_device = device.allocate(std::max<std::size_t>(1, rows.size_bytes()), "the eliminated vertices");
      device.upload(of_step.on_device, rows.data(), rows.size_bytes());
    }
    result.push_back(std::move(of_step));
  }
  return result;
}

std::vector<graph::start_finder<graph::distance_bits>> make_start_finders(const graph::csr_graph& graph,
                                                                          std::span<const reduced_rows> reduced) {
  std::vector<graph::start_finder<graph::distance_bits>> finders;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    finders.emplace_back(i == 0 ? graph : reduced[i - 1].core, reduced[i].places());
  }
  return finders;
}

}  // namespace mlmq::problems
