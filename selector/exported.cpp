// SPDX-License-Identifier: Apache-2.0
#include "selector/exported.hpp"

#include <algorithm>
#include <numeric>

namespace mlmq::selector {

std::vector<std::size_t> ranked_candidates(const runtime::model& model, const double* values) {
  std::vector<float> scores(model.candidate_count);
  model.scores(values, scores.data());
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

std::string best_label(const runtime::model& model, const std::function<double(std::string_view)>& value,
                       const std::function<bool(const std::string&)>& usable) {
  std::vector<double> values;
  for (std::size_t i = 0; i < model.feature_count; ++i) values.push_back(value(model.features[i]));
  for (const std::size_t candidate : ranked_candidates(model, values.data())) {
    std::string label = model.labels[candidate];
    if (!usable || usable(label)) return label;
  }
  return "";
}

}  // namespace mlmq::selector
