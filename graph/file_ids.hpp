// SPDX-License-Identifier: Apache-2.0
// The numbers of a graph's vertices in its file.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::graph {

/// A vertex in this program's computations: 0 … n-1, an index of arrays. Users never see this number; they see the ids
/// of file_ids.
using vertex_id = std::uint32_t;

/// The ids of a graph's vertices: their numbers in the file, which users read and type. Ids increase with the vertex.
/// Immutable and cheap to copy (shared storage).
class file_ids {
 public:
  /// Largest possible id: the database stores ids as signed 64-bit numbers.
  static constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();

  /// Creates the ids of a graph without vertices.
  file_ids() = default;

  /// Returns the ids `first`, `first` + 1, …. `first` is 0 for a graph without a file, and for formats that count from
  /// 0.
  [[nodiscard]] static file_ids counted_from(std::uint64_t first, vertex_id count);

  /// Returns ids that are listed explicitly.
  /// @param ids increasing, each at most `largest`; not more than a vertex_id can count
  [[nodiscard]] static file_ids listed(std::vector<std::uint64_t> ids);

  /// Returns the ids 0, 1, 2, … of vertices that the file calls by names. @param names distinct, one per vertex
  [[nodiscard]] static file_ids named(std::vector<std::string> names);

  [[nodiscard]] vertex_id count() const noexcept { return count_; }
  /// Returns the names of the vertices 0, 1, …; empty if the file has numbers.
  [[nodiscard]] std::span<const std::string> names() const noexcept;
  /// Returns whether the ids are `first`, `first` + 1, …
  [[nodiscard]] bool count_from(std::uint64_t first) const noexcept { return list_ == nullptr && first_ == first; }
  /// Returns whether a number between the first and the last id is not an id.
  [[nodiscard]] bool have_gaps() const noexcept { return list_ != nullptr; }

  /// @param v below count()
  [[nodiscard]] std::uint64_t id_of(vertex_id v) const noexcept { return list_ ? (*list_)[v] : first_ + v; }
  /// Returns the vertex with this id; empty if no vertex has it.
  [[nodiscard]] std::optional<vertex_id> find(std::uint64_t id) const noexcept;

  /// Returns what the file calls the vertex: its name, or else its id. @param v below count()
  [[nodiscard]] std::string text_of(vertex_id v) const;
  /// Returns the vertex that the file calls so: with this name, or, in a file with numbers, with the id that parse_id()
  /// reads. Empty if there is none.
  [[nodiscard]] std::optional<vertex_id> find(std::string_view text) const;

  /// Formats the range of the ids for messages: "1 to 9", or "3 to 900, with gaps". @pre there is at least one id
  [[nodiscard]] std::string range_text() const;
  /// Returns the message for an unknown id: "NAME has no vertex 7; its ids run from 1 to 6".
  [[nodiscard]] std::string absence_text(const std::string& graph_name, std::uint64_t id) const;
  /// Returns the message for a text for which find() is empty.
  [[nodiscard]] std::string absence_text(const std::string& graph_name, std::string_view text) const;

 private:
  struct name_index;

  std::uint64_t first_ = 0;
  vertex_id count_ = 0;
  std::shared_ptr<const std::vector<std::uint64_t>> list_;  ///< null if the ids are consecutive
  std::shared_ptr<const name_index> names_;                 ///< null if the file has numbers
};

/// Parses the id of a vertex: a whole number up to file_ids::largest, also as a decimal ("7.0", "7.00e+00") as programs
/// write columns of floats, if it is below 2^53, where each float is one number. Empty for all else.
[[nodiscard]] std::optional<std::uint64_t> parse_id(std::string_view text) noexcept;

}  // namespace mlmq::graph
