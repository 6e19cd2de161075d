// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/resident_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "base/thread_team.hpp"

namespace mlmq::problems {
namespace {

/// Number of edges that take longer to read than a thread takes to start.
constexpr std::size_t edges_per_block = std::size_t{1} << 18;

std::uint64_t narrow_edge(std::uint32_t target, std::uint32_t weight_bits) {
  return target | static_cast<std::uint64_t>(weight_bits) << 32;
}

graph::wide_edge wide_edge(graph::vertex_id target, std::uint64_t weight_bits) {
  return {.target = target, .weight_bits = weight_bits};
}

}  // namespace

double average_weight(const graph::csr_graph& graph) {
  const double sum = graph::with_weight_traits(graph.weights(), [&]<class Traits>(Traits) {
    // Adding doubles one after the other takes several times as long as adding integers.
    using number = std::conditional_t<Traits::type == graph::weight_type::uint32, std::uint64_t, double>;
    const auto weights = Traits::weights_of(graph);
    std::vector<number> sums(weights.size() / edges_per_block + 1);
    for_each_block(weights.size(), edges_per_block, [&](std::size_t index, std::size_t first, std::size_t last) {
      number block_sum = 0;
      for (const auto bits : weights.subspan(first, last - first)) {
        if constexpr (std::is_same_v<number, double>)
          block_sum += Traits::number(bits);
        else
          block_sum += bits;
      }
      sums[index] = block_sum;
    });
    return static_cast<double>(std::accumulate(sums.begin(), sums.end(), number{0}));
  });
  return sum > 0 ? sum / static_cast<double>(graph.edge_count()) : 1.0;
}

double average_degree(const graph::csr_graph& graph) {
  const auto vertices = static_cast<double>(std::max<std::size_t>(graph.vertex_count(), 1));
  return static_cast<double>(graph.edge_count()) / vertices;
}

graph::wide_distance_bits wide_distance_word(double length) {
  // The sum makes -0.0, whose word would be beyond all distances, 0.0.
  return std::bit_cast<graph::wide_distance_bits>(std::min(length, std::numeric_limits<double>::max()) + 0.0);
}

std::vector<std::uint64_t> narrow_edges_of(const graph::csr_graph& graph) {
  std::vector<std::uint64_t> edges(graph.edge_count());
  const auto targets = graph.targets();
  const auto weights = graph.weight_bits();
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = narrow_edge(targets[i], weights[i]);
  return edges;
}

std::vector<graph::wide_edge> wide_edges_of(const graph::csr_graph& graph) {
  std::vector<graph::wide_edge> edges(graph.edge_count());
  const auto weights = graph.wide_weight_bits();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i] = wide_edge(graph.targets()[i], weights[i]);
  }
  return edges;
}

std::uint32_t distance_word(double length, graph::weight_type weights) {
  if (weights == graph::weight_type::float64) return static_cast<std::uint32_t>(wide_distance_word(length) >> 32);
  if (weights == graph::weight_type::float32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::min(length, 3e38)) + 0.0F);
  }
  return static_cast<std::uint32_t>(std::min(std::round(length), static_cast<double>(graph::saturated_distance)));
}

namespace {

backends::device_memory borrowed(const void* address, std::size_t bytes) {
  return backends::device_memory::borrowed(const_cast<void*>(address), bytes);
}

backends::device_memory borrowed(const backends::device_memory& memory) {
  return backends::device_memory::borrowed(memory.address(), memory.bytes());
}

}  // namespace

void require_room(backends::backend& device, graph::vertex_id vertices, graph::edge_offset edges,
                  graph::weight_type weights, bool unit_weights, const std::string& name) {
  const auto bytes = [&](bool without_weights) {
    return row_bytes(vertices, edges, weights, without_weights) +
           (std::uint64_t{vertices} + 1) * distance_bytes(without_weights ? graph::weight_type::uint32 : weights);
  };
  const std::uint64_t free = device.free_memory();
  if (bytes(unit_weights) <= free) return;
  const auto gibibytes = [](std::uint64_t size) {
    return fmt::format("{:.3g} GiB", static_cast<double>(size) / 0x1p30);
  };
  std::string text = fmt::format("{} does not fit on {}: its rows and the distances need {}, but {} of {} are free",
                                 name, device.info().name, gibibytes(bytes(unit_weights)), gibibytes(free),
                                 gibibytes(device.info().memory_bytes));
  if (!unit_weights && bytes(true) <= free)
    text += fmt::format("; without weights (bfs), it needs {}", gibibytes(bytes(true)));
  throw backends::out_of_device_memory(text + (device.info().grid ? "; processors (cpu) may have more memory" : ""));
}

namespace {

/// @param edge_of makes an edge of a target and the bits of a weight
template <class Bits, class EdgeOf>
void upload_edges(backends::backend& device, const backends::device_memory& memory,
                  std::span<const graph::vertex_id> targets, std::span<const Bits> weights, const EdgeOf& edge_of) {
  using edge = decltype(edge_of(targets[0], weights[0]));
  backends::upload_elements<edge>(device, memory, targets.size(), [&](std::size_t first, std::span<edge> part) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = edge_of(targets[first + i], weights[first + i]);
  });
}

}  // namespace

