// SPDX-License-Identifier: Apache-2.0
// Builds training data for the selector from recorded trials.
#pragma once

#include <string>
#include <vector>

#include "db/code.hpp"
#include "db/store.hpp"
#include "selector/grouping.hpp"
#include "selector/model_file.hpp"
#include "selector/training_set.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::selector {

/// Identity of an example of the training set.
struct training_input {
  std::string workload;
  std::string workload_class;
  std::string query;  ///< "source=5"
  std::string hash;   ///< hash of the workload's content
};

struct training_data {
  training_set set;                    ///< one example per workload and query
  std::vector<training_input> inputs;  ///< one per entry of set.workloads
  time_source source;
  const tuner::workload_features* kind = nullptr;  ///< feature definitions of the workloads
  db::hidden_trials other_code = {};               ///< trials of other kernel code, which were not read
};

/// Loads the finished trials of one problem on one device, from one or more databases. The features of the set are
/// those that any of its workloads has on record; a workload that lacks one of them has NaN.
/// @param kind feature definitions of the kind of workload; must outlive the result
/// @param groups rule that groups workloads: see selector/grouping.hpp
/// @param device part of the device's name; may be empty if there is only one, not counting processors: if a record has
///   both processors and other devices, the others are its subject
/// @param scopes loads the trials that match any of these; their `problem` is ignored
/// @param code  see db::store::open_record()
/// @throws input_error if there are no trials, or several devices match (naming them): times of different devices, and
///   modelled and measured times, are never mixed
[[nodiscard]] training_data load_training_data(const std::vector<std::string>& databases, const std::string& problem,
                                               const tuner::workload_features& kind, const std::string& device,
                                               const std::vector<db::trial_filter>& scopes = {{}},
                                               grouping groups = grouping::family, const std::string& code = "newest");

}  // namespace mlmq::selector
