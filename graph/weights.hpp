// SPDX-License-Identifier: Apache-2.0
// The weights of graph files: parsed from decimal text, or generated if the file has none.
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

/// Returns the drawn_weight() of the uniform distribution.
[[nodiscard]] std::uint32_t seeded_weight(std::uint64_t seed, vertex_id u, vertex_id v) noexcept;

/// Gives every edge its seeded_weight(), as an integer.
void fill_seeded_weights(edge_list& edges, std::uint64_t seed);

/// The weight column of a text file. Unless a type is requested, the weights are integers until a real number occurs;
/// then all weights of the file are float32 (see read_graph() for the rules).
class weight_column {
 public:
  /// @param absolute replace negative numbers by their absolute values, and count them
  /// @param requested_type the type of all weights; if it is a float type, every number counts as real
  /// @param real the file declares that every number is real
  weight_column(bool absolute, std::optional<weight_type> requested_type, bool real = false)
      : absolute_(absolute),
        requested_type_(requested_type),
        floats_(real || requested_type.value_or(weight_type::uint32) != weight_type::uint32),
        real_(floats_) {}

  /// Appends the weight in a line. @return whether the weight is zero
  /// @throws input_error naming file and line
  bool add(std::string_view token, const line_place& place);

  /// Appends a whole number, if that is all that the column has so far. @return false if it has not appended the number
  bool add_whole(std::uint64_t number) {
    if (floats_ || number > largest_weight) return false;
    bits_.push_back(static_cast<std::uint32_t>(number));
    return true;
  }

  /// Appends the weights of the lines that follow, in which has_too_large() is false.
  void append(weight_column& following);
  /// Returns whether an integer did not fit, which is an error unless a real number occurs.
  [[nodiscard]] bool has_too_large() const noexcept { return too_large_line_ != 0 || !too_large_.empty(); }

  /// Handles the last weight if its edge implies another edge with the negated weight.
  void add_opposite(std::string_view token, const line_place& place);

  /// Returns whether a decimal number was rounded to float32 although the caller has not requested this type.
  [[nodiscard]] bool rounds() const noexcept { return floats_ && rounds_ && !requested_type_; }
  /// Returns the number of negative weights so far.
  [[nodiscard]] std::uint64_t negated() const noexcept { return negated_; }

  /// Moves the weights into `edges`.
  /// @throws input_error if an integer did not fit and no number was real, or if a number was real and integers were
  ///   requested
  void finish(edge_list& edges, const line_place& place);

 private:
  void become_floats();
  /// @throws input_error if integers were requested
  void refuse_real(const std::string& description, const line_place& place) const;
  /// @param digits the digits of the number, without its sign
  template <class Float>
  [[nodiscard]] Float parse(std::string_view token, std::string_view digits, const line_place& place) const;
  /// Counts a negative weight, or refuses it. @param description text before the token in the message
  void note_negative(std::string_view description, std::string_view token, const line_place& place);

  uninitialized_vector<std::uint32_t> bits_;
  uninitialized_vector<std::uint64_t> wide_bits_;  ///< used instead of bits_ for float64
  bool absolute_;
  std::optional<weight_type> requested_type_;
  std::uint64_t negated_ = 0;
  bool floats_;                       ///< bits_ holds floats
  bool rounds_ = false;               ///< a number is not a float32
  bool real_;                         ///< a real number has been seen
  std::uint64_t too_large_line_ = 0;  ///< line of the first integer beyond 32 bits; 0: none
  std::string too_large_;
};

/// Refuses a file because of a negative weight. @param fail throws input_error with the place and the reason
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

/// Remedy for a negative weight, for messages.
inline constexpr std::string_view negative_weight_hint =
    "--negative-weights absolute (negative_weights: absolute in an experiment file) takes absolute values";

}  // namespace mlmq::graph
