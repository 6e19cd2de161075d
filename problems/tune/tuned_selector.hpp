// SPDX-License-Identifier: Apache-2.0
// Learns a selector for one device from the measurements of 'mlmq tune', estimates its performance on unseen graphs,
// and decides whether it should be used.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "problems/tune/complete_record.hpp"
#include "problems/tune/sweep_series.hpp"
#include "selector/tuned_evaluation.hpp"
#include "selector/tuned_file.hpp"
#include "selector/tuned_learner.hpp"

namespace mlmq::tune {

/// Which selector is best on unseen graphs.
enum class verdict {
  fresh,    ///< tuned_selector::file: the new selector or the best fixed configuration
  current,  ///< the selector that `solve` uses already is as good or better
  unknown,  ///< too few graphs, or the choices of `solve` were not measured on all of them
};

struct tuned_selector {
  selector::tuned_file file;
  bool is_fixed = false;  ///< whether it always chooses the best fixed configuration
  verdict outcome = verdict::unknown;
  double fresh_relative = 0;        ///< mean relative performance of `file`, if judged
  double current_relative = 0;      ///< mean relative performance of the current selector
  std::string current_name;         ///< name of the selector that `solve` uses
  bool program_is_best = false;     ///< whether the installed selector is worse than the shipped one
  std::string best_fixed;           ///< label
  std::string learned_by;           ///< how it learned, for messages
  std::size_t graphs = 0;           ///< graphs that were learned from
  std::size_t incomplete = 0;       ///< graphs left out because they lack measurements
  std::size_t configurations = 0;   ///< configurations measured on all graphs
  std::size_t recorded_graphs = 0;  ///< graphs of the record that were learned from
  std::size_t also_recorded = 0;    ///< measured graphs with a variant on record
  bool same_device = false;         ///< whether the record belongs to this device
  std::string replaced_text;        ///< text of the installed selector before learning; empty: none

  /// Returns the judged strategies; empty if there are too few graphs to judge.
  [[nodiscard]] const std::vector<selector::strategy_evaluation>& strategies() const {
    return file.about.evaluation.strategies;
  }
};

/// Learns and judges a selector.
/// @param series after run()
/// @throws work_error if no workload was measured with all configurations; input_error like load_record()
[[nodiscard]] tuned_selector learn_selector(const sweep_series& series, const record_request& recorded,
                                            const selector::tuned_settings& settings);

}  // namespace mlmq::tune
