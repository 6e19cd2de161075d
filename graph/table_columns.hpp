// SPDX-License-Identifier: Apache-2.0
// Decides what the columns of a table of edges mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/io.hpp"
#include "graph/text_reader.hpp"

namespace mlmq::graph {

/// First line of a table.
struct table_header {
  std::vector<std::string> names;  ///< names of the columns; empty if the first line is an edge
  std::size_t count = 0;           ///< number of columns
  std::uint64_t line = 1;          ///< its number, for messages

  /// Returns the name of a column in quotes, or "column 3" in a table without a header.
  [[nodiscard]] std::string text_of(std::size_t column) const;
};

/// Returns whether the fields name a column with sources and one with targets.
[[nodiscard]] bool names_edges(const std::vector<std::string>& fields);

enum class edge_direction { forward, backward, both };

/// The columns with known meaning.
struct table_columns {
  std::size_t source = 0;
  std::size_t target = 1;
  std::optional<std::size_t> weight;
  std::optional<std::size_t> reverse_weight;  ///< weight of the edge from the target to the source
  std::optional<std::size_t> direction;
  bool true_is_both = false;     ///< a truth in the column of the direction means both directions
  bool empty_is_both = false;    ///< an empty field there does, too
  bool lines_are_edges = false;  ///< the table has each direction of an edge in a line of its own
  std::string notes;             ///< the columns that were chosen, if the caller has not named them; or ""
};

/// Chooses the columns: those that the caller names, and otherwise those whose names have a known meaning.
/// @param first_edge fields of the first line with an edge
/// @throws input_error if a named column does not exist, if several columns may hold the sources or the targets, or
///   if no column has a weight and the use of others is unknown
[[nodiscard]] table_columns choose_columns(const table_header& header, const std::vector<std::string>& first_edge,
                                           const read_options& options, const text_reader& reader);

/// Returns the direction that a field states: a truth, "directed", "undirected", "-1", and synonyms. Empty for others.
[[nodiscard]] std::optional<edge_direction> direction_in(std::string_view field, const table_columns& columns);

}  // namespace mlmq::graph
