// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/reduced_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.hpp"
#include "backends/cpu/searches/thread_team.hpp"
#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "fill_in_abi.cuh"
#include "problems/graphs/helper_kernels.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"
#include "problems/team_run.hpp"

namespace mlmq::problems {
namespace {

/// The kernel waits for memory, so more blocks do not help.
constexpr unsigned fill_blocks_per_multiprocessor = 8;

}  // namespace

graph::reduced_graph reduced(const graph::csr_graph& graph, graph::reduction_extent extent,
                             graph::lazy_reductions& reductions, const backends::device_info& device) {
  if (graph.weights() != graph::weight_type::uint32) {
    throw backends::launch_error(
        fmt::format("reduction={}: the lengths of chains are sums in another order than a search adds them, which "
                    "rounds {} weights differently; choose reduction=none, or whole weights",
                    graph::name_of(extent), graph::name_of(graph.weights())));
  }
  try {
    thread_team team(device.grid ? 0 : device.multiprocessors);
    return {reductions.get(graph, extent, team), graph, team};
  } catch (const input_error& error) {
    throw backends::launch_error(fmt::format("reduction={}: {}", graph::name_of(extent), error.what()));
  }
}

void require_reducible(const tuner::configuration& chosen, search_kind kind) {
  if (!reduction_of(chosen)) return;
  if (kind == search_kind::bfs) {
    throw backends::launch_error(
        "reduction: edges in place of chains have different lengths, but every edge of bfs has the length 1; use the "
        "problem sssp with weights of 1");
  }
}

reduced_search::reduced_search(backends::backend& device, const graph::csr_graph& graph, const std::string& name,
                               graph::reduction_extent extent, graph::lazy_reductions& reductions, ring_limits limits)
    : device_(device),
      reduced_(reduced(graph, extent, reductions, device.info())),
      core_(std::make_unique<resident_search>(device, reduced_.core(), "the core of " + name, search_kind::sssp, limits,
                                              nullptr)) {
  const backends::device_memory& of_core = core_->on_device().distances;
  (void)device.measure([&] { device.fill(of_core, 0, of_core.bytes(), 0xFF); });
  if (device.info().grid) {
    const auto& rows = reduced_.lengths<graph::distance_bits>().rows;
    static_assert(sizeof rows.front() == sizeof(fill_row));
    rows_ = device_.allocate(std::max<std::size_t>(1, rows.size()) * sizeof(fill_row), "the eliminated vertices");
    device_.upload(rows_, rows.data(), rows.size() * sizeof(fill_row));
    inside_ =
        device_.allocate(std::max<std::size_t>(1, reduced_.structure().eliminated_count()) * sizeof(inside_length),
                         "the fragment of the source");
    fill_kernel_ = device_.compile(helper_variant("fill_in", device_.info()));
  } else {
    fill_kernel_ = device_.compile(team_variant("fill_in", ""));
  }
}

tuner::run_report reduced_search::run(graph::vertex_id source, double time_limit_ms,
                                      const backends::device_memory& distances) {
  graph::core_start<graph::distance_bits> start;
  const double start_ms = milliseconds_of([&] { start = reduced_.start_from<graph::distance_bits>(source); });
  tuner::run_report report;
  if (start.seeds.empty()) {
    const backends::device_memory& of_core = core_->on_device().distances;
    report.milliseconds = device_.measure([&] { device_.fill(of_core, 0, of_core.bytes(), 0xFF); });
  } else {
    report = core_->run(start.seeds, time_limit_ms).first;
  }
  if (report.result != db::outcome::ok) return report;
  if (!device_.info().grid) report.milliseconds += start_ms;
  report.milliseconds += fill_in(start, distances);
  return report;
}

double reduced_search::fill_in(const graph::core_start<graph::distance_bits>& start,
                               const backends::device_memory& distances) {
  if (device_.info().grid) return fill_in_on_grid(start, distances);
  const resident_graph& core = core_->on_device();
  const std::span<const graph::distance_bits> of_core(core.distances.as<graph::distance_bits>(),
                                                      core_->graph().vertex_count() + std::size_t{1});
  const std::span of_all(distances.as<graph::distance_bits>(), reduced_.structure().vertex_count());
  const backends::team_work work = [&](cpu::thread_team& team) {
    // A thread fills a small graph before others have begun.
    constexpr std::size_t least_shared = 16'384;
    if (of_all.size() < least_shared) {
      reduced_.fill_in(start, of_core, of_all, 0, of_all.size());
    } else {
      team.run([&](unsigned rank) {
        const auto slice = team.slice_of(rank, of_all.size(), sizeof(graph::distance_bits));
        reduced_.fill_in(start, of_core, of_all, slice.first, slice.last);
      });
    }
    reduced_.fill_in_fragment(start, of_all);
  };
  device_.set_watchdog({});
  return device_.measure([&] {
    device_.launch(*fill_kernel_,
                   {.grid_blocks = 1, .shared_bytes = 0, .arguments = &work, .argument_bytes = sizeof work});
  });
}

double reduced_search::fill_in_on_grid(const graph::core_start<graph::distance_bits>& start,
                                       const backends::device_memory& distances) {
  std::vector<inside_length> inside;
  for (std::size_t i = 0; i < start.inside.size(); ++i) {
    inside.push_back(
        {.vertex = reduced_.structure().eliminated()[start.first_position + i], .length = start.inside[i]});
  }
  std::ranges::sort(inside, {}, &inside_length::vertex);
  if (!inside.empty()) device_.upload(inside_, inside.data(), inside.size() * sizeof(inside_length));
  const fill_arguments arguments{.rows = rows_.as<fill_row>(),
                                 .of_core = core_->on_device().distances.as<u32>(),
                                 .distances = distances.as<u32>(),
                                 .inside = inside_.as<inside_length>(),
                                 .vertex_count = reduced_.structure().vertex_count(),
                                 .inside_count = static_cast<u32>(inside.size()),
                                 .offset = start.offset};
  const unsigned threads = helper_threads(device_.info());
  const unsigned most = std::clamp(fill_kernel_->resident_blocks(0), 1U,
                                   fill_blocks_per_multiprocessor * std::max(1U, device_.info().multiprocessors));
  const unsigned blocks = std::clamp((arguments.vertex_count + threads - 1) / threads, 1U, most);
  device_.set_watchdog({});
  return device_.measure([&] {
    device_.launch(*fill_kernel_, {.grid_blocks = blocks,
                                   .shared_bytes = 0,
                                   .arguments = &arguments,
                                   .argument_bytes = sizeof arguments,
                                   .together = false});
  });
}

}  // namespace mlmq::problems
