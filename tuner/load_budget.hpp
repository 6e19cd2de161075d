// SPDX-License-Identifier: Apache-2.0
// Bounds the memory of workloads that several threads read at the same time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mlmq::tuner {

/// Returns the size of this machine's memory; 0: unknown.
[[nodiscard]] std::uint64_t bytes_of_machine();

/// Counts the workloads that are being read or wait in memory. Not thread-safe.
class load_budget {
 public:
  /// @param most largest sum of workload_kind::expected_size()
  explicit load_budget(std::uint64_t most) : most_(most) {}

  /// Returns a budget of an eighth of this machine's memory, divided among `processes`.
  [[nodiscard]] static load_budget of_machine(unsigned processes = 1);

  /// Returns whether a workload may be read now. One that is larger than the budget is read alone.
  [[nodiscard]] bool admits(std::uint64_t size) const { return count_ == 0 || used_ + size <= most_; }
  void add(std::uint64_t size) {
    ++count_;
    used_ += size;
  }
  void remove(std::uint64_t size) {
    --count_;
    used_ -= size;
  }

 private:
  std::uint64_t most_;
  std::uint64_t used_ = 0;
  std::size_t count_ = 0;
};

}  // namespace mlmq::tuner
