// SPDX-License-Identifier: Apache-2.0
// Workloads in host memory, so that a comparison reads each file once.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tuner/workload.hpp"

namespace mlmq::compare {

/// Loads workloads, and caches them up to a total size.
class loaded_workloads {
 public:
  /// @param kind  kind of all workloads; must outlive this
  explicit loaded_workloads(const tuner::workload_kind& kind) : kind_(kind) {}

  /// Returns the workload of an input. @throws input_error  like tuner::workload_kind::load()
  [[nodiscard]] std::shared_ptr<const tuner::workload> get(const tuner::workload_input& input);

 private:
  const tuner::workload_kind& kind_;
  std::vector<std::pair<tuner::workload_input, std::shared_ptr<const tuner::workload>>> cached_;
  std::uint64_t cached_bytes_ = 0;
};

}  // namespace mlmq::compare
