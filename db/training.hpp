// SPDX-License-Identifier: Apache-2.0
// Training data of a selector, returned by store::training.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.hpp"
#include "db/text_pool.hpp"

namespace mlmq::db {

/// A subset of the trials; an absent field means any.
struct trial_filter {
  std::optional<std::int64_t> experiment;
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> workload;
  std::optional<std::string> query;
  std::optional<std::string> problem;
};

/// One timed configuration for training. Its texts belong to the training data.
struct training_row {
  std::int64_t trial = 0;
  std::int64_t workload = 0;
  std::int64_t configuration = 0;
  std::int64_t device = 0;
  std::string_view query;
  std::string_view problem;
  std::string_view workload_hash;
  std::string_view configuration_hash;
  std::string_view device_hash;
  std::string_view parameters_json;
  std::string_view label;
  outcome result = outcome::ok;
  bool times_modelled = false;
  std::optional<double> median_ms;  ///< absent for failures
  std::optional<double> spread;     ///< interquartile range / median
  std::int64_t samples = 0;         ///< number of runs
  std::optional<double> cost;       ///< by the objective of the selected experiment; the median without one
  double relative = 0;              ///< best cost / this cost, 0 < relative <= 1; 0 for failures
};

struct training_data {
  text_pool texts;
  std::map<std::int64_t, workload_record> workloads;  ///< by id: the workloads in `rows`, with their features
  std::vector<training_row>
      rows;  ///< ordered by content hashes, so that equal data gives equal rows, independent of row ids
};

}  // namespace mlmq::db
