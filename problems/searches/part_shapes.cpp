// SPDX-License-Identifier: Apache-2.0
#include "problems/searches/part_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>
#include <thread>

#include "graph/feature_list.hpp"
#include "problems/searches/cost_model.hpp"
#include "problems/shortest_paths/solvers/graph_parts.hpp"

namespace mlmq::problems {
namespace {

// Chosen by the record of parts (scripts/part-choices; docs/notebook/performance.md, the choice by a record).
constexpr unsigned threads_of_sweeps = 512;
/// Graphs of many vertices whose rows fit as well into slots of three arcs are faster with these and more threads.
constexpr graph::vertex_id vertices_of_narrow_slots = 60'000;
constexpr unsigned narrow_slot_arcs = 3;
constexpr double most_narrow_slots = 1.25;  ///< as a multiple of the number of slots of four
constexpr unsigned threads_of_narrow_slots = 768;
/// The number of arcs that one instruction reads.
constexpr unsigned slot_arcs = 4;
/// Number of slots per thread above which arcs lie in shared memory, and the same for arcs that do not fit there.
constexpr double slots_in_registers = 9;
constexpr double most_slots_in_registers = 12;
constexpr unsigned threads_of_shared_arcs = 768;
/// Length of rows above which they are spread.
constexpr unsigned hub_degree = 128;
/// Length of the longest row of roads. Other graphs of as few edges are slower in groups.
constexpr graph::edge_offset longest_row_of_roads = 7;

// Fitted to 63 graphs on an NVIDIA H200 (docs/notebook/performance.md, the graph in shared memory).
constexpr double balance = 1.04;
constexpr graph::vertex_id vertices_of_large_chains = 60'000;
/// Maximum average degree of roads that consist of chains of vertices; a warp follows a chain within a group.
constexpr double largest_degree_of_chains = 2.2;
/// Ratio of the feature `hops` to the square root of the vertices. Long and narrow roads exceed it: their fronts keep
/// few warps busy.
constexpr double least_hops_of_small_chains = 4;
constexpr unsigned threads_of_large_chains = 768;
constexpr unsigned threads_of_small_chains = 384;
/// Maximum average degree of large roads whose vertices fit into slots of four arcs.
constexpr double largest_degree_of_groups = 3.5;
/// Number of slots per thread above which such roads are faster in groups with a window than by sweeps.
constexpr double slots_of_fast_sweeps = 6.5;
/// Estimated number of words between parts.
constexpr double words_between_parts = 4'000;
/// Estimated number of words between parts of a graph with spread rows, per edge: outbox and inbox.
constexpr double outbox_words_per_edge = 0.65;
constexpr double inbox_words_per_edge = 0.4;

struct row_counts {
  graph::edge_offset longest_row = 0;
  double slots = 0;
  double narrow_slots = 0;
  double places = 0;  ///< places in groups

  [[nodiscard]] bool has_hubs() const { return longest_row > hub_degree; }
};

row_counts count_rows(const graph::csr_graph& graph, unsigned parts) {
  row_counts counts;
  const auto offsets = graph.offsets();
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    const graph::edge_offset degree = offsets[v + 1] - offsets[v];
    counts.longest_row = std::max(counts.longest_row, degree);
    // Copies have a slot that is not full, and arcs lead to them and back.
    const double more = degree > hub_degree ? std::min<double>(parts, static_cast<double>(degree) / slot_arcs) : 0;
    counts.slots += more + static_cast<double>(slots_of(degree, {.slot_arcs = slot_arcs}));
    counts.narrow_slots += static_cast<double>(slots_of(degree, {.slot_arcs = narrow_slot_arcs}));
    counts.places +=
        more + static_cast<double>(slots_of(degree, {.slot_arcs = slot_arcs, .layout = arc_layout::groups}));
  }
  return counts;
}

/// Returns the feature `hops`, divided by the square root of the number of vertices.
double relative_hops(const graph::csr_graph& graph) {
  if (graph.vertex_count() == 0) return 0;
  const double hops = graph::some_features(graph, std::array<std::string_view, 1>{"hops"}).front();
  return hops / std::sqrt(graph.vertex_count());
}

/// Returns the threads per block with which a road network is faster in pulled groups than by sweeps; 0 for other
/// graphs.
unsigned threads_of_chains(const graph::csr_graph& graph, double degree, double hops) {
  if (degree > largest_degree_of_chains) return 0;
  if (graph.vertex_count() >= vertices_of_large_chains) return threads_of_large_chains;
  return hops < least_hops_of_small_chains ? 0 : threads_of_small_chains;
}

bool can_pack(const graph::csr_graph& graph, double words_of_part) {
  const auto weights = graph.weight_bits();
  const auto target_bits = static_cast<unsigned>(std::bit_width(static_cast<u64>(words_of_part)));
  return graph.weights() == graph::weight_type::uint32 &&
         std::ranges::all_of(weights, [&](u32 weight) { return fits_packed(0, weight, target_bits); });
}

/// Returns whether the graph fits into shared memory in groups, the warps have enough flags, and no distance overflows
/// the words of groups.
bool fits_groups(const graph::csr_graph& graph, const row_counts& counts, unsigned threads,
                 const backends::device_info& device) {
  const double places = balance * counts.places / device.multiprocessors + group_places;
  if (places > worker_warps(threads) * groups_per_warp * group_places) return false;
  thread_team team(1);
  const double words = (places + words_between_parts) * (1 + 1.0 / group_places) + slot_arcs * places;
  return sizeof(u32) * words + sizeof(part_words) <= static_cast<double>(device.shared_bytes_per_block) &&
         can_pack(graph, places + words_between_parts) && largest_sum_of(graph, team) < saturated_mark / 2;
}

}  // namespace

