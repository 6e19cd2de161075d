// SPDX-License-Identifier: Apache-2.0
// The weights of graph files: from decimal text to numbers, and what stands in for absent ones.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "graph/builder.hpp"
#include "graph/csr.hpp"
#include "graph/io.hpp"
#include "graph/text_reader.hpp"

namespace mlmq::graph {

/// The drawn_weight of the uniform distribution.
[[nodiscard]] std::uint32_t seeded_weight(std::uint64_t seed, vertex_id u, vertex_id v) noexcept;

/// Gives every edge its seeded_weight, as integers.
void fill_seeded_weights(edge_list& edges, std::uint64_t seed);

/// The column of weights of a text file. Unless a type is asked for, it is integer until a real number turns up and
/// float32 for the whole file from then on (see read_graph for the rules).
class weight_column {
 public:
  /// @param absolute negative numbers are taken as their absolute values, and counted
  /// @param requested_type the type of all weights; of floats every number is real, whatever it looks like
  /// @param real the file says that every number is real
  weight_column(bool absolute, std::optional<weight_type> requested_type, bool real = false)
      : absolute_(absolute),
        requested_type_(requested_type),
        floats_(real || requested_type.value_or(weight_type::uint32) != weight_type::uint32),
        real_(floats_) {}

  /// Appends the weight that the reader's present line has. @return whether it is zero
  /// @throws input_error naming file and line
  bool add(std::string_view token, const text_reader& reader);

  /// For the last weight: its edge comes with another one that has the negative weight.
  void add_opposite(std::string_view token, const text_reader& reader);

  /// How many negative weights there were.
  [[nodiscard]] std::uint64_t negated() const noexcept { return negated_; }

  /// Moves the weights over. @throws input_error when an integer did not fit and no number was real, or one was and
  ///   whole numbers are asked for
  void finish(edge_list& edges, const text_reader& reader);

 private:
  void become_floats();
  /// @throws input_error when whole numbers are asked for
  void refuse_real(const std::string& description, const text_reader& reader) const;
  /// @param digits of a number without its sign
  template <class Float>
  [[nodiscard]] Float parse(std::string_view token, std::string_view digits, const text_reader& reader) const;
  /// Counts, or refuses. @param description has the weight
  void note_negative(std::string_view description, std::string_view token, const text_reader& reader);

  std::vector<std::uint32_t> bits_;
  std::vector<std::uint64_t> wide_bits_;  ///< instead, of float64
  bool absolute_;
  std::optional<weight_type> requested_type_;
  std::uint64_t negated_ = 0;
  bool floats_;                       ///< whether bits_ holds them
  bool real_;                         ///< a real number has been seen
  std::uint64_t too_large_line_ = 0;  ///< the first integer beyond 32 bits, 0 for none
  std::string too_large_;
};

/// Refuses a file for a negative weight. @param fail throws input_error with the place and the reason
/// @throws negative_weights_error with the same message
template <class Fail>
[[noreturn]] void refuse_negative(const Fail& fail) {
  try {
    fail();
  } catch (const input_error& error) {
    throw negative_weights_error(error.what());
  }
  throw std::logic_error("a negative weight was not refused");
}

/// What to do about a negative weight, for messages.
inline constexpr std::string_view negative_weight_hint =
    "--negative-weights absolute (negative_weights: absolute in an experiment file) takes absolute values";

}  // namespace mlmq::graph
