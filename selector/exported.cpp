// SPDX-License-Identifier: Apache-2.0
#include "selector/exported.hpp"

#include <algorithm>
#include <numeric>

namespace mlmq::selector {

namespace {

std::vector<float> scores_of(const runtime::model& model, const double* values) {
  std::vector<float> scores(model.candidate_count);
  model.scores(values, scores.data());
  return scores;
}

std::vector<std::size_t> order_by(const std::vector<float>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

}  // namespace

std::vector<std::size_t> ranked_candidates(const runtime::model& model, const double* values) {
  return order_by(scores_of(model, values));
}

}  // namespace mlmq::selector
