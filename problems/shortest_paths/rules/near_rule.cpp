// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/rules/near_rule.hpp"

#include <algorithm>
#include <cmath>

namespace mlmq::problems {
namespace {

// Fitted to the record of near_pull (scripts/near-choices; docs/notebook/performance.md, near_pull or queues).
/// The expected log of the time of the queue, divided by that of near_pull, is a constant and these, multiplied by base
/// 2 logs of the features.
constexpr double constant = -1.935;
constexpr double of_edges = 0.04089;
constexpr double of_longest_row = 0.1022;
constexpr double of_weight_variation = 0.03788;

/// Added to the variation, which is 0 if all weights are equal.
constexpr double least_variation = 0.05;
/// The variation of weights from 1 to 100 that are drawn at random, for graphs whose weights are unknown.
constexpr double usual_variation = 0.57;

}  // namespace

std::optional<std::string> near_search_for(const near_rule_features& features) {
  const double variation = std::isnan(features.weight_variation) ? usual_variation : features.weight_variation;
  const double gain = constant + of_edges * std::log2(features.edges) +
                      of_longest_row * std::log2(std::max(1.0, features.longest_row)) +
                      of_weight_variation * std::log2(variation + least_variation);
  // A comparison with NaN is false.
  if (!(gain > 0) || std::isnan(features.longest_row)) return std::nullopt;
  return "solver=near_pull,piece_edges=16,long_row=64,threads=768";
}

}  // namespace mlmq::problems