std::optional<std::string> part_search_for(const graph::csr_graph& graph, const backends::device_info& device) {
  if (!device.grid || graph.weights() == graph::weight_type::float64 || graph.vertex_count() == 0) return std::nullopt;
  // A distance and an arc take at least a word each. Looking at the rows of a large graph takes longer than searches.
  constexpr double register_words = 65'536;
  const double words_on_chip =
      device.multiprocessors * (register_words + static_cast<double>(device.shared_bytes_per_block) / sizeof(u32));
  if (static_cast<double>(graph.vertex_count()) + static_cast<double>(graph.edge_count()) > words_on_chip)
    return std::nullopt;
  const unsigned most_threads = std::min(1024U, device.warp_slots * simt::warp_size);
  if (most_threads < 2 * simt::warp_size) return std::nullopt;
  const double degree = static_cast<double>(graph.edge_count()) / graph.vertex_count();
  const double hops = relative_hops(graph);
  const unsigned parts = device.multiprocessors;
  const row_counts counts = count_rows(graph, parts);
  const bool is_road = counts.longest_row <= longest_row_of_roads;
  if (const unsigned chosen = std::min(threads_of_chains(graph, degree, hops), most_threads);
      is_road && chosen > 0 && fits_groups(graph, counts, chosen, device)) {
    return fmt::format("solver=partitioned,part_work=pulled_groups,slot_arcs={},threads={}", slot_arcs, chosen);
  }
  const std::string hubs = counts.has_hubs() ? fmt::format(",hub_degree={}", hub_degree) : "";
  const bool has_narrow_slots = !counts.has_hubs() && graph.vertex_count() >= vertices_of_narrow_slots &&
                                counts.narrow_slots <= most_narrow_slots * counts.slots;
  const unsigned threads = std::min(has_narrow_slots ? threads_of_narrow_slots : threads_of_sweeps, most_threads);
  const auto slots_of_thread = [&](unsigned block) {
    const double slots = has_narrow_slots ? counts.narrow_slots : counts.slots;
    return balance * slots / (parts * worker_warps(block) * simt::warp_size);
  };
  const auto in_registers = [&] {
    return fmt::format("solver=partitioned,slot_arcs={},threads={}{}", has_narrow_slots ? narrow_slot_arcs : slot_arcs,
                       threads, hubs);
  };
  const bool takes_groups =
      is_road && degree <= largest_degree_of_groups && fits_groups(graph, counts, most_threads, device);
  if (takes_groups && slots_of_thread(threads) > slots_of_fast_sweeps) {
    return fmt::format("solver=partitioned,part_work=groups,slot_arcs={},threads={},part_order=window,part_window=24",
                       slot_arcs, most_threads);
  }
  if (slots_of_thread(threads) <= slots_in_registers) return in_registers();
  const double edges_of_part = static_cast<double>(graph.edge_count()) / parts;
  const double between =
      counts.has_hubs() ? (3 * outbox_words_per_edge + inbox_words_per_edge) * edges_of_part : words_between_parts;
  const double words = balance * graph.vertex_count() / parts + between;
  const double bytes = sizeof(u32) * (words + balance * slot_arcs * counts.slots / parts) + sizeof(part_words);
  if (bytes <= static_cast<double>(device.shared_bytes_per_block) && can_pack(graph, words)) {
    return fmt::format("solver=partitioned,slot_arcs={},arcs=shared,threads={}{}", slot_arcs,
                       std::min(threads_of_shared_arcs, most_threads), hubs);
  }
  if (slots_of_thread(threads) <= most_slots_in_registers) return in_registers();
  return std::nullopt;
}

}  // namespace mlmq::problems
