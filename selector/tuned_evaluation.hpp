// SPDX-License-Identifier: Apache-2.0
// Which way to choose a configuration is the best for workloads of one's own, judged on those that it did not learn from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "selector/judged_way.hpp"
#include "selector/tuned_learner.hpp"

namespace mlmq::selector {

/// What a selector chooses for each own workload that it did not learn from; several candidates count by their mean.
using held_out_choices = std::vector<std::vector<std::size_t>>;

/// @param choices at least one for each workload
[[nodiscard]] judged_way judge(const std::string& name, const performance_matrix& performance,
                               const held_out_choices& choices);

/// Cross-validated over groups of workloads.
struct tuned_evaluation {
  held_out_choices learned;  ///< of tuned_learner::learn()
  held_out_choices fixed;    ///< of tuned_learner::best_fixed()
};

/// Fewer groups of workloads say nothing about a way to choose.
inline constexpr std::size_t least_groups_to_judge = 4;

/// @return nothing for fewer groups than that
[[nodiscard]] std::optional<tuned_evaluation> evaluate_tuned(const tuned_learner& learner, std::size_t folds = 10,
                                                             std::size_t repeats = 3, std::uint64_t seed = 1);

}  // namespace mlmq::selector
