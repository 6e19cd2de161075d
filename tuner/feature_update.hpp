// SPDX-License-Identifier: Apache-2.0
// Recomputes the features of recorded workloads, for example after a change of their definitions. Recorded measurements
// stay as they are.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {

struct feature_update_report {
  std::size_t workloads = 0;         ///< recorded workloads that were updated
  std::size_t added = 0;             ///< new features
  std::size_t changed = 0;           ///< features with a new value
  std::vector<std::string> missing;  ///< names of recorded workloads without an input
  std::vector<std::string> others;   ///< names of inputs whose content differs from the recorded workload of that name
};

/// Computes the features of the recorded workloads that are among the inputs, and adds or replaces them in the
/// database; nothing else changes there. Inputs whose name is not on record are not read. Workloads are identified by
/// their content hash. One workload is in memory at a time.
/// @param progress called before each workload with its name
/// @throws input_error for a workload that cannot be read; earlier updates are kept
[[nodiscard]] feature_update_report update_features(db::store& store, const workload_kind& kind,
                                                    std::span<const workload_input> inputs,
                                                    const std::function<void(const std::string& name)>& progress = {});

}  // namespace mlmq::tuner
