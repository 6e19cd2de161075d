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
    /// To which part a trial belongs depends on nothing but the contents of its workload and configuration and on its
    /// query. Every part reads every workload.
    trials,
    /// A part has whole workloads and reads no others; which ones depends on the list of all (tuner/workload_list.hpp), so that
    /// the parts are about equally long.
    workloads,
  };
  std::uint64_t index = 1;
  std::uint64_t count = 1;
  division by = division::trials;

  [[nodiscard]] bool is_whole() const { return count == 1; }

  /// Of a workload (its hash) that the part reads: whether the trials of a configuration (its hash) with a query are in
  /// this part, those that time it as well as those that count its work.
  [[nodiscard]] bool has(const std::string& workload_hash, const std::string& query,
                         const std::string& configuration_hash) const;
  /// Of a workload that the part reads: whether it tunes it, when a strategy chooses by what it has learned there.
  [[nodiscard]] bool has_workload(const std::string& workload_hash) const;
};

/// "2/8". @throws input_error for anything else
[[nodiscard]] shard parse_shard(std::string_view text, shard::division by = shard::division::trials);

}  // namespace mlmq::tuner
