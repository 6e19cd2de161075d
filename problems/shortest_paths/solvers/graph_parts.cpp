// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/graph_parts.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "graph/kept_partition.hpp"
#include "problems/shortest_paths/solvers/hub_rows.hpp"
#include "problems/shortest_paths/solvers/parts_builder.hpp"

namespace mlmq::problems {
namespace {

/// Minimum size of a part: smaller parts cost more in messages between blocks than they gain.
constexpr std::size_t vertices_worth_a_part = 256;
/// Number of vertices below which one thread prepares the parts faster than several.
constexpr std::size_t vertices_for_threads = 20'000;
constexpr std::size_t edges_of_job = 65'536;

std::vector<u32> partition_for(const graph::csr_graph& graph, unsigned parts, const part_shape& shape,
                               thread_team& team) {
  if (has_hub(graph, shape)) return partition_with_hubs(graph, parts, shape, team);
  const auto offsets = graph.offsets();
  std::vector<u32> loads(graph.vertex_count());
  for (std::size_t v = 0; v < loads.size(); ++v) {
    loads[v] = static_cast<u32>(slots_of(offsets[v + 1] - offsets[v], shape));
  }
  return graph::kept_partition(graph, loads, parts, team);
}

/// Builds the parts of a graph with copies of its hubs, and removes the copies from the list of vertices.
graph_parts parts_with_copies(const graph::csr_graph& graph, std::span<const u32> part_of, unsigned parts,
                              const part_shape& shape, thread_team& team) {
  graph_with_copies copied = copy_hubs(graph, part_of, shape, team);
  part_shape without_hubs = shape;
  without_hubs.hub_degree = std::numeric_limits<unsigned>::max();
  graph_parts result = parts_of(copied.graph, std::move(copied.part_of), parts, without_hubs, team);
  result.shape = shape;
  const std::size_t n = graph.vertex_count();
  for (u32& vertex : result.vertices) vertex = vertex < n ? vertex : no_vertex;
  result.part_of.resize(n);
  result.place_of.resize(n);
  return result;
}

}  // namespace

u64 largest_sum_of(const graph::csr_graph& graph, thread_team& team) {
  if (graph.weights() != graph::weight_type::uint32) return std::numeric_limits<u64>::max();
  u32 heaviest_of_all = 0;
  for (const u32 weight : graph.weight_bits()) heaviest_of_all = std::max(heaviest_of_all, weight);
  // The heaviest edge into a vertex weighs at most as much as the heaviest edge of the graph.
  const u64 simple_bound = (u64{graph.vertex_count()} + 1) * heaviest_of_all;
  if (simple_bound < saturated_mark / 2) return simple_bound;
  std::vector<u32> heaviest(graph.vertex_count());
  team.run_blocks(graph.edge_count(), edges_of_job, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const std::atomic_ref bound(heaviest[graph.targets()[e]]);
      const u32 weight = graph.weight_bits()[e];
      u32 previous = bound.load(std::memory_order_relaxed);
      while (previous < weight && !bound.compare_exchange_weak(previous, weight, std::memory_order_relaxed)) {
      }
    }
  });
  return std::accumulate(heaviest.begin(), heaviest.end(), u64{heaviest_of_all});
}

u32 graph_parts::most_slots() const {
  u32 most = 0;
  for (const graph_part& part : parts) most = std::max(most, part.slots);
  return most;
}

u64 graph_parts::shared_bytes() const {
  u64 most = 0;
  for (const graph_part& part : parts) {
    most = std::max(most, shape.has_groups() ? grouped_part_bytes(part, shape.slot_arcs)
                                             : part_bytes(part, shape.is_packed() ? shape.slot_arcs : 0));
  }
  return most;
}

graph_parts parts_of(const graph::csr_graph& graph, std::vector<u32> part_of, unsigned parts, const part_shape& shape,
                     thread_team& team) {
  if (shape.is_packed() && graph.weights() != graph::weight_type::uint32) {
    throw backends::launch_error(fmt::format("solver partitioned: {} requires whole weights of 4 bytes",
                                             shape.has_groups() ? "part_work=groups" : "arcs=shared"));
  }
  if (has_hub(graph, shape)) return parts_with_copies(graph, part_of, parts, shape, team);
  graph_parts result;
  result.shape = shape;
  result.largest_sum = largest_sum_of(graph, team);
  result.parts.resize(parts);
  result.part_of = std::move(part_of);
  fill_parts(graph, result, team);
  return result;
}

unsigned default_part_count(const graph::csr_graph& graph, const backends::device_info& device) {
  const std::size_t worth = graph.vertex_count() / vertices_worth_a_part;
  return static_cast<unsigned>(std::clamp<std::size_t>(worth, 1, std::max(1U, device.multiprocessors)));
}

std::shared_ptr<const graph_parts> part_store::get(unsigned parts, const part_shape& shape) {
  std::shared_ptr<const graph_parts>& entry = cache_[{parts, shape}];
  if (entry != nullptr) return entry;
  if (graph_.edge_count() + graph_.vertex_count() >= std::numeric_limits<std::int32_t>::max()) {
    throw backends::launch_error(fmt::format("solver partitioned: {} edges are too many", graph_.edge_count()));
  }
  thread_team team(graph_.vertex_count() < vertices_for_threads ? 1 : 0);
  entry = std::make_shared<const graph_parts>(
      parts_of(graph_, partition_for(graph_, parts, shape, team), parts, shape, team));
  return entry;
}

}  // namespace mlmq::problems
