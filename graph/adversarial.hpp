// SPDX-License-Identifier: Apache-2.0
// Small graphs that are hard for a work queue, by name: each provokes one way of going wrong.
#pragma once

#include <span>
#include <string_view>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// The slots of the queue that "fills" fills to the last place and "overflows" cannot go into.
inline constexpr vertex_id adversarial_queue_slots = 64;

/// The names that a check tries by default, all of less than 2,100 vertices:
///   single       one vertex without edges
///   path         60 vertices in a row, both directions: never more than one or two elements of work
///   star         300 leaves around vertex 0, both directions
///   complete     40 vertices, each joined with every other
///   components   two cycles that do not touch
///   zero_cycles  cycles of zero weight, where a distance never says who came first
///   parallels    self-loops, and 40 parallel edges between neighbours
///   shortcuts    every vertex leads to every later one by the squared distance, long jumps first: a vertex is improved
///                as often as possible
///   fills        vertex 0 leads to exactly adversarial_queue_slots vertices, which all lead to a common one, each by
///                a shorter way than the one before
///   overflows    the same with three times as many and one more, each leading to two vertices of its own
///   hub          vertex 0 leads to 2,000 leaves, in one direction
///   huge         integers: sums around 2^32 - 2, where they saturate; floats: sums near the largest one, which lose
///                small weights to rounding
///   grid         12 x 12
///   rmat         2^7 vertices of a recursive matrix graph
[[nodiscard]] std::span<const std::string_view> adversarial_names();

/// More names that adversarial_graph() knows, too slow to be tried by default: "hub100000", a hub with 10^5 leaves.
[[nodiscard]] std::span<const std::string_view> slow_adversarial_names();

/// The graph of this name, the same on every machine. Unless the shape asks for others, weights are random: 0 … 100 in
/// steps of 1 or, for floats, of 1/7, whose sums round. A search from vertex 0 is the hard one.
/// @throws input_error for an unknown name, listing the known ones
[[nodiscard]] csr_graph adversarial_graph(std::string_view name, weight_type weights);

/// The edges of `shape` with those random weights.
[[nodiscard]] csr_graph with_adversarial_weights(const csr_graph& shape, weight_type weights);

}  // namespace mlmq::graph
