// SPDX-License-Identifier: Apache-2.0
// Strategy `model`: a regression trained on the results of this workload proposes the fastest predicted configuration.
#pragma once

#include <vector>

#include "tuner/learning_strategy.hpp"

namespace mlmq::tuner {

/// Begins with recommended and random configurations. It then proposes the new configuration with the lowest predicted
/// time; candidates in a large space are a random sample and the neighbours of the best known ones. Every eighth
/// proposal is random, to expose errors of the model. Learns the logarithm of the time; a failure counts as twice the
/// slowest time.
class model_search final : public learning_strategy {
 public:
  /// @throws work_error without guide.learn
  model_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide);

 private:
  [[nodiscard]] configuration choose() override;
  void learn(const configuration& tried, std::optional<double> milliseconds) override;
  [[nodiscard]] std::vector<configuration> candidates();
  void rank();
  void add_row(number_table& table, const configuration& c) const;

  neighbourhood near_;
  regression learn_;
  std::size_t begin_with_;
  std::size_t chosen_ = 0;
  bool is_ranked_ = false;             // whether ranked_ reflects all reports
  std::vector<configuration> ranked_;  // the most promising last
};

}  // namespace mlmq::tuner
