// SPDX-License-Identifier: Apache-2.0
#include "selector/learning_curve.hpp"

#include <utility>

namespace mlmq::selector {

std::vector<curve_point> learning_curve(const training_set& set, const learning& learned, evaluation_options options,
                                        std::span<const double> shares) {
  std::vector<curve_point> curve;
  const auto on_progress = std::exchange(options.on_progress, nullptr);
  for (const double share : shares) {
    options.train_share = share;
    if (on_progress) {
      options.on_progress = [&](std::size_t finished, std::size_t folds) {
        on_progress(curve.size() * folds + finished, shares.size() * folds);
      };
    }
    const evaluation_report report = evaluate(set, std::span(&learned, 1), options);
    curve.push_back({share, report.mean_training_workloads, score_of(report, report.strategies.front()).value(),
                     score_of(report, report.strategy(best_candidate_name)).value()});
  }
  return curve;
}

}  // namespace mlmq::selector
