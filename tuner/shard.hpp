// SPDX-License-Identifier: Apache-2.0
// A part of a sweep, for machines that do not know of each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mlmq::tuner {

/// Part `index` of `count`, 1 <= index <= count. The parts of a sweep are disjoint and together the whole.
struct shard {
  enum class division {
    /// To which part a trial belongs depends on nothing but the contents of its graph and configuration and on its
    /// source. Every part reads every graph.
    trials,
    /// A part has whole graphs and reads no others; which ones depends on the list of all (tuner/inputs.hpp), so that the
    /// parts are about equally long.
    graphs,
  };
  std::uint64_t index = 1;
  std::uint64_t count = 1;
  division by = division::trials;

  [[nodiscard]] bool is_whole() const { return count == 1; }

  /// Of a graph that the part reads: whether the trials of a configuration (its hash) on a graph (its hash) from a source are in this part: those that
  /// time it as well as those that count its work.
  [[nodiscard]] bool has(const std::string& graph_hash, std::uint64_t source,
                         const std::string& configuration_hash) const;
  /// Of a graph that the part reads: whether it searches it, when a strategy chooses by what it has learned there.
  [[nodiscard]] bool has_graph(const std::string& graph_hash) const;
};

/// "2/8". @throws input_error for anything else
[[nodiscard]] shard parse_shard(std::string_view text, shard::division by = shard::division::trials);

}  // namespace mlmq::tuner
