// SPDX-License-Identifier: Apache-2.0
// Shards of a sweep, for machines that do not communicate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mlmq::tuner {

/// Shard `index` of `count`, 1 <= index <= count. The shards of a sweep are disjoint and cover it.
struct shard {
  enum class division {
    /// The shard of a trial depends only on the content of its workload and configuration and on its query. Every shard
    /// reads every workload.
    trials,
    /// A shard has whole workloads and reads no others. The assignment depends on the list of all workloads
    /// (tuner/workload_list.hpp) and balances the shards.
    workloads,
  };
  std::uint64_t index = 1;
  std::uint64_t count = 1;
  division divided_by = division::trials;

  [[nodiscard]] bool is_whole() const { return count == 1; }

  /// Returns whether the trials of a configuration on a workload of this shard, timed or counting, belong to the shard.
  [[nodiscard]] bool has(const std::string& workload_hash, const std::string& query,
                         const std::string& configuration_hash) const;
  /// Returns whether this shard runs a learning strategy on a workload that it reads.
  [[nodiscard]] bool has_workload(const std::string& workload_hash) const;
};

/// Parses "2/8". @throws input_error for anything else
[[nodiscard]] shard parse_shard(std::string_view text, shard::division division = shard::division::trials);

}  // namespace mlmq::tuner
