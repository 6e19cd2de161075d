// SPDX-License-Identifier: Apache-2.0
// Recorded trials in the form that the selector uses. Nothing else in selector/ reads the rows of the database.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/code.hpp"
#include "db/records.hpp"
#include "db/store.hpp"
#include "selector/model_inputs.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

struct recorded_workload {
  std::string hash;
  std::string name;
  std::string workload_class;
  std::string family;         ///< may be empty
  bool is_generated = false;  ///< not from a file
  named_features features;
};

struct recorded_trial {
  std::size_t workload = 0;            ///< index into recorded_rows::workloads
  std::string query;                   ///< "source=5"
  std::string_view device;             ///< hash of the device, a key of recorded_rows::devices
  std::size_t candidate = 0;           ///< index into recorded_rows::candidates
  std::optional<double> milliseconds;  ///< median; absent for a failure
  double spread = 0;                   ///< interquartile range / median
  std::size_t samples = 0;             ///< number of runs; 0: unknown
};

/// Finished trials in the order of the databases, without external programs, which a selector cannot choose.
struct recorded_rows {
  std::vector<recorded_workload> workloads;
  std::vector<candidate> candidates;  ///< may have equal ones, of several databases
  std::vector<recorded_trial> trials;
  std::map<std::string, db::device_record> devices;  ///< by hash
  db::hidden_trials other_code;                      ///< trials of other kernel code, which were not read
};

/// Reads the finished trials of one problem.
/// @param scopes reads the trials that match any of these; their `problem` is ignored
/// @param code  see db::store::open_record()
/// @throws input_error for a file that is not a database
[[nodiscard]] recorded_rows read_rows(const std::vector<std::string>& databases, const std::string& problem,
                                      const std::vector<db::trial_filter>& scopes, const std::string& code);

/// Returns the recorded features of a workload.
[[nodiscard]] named_features features_of(const db::workload_record& record);

}  // namespace mlmq::selector
