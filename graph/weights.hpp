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
  /// @param real every number is real, whatever it looks like
  explicit weight_column(bool real = false) : floats_(real), real_(real) {}

  /// Appends the weight that the reader's present line has. @throws input_error naming file and
  /// line
  void add(std::string_view token, const text_reader& reader);

  /// Moves the weights over. @throws input_error when an integer did not fit and no number was real
  void finish(edge_list& edges, const text_reader& reader);

 private:
  void become_floats();

  std::vector<std::uint32_t> bits_;
  bool floats_;                       ///< what bits_ holds
  bool real_;                         ///< a real number has been seen
  std::uint64_t too_large_line_ = 0;  ///< the first integer beyond 32 bits, 0 for none
  std::string too_large_;
};

}  // namespace mlmq::graph
