// SPDX-License-Identifier: Apache-2.0
// Strategies compared without a device: a strategy asks for configurations, a recorded sweep answers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "tuner/problem.hpp"
#include "tuner/search_space.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

/// What was recorded of one workload on one device.
struct recorded_workload {
  db::workload_record workload;
  db::device_record device;
  bool times_modelled = false;
  std::map<configuration, evaluation> results;  ///< of several queries as in tuning_run
  double best_ms = 0;
};

/// The finished time measurements of an experiment, by workload and device, in the order of their content hashes. A
/// configuration that lacks a query that others of the workload have is left out. @throws input_error when nothing is
/// recorded, or every configuration of a workload failed
[[nodiscard]] std::vector<recorded_workload> read_recorded(const db::store& from, const db::experiment_row& experiment);

/// A space in which every configuration has a recorded result.
struct replayed_space {
  search_space space;
  bool is_whole = true;  ///< else the experiment's own space has more, and this is a list of what was recorded
};

/// The experiment's own space as this program understands it, when all of it is recorded.
[[nodiscard]] replayed_space space_of_recorded(const db::experiment_row& experiment, const problem& of,
                                               const recorded_workload& recorded);

/// How well one tuning run did.
struct replayed_run {
  std::vector<double> relative;         ///< after each evaluation: best time of all / best time so far; 0: none yet
  std::optional<std::uint64_t> needed;  ///< evaluations until within the tolerance of the best of all
  double seconds = 0;                   ///< what these took when they were recorded; all of them, when not within
};

/// One tuning run on what was recorded. Ends early when the best of all is found; `relative` then stays 1.
[[nodiscard]] replayed_run replay(const strategy_settings& settings, const search_space& space,
                                  const strategy_guide& guide, const recorded_workload& recorded, std::uint64_t budget,
                                  double tolerance);

/// The quartiles of a sample, linearly interpolated; infinities stay what they are.
struct quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};
/// @throws std::invalid_argument when empty
[[nodiscard]] quartiles quartiles_of(std::vector<double> values);

}  // namespace mlmq::tuner
