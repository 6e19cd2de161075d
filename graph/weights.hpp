// SPDX-License-Identifier: Apache-2.0
// The weights of graph files: from decimal text to 32 bits, and what stands in for absent ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/builder.hpp"
#include "graph/csr.hpp"
#include "graph/text_reader.hpp"

namespace mlmq::graph {

/// The drawn_weight of the uniform distribution.
[[nodiscard]] std::uint32_t seeded_weight(std::uint64_t seed, vertex_id u, vertex_id v) noexcept;

/// Gives every edge its seeded_weight, as integers.
void fill_seeded_weights(edge_list& edges, std::uint64_t seed);

/// The column of weights of a text file. It is integer until a real number turns up and float32 for
/// the whole file from then on (see read_graph for the rules).
class weight_column {
 public:
  /// @param absolute negative numbers are taken as their absolute values, and counted
  /// @param real every number is real, whatever it looks like
  explicit weight_column(bool absolute, bool real = false) : absolute_(absolute), floats_(real), real_(real) {}

  /// Appends the weight that the reader's present line has. @return whether it is zero
  /// @throws input_error naming file and line
  bool add(std::string_view token, const text_reader& reader);

  /// For the last weight: its edge comes with another one that has the negative weight.
  void add_opposite(std::string_view token, const text_reader& reader);

  /// How many negative weights there were.
  [[nodiscard]] std::uint64_t negated() const noexcept { return negated_; }

  /// Moves the weights over. @throws input_error when an integer did not fit and no number was real
  void finish(edge_list& edges, const text_reader& reader);

 private:
  void become_floats();
  /// Counts, or refuses. @param what has the weight
  void note_negative(std::string_view what, std::string_view token, const text_reader& reader);

  std::vector<std::uint32_t> bits_;
  bool absolute_;
  std::uint64_t negated_ = 0;
  bool floats_;                       ///< what bits_ holds
  bool real_;                         ///< a real number has been seen
  std::uint64_t too_large_line_ = 0;  ///< the first integer beyond 32 bits, 0 for none
  std::string too_large_;
};

/// What to do about a negative weight, for messages.
inline constexpr std::string_view negative_weight_hint =
    "--negative-weights absolute (negative_weights: absolute in an experiment file) takes absolute values";

}  // namespace mlmq::graph
