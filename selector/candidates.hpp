// SPDX-License-Identifier: Apache-2.0
// Fewer candidates with almost the same best times, so that choosing is easier and the exported header stays small.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "selector/training_set.hpp"

namespace mlmq::selector {

/// What the best of the candidates so far reaches on the workloads that any candidate solved: an oracle's score.
struct candidate_step {
  std::size_t candidate = 0;  ///< added in this step
  double within = 0;          ///< share of the workloads on which the best is within the tolerance of the best of all
  double near_best = 0;       ///< share with a relative performance of at least 0.9
  double mean_relative = 0;   ///< mean relative performance of the best
  double worst = 0;           ///< its lowest
};

/// Greedy choice: each step takes the candidate that raises most the sum over the workloads of
/// min(relative performance of the best, 1 / (1 + tolerance)), so that it is neither wasted on workloads that are served
/// already nor lost on workloads that no single step can serve; of equals the one with the higher mean relative
/// performance, then the lower index. Ends when every workload is within the tolerance, or after `most` steps.
/// @param tolerance 0.05 means within 5 %; 0 keeps a best candidate of every workload.
/// @param most 0: as many as the tolerance needs
/// @throws input_error for a tolerance that is negative or not a number, or when no candidate solved any workload.
[[nodiscard]] std::vector<candidate_step> candidate_steps(const performance_matrix& performance, double tolerance,
                                                          std::size_t most = 0);

/// The candidates of those steps that are needed: one whose loss leaves every workload as well served, up to the tolerance,
/// as with all of them (chosen early, overtaken by later ones together) is left out.
/// @returns indices, ascending; for keep_candidates().
/// @throws input_error as above
[[nodiscard]] std::vector<std::size_t> covering_candidates(const performance_matrix& performance, double tolerance,
                                                           std::size_t most = 0);

/// The steps as an aligned table with the candidates' labels, ending with a newline.
[[nodiscard]] std::string to_table(const std::vector<candidate_step>& steps, const training_set& set, double tolerance);

}  // namespace mlmq::selector
