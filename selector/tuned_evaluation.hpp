// SPDX-License-Identifier: Apache-2.0
// Compares strategies to choose a configuration for the user's own workloads, each scored on workloads that it did not
// learn from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selector/strategy_evaluation.hpp"
#include "selector/tuned_learner.hpp"

namespace mlmq::selector {

/// Choices of a selector for each own workload when held out; several candidates count with their mean.
using held_out_choices = std::vector<std::vector<std::size_t>>;

/// Scores a strategy. @param choices at least one per workload
[[nodiscard]] strategy_evaluation evaluate_strategy(const std::string& name, const performance_matrix& performance,
                                                    const held_out_choices& choices);

/// Choices from a cross-validation over groups of workloads.
struct tuned_evaluation {
  held_out_choices learned;  ///< choices of tuned_learner::learn()
  held_out_choices fixed;    ///< choices of tuned_learner::best_fixed()
};

/// Minimum number of groups of workloads for an evaluation.
inline constexpr std::size_t least_groups_to_evaluate = 4;
/// Returns the warning about fewer. @param groups their number and what they are: "3 graphs"
[[nodiscard]] std::string too_few_to_judge(std::size_t count, std::string_view groups);

/// Cross-validates the learner. @return nothing for fewer than least_groups_to_evaluate groups
[[nodiscard]] std::optional<tuned_evaluation> evaluate_tuned(const tuned_learner& learner, std::size_t folds = 10,
                                                             std::size_t repeats = 3, std::uint64_t seed = 1);

}  // namespace mlmq::selector
