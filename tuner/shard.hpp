// SPDX-License-Identifier: Apache-2.0
// A part of a sweep, for machines that do not know of each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mlmq::tuner {

/// Part `index` of `count`, 1 <= index <= count. The parts of a sweep are disjoint and together the whole. To which part
/// a trial belongs depends on nothing but the contents of its graph and configuration and on its source.
struct shard {
  std::uint64_t index = 1;
  std::uint64_t count = 1;

  [[nodiscard]] bool is_whole() const { return count == 1; }

  /// Whether the trials of a configuration (its hash) on a graph (its hash) from a source are in this part: those that
  /// time it as well as those that count its work.
  [[nodiscard]] bool has(const std::string& graph_hash, std::uint64_t source,
                         const std::string& configuration_hash) const;
  /// Whether this part searches this graph, when a strategy chooses by what it has learned there.
  [[nodiscard]] bool has_graph(const std::string& graph_hash) const;
};

/// "2/8". @throws input_error for anything else
[[nodiscard]] shard parse_shard(std::string_view text);

}  // namespace mlmq::tuner
