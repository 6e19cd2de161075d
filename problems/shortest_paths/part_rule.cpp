// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/part_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "partitioned/partitioned_abi.cuh"

namespace mlmq::problems {
namespace {

constexpr unsigned slot_arcs = 2;
/// Of more, the compiler keeps some arcs in local memory.
constexpr unsigned slots_per_thread = 8;
/// METIS fills the fullest part a few percent above the mean.
constexpr double balance = 1.04;
/// Roads and meshes have shorter rows. Others have a small diameter, and a search of them is not a chain of hops.
constexpr graph::edge_offset longest_row = 32;
/// Below, fewer threads sweep sooner.
constexpr graph::vertex_id vertices_of_large_blocks = 100'000;

}  // namespace

std::optional<std::string> part_search_for(const graph::csr_graph& graph, const backends::device_info& device) {
  if (!device.grid || graph.weights() == graph::weight_type::float64) return std::nullopt;
  const unsigned most_threads = std::min(1024U, device.warp_slots * simt::warp_size);
  const unsigned threads = std::min(graph.vertex_count() < vertices_of_large_blocks ? 512U : 1024U, most_threads);
  if (threads < 2 * simt::warp_size) return std::nullopt;
  const auto offsets = graph.offsets();
  double slots = 0;
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    const graph::edge_offset degree = offsets[v + 1] - offsets[v];
    if (degree > longest_row) return std::nullopt;
    slots += static_cast<double>(std::max<graph::edge_offset>(1, (degree + slot_arcs - 1) / slot_arcs));
  }
  const double room = static_cast<double>(device.multiprocessors) * worker_warps(threads) * simt::warp_size * slots_per_thread;
  if (slots * balance > room) return std::nullopt;
  return fmt::format("solver=partitioned,slot_arcs={},threads={}", slot_arcs, threads);
}

}  // namespace mlmq::problems
