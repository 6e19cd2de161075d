// SPDX-License-Identifier: Apache-2.0
// From recorded trials to what the selector learns from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/code.hpp"
#include "db/store.hpp"
#include "selector/grouping.hpp"
#include "selector/model_file.hpp"
#include "selector/time_model.hpp"
#include "selector/training_set.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::selector {

/// What an example of the training set is called by itself.
struct training_input {
  std::string workload;
  std::string workload_class;
  std::string query;  ///< "source=5"
  std::string hash;   ///< of the workload's content
};

struct training_data {
  training_set set;                    ///< an example for each workload and query
  std::vector<training_input> inputs;  ///< one for each of set.workloads
  time_source source;
  const tuner::workload_features* kind = nullptr;  ///< of its workloads
  /// Of processors, when the record has trials on them beside those of another device.
  std::optional<processor_record> processors = std::nullopt;
  db::hidden_trials other_code = {};  ///< of the databases; they were not read
};

/// Which of the recorded devices are meant: parts of their names. Where a record has processors and other devices, it is
/// about the others: times of processors are only what these are weighed against.
struct recorded_devices {
  std::string device;  ///< may be empty when there is one only, or one beside processors
  /// May be empty when there is one kind of processors only; absent: their times are not wanted.
  std::optional<std::string> processors = std::nullopt;
};

/// The finished trials of one problem on one device, from one or more databases. The features of the set are those that any
/// of its workloads has on record; where a workload lacks one of them, it is unknown.
/// @param kind what the kind of workload says about its features; lives as long as what is returned
/// @param groups which workloads are one group: see selector/grouping.hpp
/// @param devices which of those on record
/// @param scopes only trials of any of these; their problems are not looked at
/// @param code  see db::store::open_record()
/// @throws input_error when there are none, or several devices match (naming them): times of different devices, and
///   modelled and measured times, are never mixed
[[nodiscard]] training_data load_training_data(const std::vector<std::string>& databases, const std::string& problem,
                                               const tuner::workload_features& kind, const recorded_devices& devices,
                                               const std::vector<db::trial_filter>& scopes = {{}},
                                               grouping groups = grouping::family, const std::string& code = "newest");

}  // namespace mlmq::selector
