// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/rules/part_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include "graph/feature_list.hpp"
#include "problems/shortest_paths/solvers/graph_parts.hpp"

namespace mlmq::problems {
namespace {

// Fitted to 63 graphs on an NVIDIA H200 (docs/notebook/performance.md, the graph in shared memory).
constexpr unsigned slots_in_registers = 8;
constexpr double balance = 1.04;
/// Average degree above which queues are faster, because nearly all edges lead to other parts.
constexpr double largest_average_degree = 75;
constexpr graph::vertex_id vertices_of_small_blocks = 60'000;
/// Number of vertices below which each thread takes more arcs at once, because small parts have idle threads.
constexpr graph::vertex_id vertices_of_wide_slots = 20'000;
/// The number of arcs that one instruction reads.
constexpr unsigned packed_slot_arcs = 4;
/// Maximum average degree of roads, which consist of chains of vertices; a warp follows a chain within a group.
constexpr double largest_degree_of_chains = 2.2;
/// Ratio of the feature `hops` to the square root of the vertices. Long and narrow roads exceed it: their fronts keep
/// few warps busy.
constexpr double least_hops_of_small_chains = 4;
constexpr unsigned threads_of_small_chains = 384;
/// Maximum average degree of large graphs whose vertices fit into slots of four arcs.
constexpr double largest_degree_of_groups = 3.5;
/// Number of slots per thread above which such graphs are faster in groups with a window than by sweeps.
constexpr double slots_of_fast_sweeps = 6;
/// Estimated number of words between parts.
constexpr double words_between_parts = 4'000;

/// Length of the longest row above which rows are spread, and the value of hub_degree then.
constexpr graph::edge_offset longest_row_without_hubs = 512;
constexpr unsigned hub_degree_of_hubs = 256;
/// Number of edges above which queues are faster where rows are longer than default_hub_degree: each part then has
/// thousands of words for others.
constexpr double most_edges_with_long_rows = 800'000;
/// Estimated number of words between parts in such a graph, per edge: outbox and inbox.
constexpr double outbox_words_per_edge = 0.65;
constexpr double inbox_words_per_edge = 0.4;

struct row_counts {
  graph::edge_offset longest_row = 0;
  bool has_hubs = false;
  double slots = 0;
  double packed_slots = 0;
  double places = 0;  ///< places in groups
};

row_counts count_rows(const graph::csr_graph& graph, unsigned slot_arcs, unsigned parts) {
  row_counts counts;
  const auto offsets = graph.offsets();
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    counts.longest_row = std::max(counts.longest_row, offsets[v + 1] - offsets[v]);
  }
  counts.has_hubs = counts.longest_row > longest_row_without_hubs;
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    const graph::edge_offset degree = offsets[v + 1] - offsets[v];
    // Copies have a slot that is not full, and arcs lead to them and back.
    const double more = counts.has_hubs && degree > hub_degree_of_hubs ? parts : 0;
    counts.slots += more + static_cast<double>(slots_of(degree, {.slot_arcs = slot_arcs}));
    counts.packed_slots += more + static_cast<double>(slots_of(degree, {.slot_arcs = packed_slot_arcs}));
    counts.places +=
        more + static_cast<double>(slots_of(degree, {.slot_arcs = packed_slot_arcs, .layout = arc_layout::groups}));
  }
  return counts;
}

/// Returns the threads per block with which a road network is faster in pulled groups than by sweeps; 0 for other
/// graphs.
unsigned threads_of_chains(const graph::csr_graph& graph, double degree, unsigned threads) {
  if (degree > largest_degree_of_chains || graph.vertex_count() == 0) return 0;
  if (graph.vertex_count() >= vertices_of_small_blocks) return threads;
  const double hops = graph::some_features(graph, std::array<std::string_view, 1>{"hops"}).front();
  return hops < least_hops_of_small_chains * std::sqrt(graph.vertex_count())
             ? 0
             : std::min(threads, threads_of_small_chains);
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
  const double words = (places + words_between_parts) * (1 + 1.0 / group_places) + packed_slot_arcs * places;
  return sizeof(u32) * words + sizeof(part_words) <= static_cast<double>(device.shared_bytes_per_block) &&
         can_pack(graph, places + words_between_parts) && largest_sum_of(graph, team) < saturated_mark / 2;
}

}  // namespace

std::optional<std::string> part_search_for(const graph::csr_graph& graph, const backends::device_info& device) {
  if (!device.grid || graph.weights() == graph::weight_type::float64) return std::nullopt;
  const unsigned most_threads = std::min(1024U, device.warp_slots * simt::warp_size);
  const unsigned threads = std::min(graph.vertex_count() < vertices_of_small_blocks ? 512U : 768U, most_threads);
  if (threads < 2 * simt::warp_size) return std::nullopt;
  if (static_cast<double>(graph.edge_count()) > largest_average_degree * graph.vertex_count()) return std::nullopt;
  const unsigned slot_arcs = graph.vertex_count() < vertices_of_wide_slots ? 4 : 3;
  const row_counts counts = count_rows(graph, slot_arcs, device.multiprocessors);
  if (counts.longest_row > default_hub_degree && static_cast<double>(graph.edge_count()) > most_edges_with_long_rows) {
    return std::nullopt;
  }
  const std::string hubs = counts.has_hubs ? fmt::format(",hub_degree={}", hub_degree_of_hubs) : "";
  const double degree = static_cast<double>(graph.edge_count()) / std::max(1U, graph.vertex_count());
  if (const unsigned chosen = threads_of_chains(graph, degree, threads);
      chosen > 0 && fits_groups(graph, counts, chosen, device)) {
    return fmt::format("solver=partitioned,part_work=pulled_groups,slot_arcs={},threads={}{}", packed_slot_arcs, chosen,
                       hubs);
  }
  const double parts = device.multiprocessors;
  const bool takes_groups = degree <= largest_degree_of_groups && fits_groups(graph, counts, most_threads, device);
  const double slots_of_thread = balance * counts.slots / (parts * worker_warps(threads) * simt::warp_size);
  if (slots_of_thread <= (takes_groups ? slots_of_fast_sweeps : slots_in_registers))
    return fmt::format("solver=partitioned,slot_arcs={},threads={}{}", slot_arcs, threads, hubs);
  if (takes_groups) {
    return fmt::format("solver=partitioned,part_work=groups,slot_arcs={},threads={},part_order=window,part_window=24{}",
                       packed_slot_arcs, most_threads, hubs);
  }
  const double edges_of_part = static_cast<double>(graph.edge_count()) / parts;
  const double between =
      counts.has_hubs ? (3 * outbox_words_per_edge + inbox_words_per_edge) * edges_of_part : words_between_parts;
  const double words = balance * graph.vertex_count() / parts + between;
  const double bytes =
      sizeof(u32) * (words + balance * packed_slot_arcs * counts.packed_slots / parts) + sizeof(part_words);
  if (bytes > static_cast<double>(device.shared_bytes_per_block) || !can_pack(graph, words)) return std::nullopt;
  return fmt::format("solver=partitioned,slot_arcs={},arcs=shared,threads={}{}", packed_slot_arcs, threads, hubs);
}

double expected_split_ms(const graph::csr_graph& graph) {
  // 16 processors take 20 ns per vertex or edge on roads. Fewer processors, and power-law graphs, take several times as
  // long. A kernel may also have to be compiled.
  constexpr double per_million = 150;
  constexpr double for_the_kernel = 500;
  return for_the_kernel + per_million * 1e-6 * static_cast<double>(graph.vertex_count() + graph.edge_count());
}

}  // namespace mlmq::problems