std::shared_ptr<const resident_rows> upload_rows(backends::backend& device, const graph::csr_graph& graph,
                                                 const std::string& name, bool unit_weights) {
  require_room(device, graph.vertex_count(), graph.edge_count(), graph.weights(), unit_weights, name);
  const auto rows = std::make_shared<resident_rows>();
  rows->wide_offsets = has_wide_offsets(graph.edge_count());
  const std::size_t n = graph.vertex_count();
  if (rows->wide_offsets) {
    rows->offsets = device.allocate((n + 1) * sizeof(std::uint64_t), "the row starts of " + name);
    device.upload(rows->offsets, graph.offsets().data(), rows->offsets.bytes());
  } else {
    rows->offsets = device.allocate((n + 1) * sizeof(std::uint32_t), "the row starts of " + name);
    const auto offsets = graph.offsets();
    backends::upload_elements<std::uint32_t>(device, rows->offsets, n + 1, [&](std::size_t first, auto part) {
      for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<std::uint32_t>(offsets[first + i]);
    });
  }
  if (unit_weights) {
    rows->edges = device.allocate(graph.edge_count() * sizeof(graph::vertex_id), "the edges of " + name);
    device.upload(rows->edges, graph.targets().data(), rows->edges.bytes());
    return rows;
  }
  rows->average_weight = average_weight(graph);
  rows->edges = device.allocate(graph.edge_count() * edge_bytes(graph.weights(), false), "the edges of " + name);
  if (graph.weights() == graph::weight_type::float64) {
    upload_edges(device, rows->edges, graph.targets(), graph.wide_weight_bits(), wide_edge);
  } else {
    upload_edges(device, rows->edges, graph.targets(), graph.weight_bits(), narrow_edge);
  }
  return rows;
}

std::shared_ptr<const resident_rows> arrange_rows(backends::backend& device, const device_rows& source_rows,
                                                  const std::string& name, bool unit_weights) {
  const auto rows = std::make_shared<resident_rows>();
  const std::size_t starts = std::size_t{source_rows.vertices} + 1;
  rows->wide_offsets = has_wide_offsets(source_rows.edges);
  row_outputs outputs;
  if (source_rows.wide_offsets && !rows->wide_offsets) {
    rows->offsets = device.allocate(starts * sizeof(std::uint32_t), "the row starts of " + name);
    outputs.narrow_offsets = rows->offsets.as<std::uint32_t>();
  } else {
    rows->offsets = borrowed(source_rows.offsets,
                             starts * (source_rows.wide_offsets ? sizeof(std::uint64_t) : sizeof(std::uint32_t)));
  }
  if (unit_weights && source_rows.targets != nullptr) {
    rows->edges = borrowed(source_rows.targets, source_rows.edges * sizeof(std::uint32_t));
  } else if (unit_weights) {
    rows->edges = device.allocate(source_rows.edges * sizeof(std::uint32_t), "the edges of " + name);
    outputs.targets = rows->edges.as<std::uint32_t>();
  } else if (source_rows.pairs != nullptr) {
    rows->edges = borrowed(source_rows.pairs, source_rows.edges * sizeof(std::uint64_t));
  } else {
    rows->edges = device.allocate(source_rows.edges * sizeof(std::uint64_t), "the edges of " + name);
    outputs.pairs = rows->edges.as<std::uint64_t>();
  }
  const bool has_weights = !unit_weights && (source_rows.weights != nullptr || source_rows.pairs != nullptr);
  if (has_weights || outputs.narrow_offsets != nullptr || outputs.targets != nullptr || outputs.pairs != nullptr) {
    rows->average_weight = pass_over_rows(device, source_rows, outputs, false, has_weights).average_weight;
  }
  return rows;
}

std::shared_ptr<const resident_rows> row_store::rows_on(backends::backend& device, const graph::csr_graph& graph,
                                                        const std::string& name, bool unit_weights) {
  std::weak_ptr<const resident_rows>& cached = cache_[{&device, unit_weights}];
  std::shared_ptr<const resident_rows> rows = cached.lock();
  if (rows == nullptr) {
    rows = device_ == &device ? arrange_rows(device, rows_, name, unit_weights)
                              : upload_rows(device, graph, name, unit_weights);
    cached = rows;
  }
  return rows;
}

resident_graph::resident_graph(backends::backend& device, const graph::csr_graph& graph, const std::string& name,
                               bool unit_weights, row_store* store)
    : rows(store != nullptr ? store->rows_on(device, graph, name, unit_weights)
                            : upload_rows(device, graph, name, unit_weights)),
      wide_offsets(rows->wide_offsets),
      offsets(borrowed(rows->offsets)),
      edges(borrowed(rows->edges)),
      distances(device.allocate(distance_bytes(graph), "the distances of " + name)) {}

}  // namespace mlmq::problems
