// SPDX-License-Identifier: Apache-2.0
// Parses the usual lines of an edge list, which have only plain numbers, by all cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/uninitialized_vector.hpp"
#include "graph/builder.hpp"
#include "graph/file_ids.hpp"
#include "graph/text_reader.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {

inline constexpr std::uint64_t unlimited_edges = ~std::uint64_t{0};

/// Form of a line with an edge.
struct line_form {
  std::string_view prefix = {};  ///< text before the first field
  char separator = ' ';          ///< between fields; ' ': one or more blanks, also before the first field
  std::size_t fields = 2;
  std::size_t source = 0;  ///< number of the field, like the next two
  std::size_t target = 1;
  std::optional<std::size_t> weight = std::nullopt;  ///< absent: weights are not read
  std::uint64_t least_id = 0;
  std::uint64_t largest_id = file_ids::largest;
};

/// Reads large parts of a file whose lines all have one form. Everything else (other lines, errors and small rests)
/// remains for the caller, who reads it line by line:
///
///   while (reader.next_line(line)) {
///     … parse the line …
///     while (parts.read(reader, form, most_edges, ids, weights)) {}
///   }
class number_lines {
 public:
  /// @param no_weights an empty column, with the rules for weights
  explicit number_lines(weight_column no_weights) : no_weights_(std::move(no_weights)) {}

  /// Parses the next part of the file if all its lines have the form: appends the ids of the sources and targets
  /// alternately, and the weights. Vertices must be numbers without leading zeros; blank lines are skipped.
  /// @param most_edges does not read a part with more edges
  /// @return false if it has read nothing
  /// @throws input_error like text_reader::next_line()
  bool read(text_reader& reader, const line_form& form, std::uint64_t most_edges,
            uninitialized_vector<std::uint64_t>& ids, weight_column& weights);
  /// Like read(), for vertices that are numbered from form.least_id on. Reads as many parts as possible.
  /// @param most_edges of the whole file
  void read_all(text_reader& reader, const line_form& form, std::uint64_t most_edges, edge_list& edges,
                weight_column& weights);

 private:
  weight_column no_weights_;
  std::uint64_t other_until_ = 0;  ///< position in the file up to which the caller reads
};

}  // namespace mlmq::graph
