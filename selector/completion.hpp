// SPDX-License-Identifier: Apache-2.0
// Estimates of times that a record lacks, so that workloads measured with other candidates can be learned from.
#pragma once

#include <cstddef>
#include <vector>

#include "selector/training_set.hpp"

namespace mlmq::selector {

/// Returns the workloads that were measured with the most candidates, ascending: only they say which candidate is the
/// best. At least a tenth of all workloads, and 32, count as complete; in a smaller set all do.
[[nodiscard]] std::vector<std::size_t> complete_workloads(const training_set& set);

/// Returns the set with the candidates that all complete workloads have. For the other workloads the missing ones are
/// estimated: kernel ridge regression over the complete workloads predicts the logarithm of the ratio to the best
/// measured time, from these ratios of the measured candidates and from the features. Predicted to take more than ten
/// times as long, a candidate counts as failed. Workloads with fewer than eight of the candidates are left out.
///
/// If all workloads are complete, the set is returned as it is.
/// @param set one instance per workload: mean_over_queries()
[[nodiscard]] training_set complete_missing_times(const training_set& set);

}  // namespace mlmq::selector
