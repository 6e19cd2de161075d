// SPDX-License-Identifier: Apache-2.0
// What 'mlmq tune' makes of what it has measured: a selector for one device, how good it is on graphs that it has not seen,
// and whether it should be used.
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

/// Whose choice is the best on graphs that were not learned from.
enum class verdict {
  fresh,    ///< the new selector, or the best fixed configuration: what tuned_selector::made is
  present,  ///< what `solve` uses already is as good or better
  unknown,  ///< too few graphs to judge, or what `solve` uses was not measured on all
};

struct tuned_selector {
  selector::tuned_file made;
  bool is_fixed = false;  ///< it knows the best fixed configuration only
  verdict found = verdict::unknown;
  double fresh_relative = 0;        ///< mean relative performance of `made`, when judged
  double present_relative = 0;      ///< and of what `solve` uses
  std::string present_name;         ///< what `solve` uses
  bool program_is_best = false;     ///< an installed selector is worse than what is part of the program
  std::string best_fixed;           ///< label
  std::string way;                  ///< how it learned, for a person
  std::size_t graphs = 0;           ///< that were learned from
  std::size_t incomplete = 0;       ///< left out: not measured with all configurations
  std::size_t configurations = 0;   ///< that all graphs were measured with
  std::size_t recorded_graphs = 0;  ///< of the record that were learned from

  /// Empty when there are too few graphs to judge.
  [[nodiscard]] const std::vector<selector::judged_way>& ways() const { return made.about.evaluation.ways; }
};

/// Only graphs have names by which variants of one are known: every other workload is a group of its own.
void group_by_workload(selector::training_data& data);

/// Names of the features that selectors learn from unless told otherwise, of those on record.
[[nodiscard]] std::vector<std::string> standard_features(const selector::training_data& data);

/// The own workloads that were measured with every configuration of `needed`, and of the other configurations those that
/// were measured on all of them; one instance for each workload, with the standard features.
struct complete_record {
  selector::training_set searches;  ///< an instance for each query
  selector::training_set means;
  std::size_t incomplete = 0;  ///< instances left out
};
[[nodiscard]] complete_record complete_part(const selector::training_data& data,
                                            const std::vector<std::string>& needed);

/// What to say when there is nothing to learn from yet.
inline constexpr const char* nothing_complete =
    "no graph has been measured with all configurations yet; run the same command again to go on, or give it more time "
    "with --budget";

/// @param record of the same problem, of this or another device; null: none
/// @param same_device whether it is of this device
/// @param present as baselines() gives them
/// @param fits whether the device can run the configuration of a label, as far as is known without measuring
/// @throws work_error when no graph was measured with all configurations
[[nodiscard]] tuned_selector make_tuned_selector(const complete_record& own, const selector::training_data& data,
                                                 const selector::training_data* record, bool same_device,
                                                 const std::vector<baseline>& present,
                                                 const std::function<bool(const std::string&)>& fits,
                                                 const selector::tuned_settings& settings);

}  // namespace mlmq::cli
