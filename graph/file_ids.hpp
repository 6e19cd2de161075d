// SPDX-License-Identifier: Apache-2.0
// What the file of a graph calls its vertices.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlmq::graph {

/// A vertex as this program computes with it: 0 … n-1, the index of arrays. A person never sees it: see file_ids.
using vertex_id = std::uint32_t;

/// The ids of a graph's vertices: their numbers in the file, which users read and type. They increase with the vertex.
/// Immutable, cheap to copy (shared storage).
class file_ids {
 public:
  /// No id is larger: the database keeps ids as signed numbers of 64 bits.
  static constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();

  /// Ids of a graph without vertices.
  file_ids() = default;

  /// `first`, `first` + 1, …: from 0 where a graph has no file, or one whose format counts from 0.
  [[nodiscard]] static file_ids counted_from(std::uint64_t first, vertex_id count);

  /// @param ids increasing, each at most `largest`, not more of them than a vertex_id can count
  [[nodiscard]] static file_ids listed(std::vector<std::uint64_t> ids);

  [[nodiscard]] vertex_id count() const noexcept { return count_; }
  /// Whether they are `first`, `first` + 1, …
  [[nodiscard]] bool count_from(std::uint64_t first) const noexcept { return list_ == nullptr && first_ == first; }
  /// Whether some number between the first and the last is no id.
  [[nodiscard]] bool have_gaps() const noexcept { return list_ != nullptr; }

  /// @param v below count()
  [[nodiscard]] std::uint64_t id_of(vertex_id v) const noexcept { return list_ ? (*list_)[v] : first_ + v; }
  /// The vertex with this id; nothing when there is none.
  [[nodiscard]] std::optional<vertex_id> find(std::uint64_t id) const noexcept;

  /// "1 to 9", "3 to 900, with gaps": what there is to choose from, for messages. @pre there is one
  [[nodiscard]] std::string range_text() const;
  /// Returns the message for an unknown id: "NAME has no vertex 7; its ids run from 1 to 6".
  [[nodiscard]] std::string absence_text(const std::string& graph_name, std::uint64_t id) const;

 private:
  std::uint64_t first_ = 0;
  vertex_id count_ = 0;
  std::shared_ptr<const std::vector<std::uint64_t>> list_;  ///< only where counting does not give them
};

}  // namespace mlmq::graph
