// SPDX-License-Identifier: Apache-2.0
// What can be computed from the distances of a search, and how processors do it: also the reference for checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/csr.hpp"
#include "reductions/reductions_abi.cuh"

namespace mlmq::multi_source {

/// A quantity of a search. Has reduction_width() words per search.
struct reduction {
  reduction_kind kind = reduction_kind::farthest;
  std::vector<graph::vertex_id> vertices = {};  ///< whose distances count; may contain duplicates
  bool has_all_vertices = false;                ///< `vertices` are all of the graph, each once
  std::vector<std::uint64_t> values = {};       ///< sums: one per vertex, at most 2^62 in total; empty: 1 each
  std::vector<std::uint64_t> limits = {};       ///< binned_sums: ascending words of distances
  double rate = 0;                              ///< of sums with a decay, see reduction_kind
  std::size_t count = 0;                        ///< nearest: number of vertices
};

/// Returns the number of words per search.
[[nodiscard]] std::size_t reduction_width(const reduction& quantity, graph::weight_type type);
/// Returns the value that the words of a search have at the start.
[[nodiscard]] std::uint64_t first_word(reduction_kind kind);

/// Computes the words of one search.
/// @param row one distance per vertex of the graph
/// @param words reduction_width() words with first_word()
void reduce_row(const reduction& quantity, graph::weight_type type, std::span<const graph::distance_bits> row,
                std::span<std::uint64_t> words);
void reduce_row(const reduction& quantity, graph::weight_type type, std::span<const graph::wide_distance_bits> row,
                std::span<std::uint64_t> words);

/// Returns a sum of distances, of floats rounded to within two units in the last place.
/// @param words of a distance_sum
[[nodiscard]] double distance_sum_of(graph::weight_type type, std::span<const std::uint64_t> words);

/// Returns the number that a distance stands for.
[[nodiscard]] double number_of(graph::weight_type type, std::uint64_t distance);

}  // namespace mlmq::multi_source
