// SPDX-License-Identifier: Apache-2.0
// Learns a selector for one device from the measurements of 'mlmq tune', estimates its performance on unseen graphs,
// and decides whether it should be used.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/baseline.hpp"
#include "selector/training_data.hpp"
#include "selector/tuned_evaluation.hpp"
#include "selector/tuned_file.hpp"
#include "selector/tuned_learner.hpp"

namespace mlmq::cli {

/// Which selector is best on unseen graphs.
enum class verdict {
  fresh,    ///< tuned_selector::file: the new selector or the best fixed configuration
  present,  ///< the selector that `solve` uses already is as good or better
  unknown,  ///< too few graphs, or the choices of `solve` were not measured on all of them
};

struct tuned_selector {
  selector::tuned_file file;
  bool is_fixed = false;  ///< whether it always chooses the best fixed configuration
  verdict outcome = verdict::unknown;
  double fresh_relative = 0;        ///< mean relative performance of `file`, if judged
  double present_relative = 0;      ///< mean relative performance of the present selector
  std::string present_name;         ///< name of the selector that `solve` uses
  bool program_is_best = false;     ///< whether the installed selector is worse than the shipped one
  std::string best_fixed;           ///< label
  std::string learned_by;           ///< how it learned, for messages
  std::size_t graphs = 0;           ///< graphs that were learned from
  std::size_t incomplete = 0;       ///< graphs left out because they lack measurements
  std::size_t configurations = 0;   ///< configurations measured on all graphs
  std::size_t recorded_graphs = 0;  ///< graphs of the record that were learned from

  /// Returns the judged strategies; empty if there are too few graphs to judge.
  [[nodiscard]] const std::vector<selector::strategy_evaluation>& strategies() const {
    return file.about.evaluation.strategies;
  }
};

/// Groups variants of graphs by their names; every other workload becomes a group of its own.
void group_by_workload(selector::training_data& data);

/// Returns the recorded features that selectors use by default.
[[nodiscard]] std::vector<std::string> standard_features(const selector::training_data& data);

/// Workloads that were measured with every needed configuration, with all configurations that were measured on all of
/// these workloads, and with the standard features.
struct complete_record {
  selector::training_set searches;  ///< one instance per query
  selector::training_set means;     ///< one instance per workload
  std::size_t incomplete = 0;       ///< number of instances left out
};
[[nodiscard]] complete_record complete_part(const selector::training_data& data,
                                            const std::vector<std::string>& needed);

/// Message if there is no complete graph yet.
inline constexpr const char* nothing_complete =
    "no graph has been measured with all configurations yet; run the same command again to continue, or give it "
    "more time with --budget";

/// Learns and judges a selector.
/// @param record record of the same problem, of this or another device; null: none
/// @param same_device whether the record belongs to this device
/// @param present from baselines()
/// @param fits returns whether the device can run a configuration, as far as is known without measuring
/// @throws work_error if no graph was measured with all configurations
[[nodiscard]] tuned_selector make_tuned_selector(const complete_record& own_record, const selector::training_data& data,
                                                 const selector::training_data* record, bool same_device,
                                                 const std::vector<baseline>& present,
                                                 const std::function<bool(const std::string&)>& fits,
                                                 const selector::tuned_settings& settings);

}  // namespace mlmq::cli
