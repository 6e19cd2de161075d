// SPDX-License-Identifier: Apache-2.0
// Features of workloads that are on record already, computed anew from the workloads: their definitions may change, and what
// was measured stays.
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
  std::size_t workloads = 0;         ///< of the database that were among the inputs
  std::size_t added = 0;             ///< features that workloads did not have
  std::size_t changed = 0;           ///< features that had another value
  std::vector<std::string> missing;  ///< workloads of the database that are none of the inputs, by name
  std::vector<std::string> others;   ///< inputs named like a workload of the database, but with other content
};

/// Computes all of workload::feature_definitions() for the workloads of the database that are among the inputs, and adds or
/// replaces them there; nothing else of the database changes. Inputs that no workload of the database is named like are not
/// read. Whether it is the same workload is decided by its content hash. One workload is in memory at a time.
/// @param progress called before each workload, with its name
/// @throws input_error for a workload that cannot be read; what was done until then stays
[[nodiscard]] feature_update_report update_features(db::store& store, const workload_kind& kind,
                                                    std::span<const workload_input> inputs,
                                                    const std::function<void(const std::string& name)>& progress = {});

}  // namespace mlmq::tuner
