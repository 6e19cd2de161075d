// SPDX-License-Identifier: Apache-2.0
// Reduces the candidates with almost no loss of performance, so that choosing is easier and the exported header stays
// small.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "selector/training_set.hpp"

namespace mlmq::selector {

/// Tolerance and maximum number of candidates of shipped selectors, and of commands without --tolerance and
/// --candidates.
inline constexpr double standard_tolerance = 0.03;
inline constexpr std::size_t standard_candidates = 32;  // more hardly improve choices: docs/notebook/selector.md

/// Interquartile range / median of a steady time: a standard deviation of 5 %.
inline constexpr double steady_spread = 0.067;

/// Step of the choice: the added candidate, and the score of an oracle that picks among the candidates chosen so far,
/// over the workloads that any candidate solved.
struct candidate_step {
  std::size_t candidate = 0;  ///< added in this step
  double within = 0;          ///< share of the workloads on which the best chosen candidate is within the tolerance
  double near_best = 0;       ///< share with a relative performance of at least 0.9
  double mean_relative = 0;   ///< mean relative performance of the best chosen candidate
  double worst = 0;           ///< lowest relative performance of the best chosen candidate
  /// Median spread of the added candidate over the workloads on which it is within 0.9 of the best; NaN: there are
  /// none.
  double spread = 0;
};

/// Chooses candidates greedily: each step takes the candidate that most raises the sum over the workloads of
/// min(relative performance of the best, 1 / (1 + tolerance)). The cap avoids steps for workloads that are already
/// within the tolerance, and the sum still rewards partial progress on the others. Gains that differ by less than 0.1 %
/// are ties. They go to the steadiest candidate (least mean spread beyond steady_spread), then to the higher mean
/// relative performance, then to the lower index. Stops when every workload is within the tolerance, or after `most`
/// steps.
/// @param tolerance 0.05 means within 5 %; with 0, a best candidate of every workload is chosen
/// @param most maximum number of steps; 0: as many as the tolerance needs
/// @throws input_error for a tolerance that is negative or not a number, or if no candidate solved any workload
[[nodiscard]] std::vector<candidate_step> candidate_steps(const training_set& set, double tolerance,
                                                          std::size_t most = 0);

/// Returns the candidates of those steps that are needed. A candidate is dropped if every workload performs as well
/// without it, up to the tolerance; later steps can make an earlier candidate redundant.
/// @return indices for keep_candidates(), ascending
/// @throws input_error like candidate_steps()
[[nodiscard]] std::vector<std::size_t> covering_candidates(const training_set& set, double tolerance,
                                                           std::size_t most = 0);

/// Formats the steps as an aligned table with the candidates' labels, ending with a newline.
[[nodiscard]] std::string to_table(const std::vector<candidate_step>& steps, const training_set& set, double tolerance);

}  // namespace mlmq::selector
