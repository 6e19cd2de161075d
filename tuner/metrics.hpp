// SPDX-License-Identifier: Apache-2.0
// The key `metrics` of an experiment file: formulas over what is on record of a trial.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/metrics.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/parameter.hpp"
#include "tuner/problem.hpp"

namespace mlmq::tuner {

/// Formulas compiled for the trials on one workload. They mention parameters, features of the workload (its sizes), the
/// median `time_ms`, counters of work, of hardware and of energy, and `registers`, `local_bytes`, `shared_bytes` and
/// `occupancy` of CUDA kernels; a name with several meanings has the first of them.
class workload_metrics {
 public:
  /// @throws input_error at the place of an invalid formula
  workload_metrics(std::span<const metric_request> requests, const parameter_set& parameters, const problem& tuned,
                   const db::workload_record& workload);

  /// Returns the metrics of a trial by name. A metric is absent if a value that it mentions is absent, such as an
  /// inactive parameter, or if its result is not finite.
  [[nodiscard]] std::vector<std::pair<std::string, double>> evaluate(const db::metric_source& trial) const;

 private:
  const parameter_set& parameters_;
  symbol_table symbols_;
  std::vector<std::pair<std::string, double>> features_;
  std::vector<std::pair<std::string, expression>> formulas_;
};

/// Computes and records the metrics of all right timed trials of an experiment, also of those on record from earlier
/// sweeps. Does nothing for a file without metrics.
/// @param workloads  rows of the experiment's workloads
/// @throws input_error at the place of an invalid formula
void update_metrics(const experiment_file& file, const problem& tuned, db::store& store, std::int64_t experiment,
                    std::span<const std::int64_t> workloads);

/// Computes and records the metrics of one right timed trial.
void record_metrics(const workload_metrics& metrics, db::store& store, std::int64_t experiment, std::int64_t trial);

}  // namespace mlmq::tuner
