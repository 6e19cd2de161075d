// SPDX-License-Identifier: Apache-2.0
// Compares strategies without a device: a recorded sweep answers their proposals.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/objective.hpp"
#include "db/store.hpp"
#include "tuner/problem.hpp"
#include "tuner/results_file.hpp"
#include "tuner/search_space.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

/// Recorded results of one workload on one device.
struct recorded_workload {
  db::workload_record workload;
  db::device_record device;
  bool times_modelled = false;
  std::map<configuration, evaluation> results;  ///< averaged over queries as in tuning_run
  double best_cost = 0;
  db::objective criterion;
};

/// Reads the finished time measurements of an experiment by workload and device, in the order of their content hashes.
/// Configurations without results for all queries of their workload are left out.
/// @throws input_error if nothing is recorded or every configuration of a workload failed
[[nodiscard]] std::vector<recorded_workload> read_recorded(const db::store& store,
                                                           const db::experiment_row& experiment);

/// Returns the results of another auto-tuner's file as a workload of its device.
/// @throws input_error if every configuration failed
[[nodiscard]] recorded_workload recorded_from(const results_file& read);

/// A space in which every configuration has a recorded result.
struct replayed_space {
  search_space space;
  bool is_whole = true;  ///< false: a list of the recorded part of the experiment's space
};

/// Returns the experiment's own space if it is completely recorded, or else a list of the recorded configurations.
/// @param problem  null for the imported results of another auto-tuner
[[nodiscard]] replayed_space space_of_recorded(const db::experiment_row& experiment, const problem* problem,
                                               const recorded_workload& recorded);

/// Returns the space of `definition`, without declarations of a problem, under the same rule.
[[nodiscard]] replayed_space space_of_recorded(const space_definition& definition, const recorded_workload& recorded);

/// Result of one replayed tuning run.
struct replayed_run {
  std::vector<double> relative;         ///< per evaluation: best recorded time / best time so far; 0: none yet
  std::vector<double> elapsed_s;        ///< per evaluation until the best was found: recorded durations so far
  std::optional<std::uint64_t> needed;  ///< evaluations until within the tolerance of the best recorded time
  double seconds = 0;                   ///< recorded duration of these evaluations, or of all if `needed` is absent
};

/// Replays one tuning run on recorded results. Ends early when the best configuration is found; `relative` then
/// stays 1. Failed configurations count as evaluations.
/// @param budget   most evaluations of the run
/// @param seconds  the run also ends with the evaluation that exceeds this recorded time
[[nodiscard]] replayed_run replay(const strategy_settings& settings, const search_space& space,
                                  const strategy_guide& guide, const recorded_workload& recorded, std::uint64_t budget,
                                  double tolerance, double seconds = std::numeric_limits<double>::infinity());

/// Quartiles of a sample, linearly interpolated; infinities are kept.
struct quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};
/// @throws std::invalid_argument when empty
[[nodiscard]] quartiles quartiles_of(std::vector<double> values);

}  // namespace mlmq::tuner
