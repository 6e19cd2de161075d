// SPDX-License-Identifier: Apache-2.0
// What 'mlmq tune' makes of a finished sweep: a model for one device, and how good it is on graphs that it has not seen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "selector/method.hpp"
#include "selector/model_file.hpp"
#include "selector/training_data.hpp"

namespace mlmq::cli {

/// One way to choose a configuration for a graph that was not measured.
struct way_to_choose {
  std::string name;
  double mean_relative = 0;  ///< best time / time of the choice, on average; a failure counts as 0
  double near_best = 0;      ///< share of the graphs within 0.9 of the best
  double worst = 0;          ///< the lowest relative performance
};

struct tuned_selector {
  selector::model model;
  std::string chosen;               ///< which of `ways` the model is
  std::vector<way_to_choose> ways;  ///< empty when there are too few graphs to judge
  std::size_t graphs = 0;           ///< that were learned from
  std::size_t incomplete = 0;       ///< left out: not measured with all configurations
  std::string best_fixed;           ///< label of the configuration that is best on average
  /// The selector that came with the program is better than the model, and should be used instead.
  bool shipped_is_better = false;
};

/// Names of the ways.
inline constexpr const char* new_selector_name = "new selector";
inline constexpr const char* best_fixed_way_name = "best fixed configuration";
inline constexpr const char* shipped_selector_name = "shipped selector";

/// What to say when there is nothing to learn from yet.
inline constexpr const char* nothing_complete =
    "no graph has been measured with all configurations yet; run the same command again to go on, or give it more time "
    "with --budget";

/// Learns from those instances that were measured with all configurations. The model chooses among several configurations
/// only if such a choice is, cross-validated over graphs, better than the best fixed one; otherwise it knows that one
/// only, and is never worse. @throws work_error when no graph was measured with all configurations
[[nodiscard]] tuned_selector make_tuned_selector(const selector::training_data& data, const selector::learning& learned,
                                                 double tolerance, std::size_t most_candidates);

}  // namespace mlmq::cli
