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

std::vector<ranked_label> ranked_labels(const runtime::model& model,
                                        const std::function<double(std::string_view)>& value) {
  std::vector<double> values;
  for (std::size_t i = 0; i < model.feature_count; ++i) values.push_back(value(model.features[i]));
  const std::vector<float> scores = scores_of(model, values.data());
  std::vector<ranked_label> all;
  for (const std::size_t one : order_by(scores)) all.push_back({.label = model.labels[one], .predicted = scores[one]});
  return all;
}

}  // namespace mlmq::selector
