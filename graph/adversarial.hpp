// SPDX-License-Identifier: Apache-2.0
// Small named graphs that are hard for a work queue. Each provokes one kind of failure.
#pragma once

#include <span>
#include <string_view>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Number of queue slots that the graph "fills" uses completely and the graph "overflows" exceeds.
inline constexpr vertex_id adversarial_queue_slots = 64;

/// Returns the names of the graphs that a check tries by default. All have fewer than 2,100 vertices:
///   single       one vertex without edges
///   path         60 vertices in a row, both directions: never more than one or two elements of work
///   star         300 leaves around vertex 0, both directions
///   complete     40 vertices, each joined with every other
///   components   two cycles that do not touch
///   zero_cycles  cycles of zero weight, where distances do not determine the predecessors
///   parallels    self-loops, and 40 parallel edges between neighbours
///   shortcuts    every vertex leads to every later one by the squared distance, long jumps first: a vertex is
///                improved as often as possible
///   fills        vertex 0 leads to exactly adversarial_queue_slots vertices, which all lead to one common vertex,
///                each by a shorter path than the one before
///   overflows    like fills, with three times as many vertices plus one, each leading to two vertices of its own
///   hub          vertex 0 leads to 2,000 leaves, in one direction
///   huge         integers: sums around 2^32 - 2, where they saturate; floats: sums near the largest float, which
///                lose small weights to rounding
///   grid         12 x 12
///   rmat         2^7 vertices of a recursive matrix graph
///   chains       six vertices, with chains of one and of both directions between any two, and trees at the chains
[[nodiscard]] std::span<const std::string_view> adversarial_names();

/// Returns further names that adversarial_graph() accepts, of graphs that are too slow to be tried by default:
/// "hub100000", a hub with 10^5 leaves.
[[nodiscard]] std::span<const std::string_view> slow_adversarial_names();

/// Returns the graph with this name, which is the same on every machine. Unless the graph requires other weights, they
/// are random: integers 0 … 100, or for floats multiples of 1/7 up to 100, whose sums are rounded. Searches from vertex
/// 0 are the hard ones.
/// @throws input_error for an unknown name, listing the known ones
[[nodiscard]] csr_graph adversarial_graph(std::string_view name, weight_type weights);

/// Returns the graph `shape` with the random weights of adversarial_graph().
[[nodiscard]] csr_graph with_adversarial_weights(const csr_graph& shape, weight_type weights);

}  // namespace mlmq::graph
