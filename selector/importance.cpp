// SPDX-License-Identifier: Apache-2.0
#include "selector/importance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "selector/forest.hpp"

namespace mlmq::selector {

namespace {

/// By how much the scores of the recorded graphs change, all candidates together, when a feature is unknown.
void weigh_kernel(const kernel_fit& fit, std::vector<input_importance>& result) {
  const std::size_t count = fit.point_count();
  std::vector<double> change(fit.features.size(), 0);
  double total = 0;
  for (std::size_t point = 0; point < count; ++point) {
    const auto first = fit.points.begin() + static_cast<std::ptrdiff_t>(point * fit.features.size());
    kernel_place place(first, first + static_cast<std::ptrdiff_t>(fit.features.size()));
    std::vector<float> known(fit.candidates, 0.0F);
    fit.add(place, known);
    for (std::size_t f = 0; f < fit.features.size(); ++f) {
      std::vector<float> unknown(fit.candidates, 0.0F);
      const std::uint8_t was = std::exchange(place[f], kernel_average);
      fit.add(place, unknown);
      place[f] = was;
      for (std::size_t c = 0; c < fit.candidates; ++c) change[f] += std::abs(double{known[c]} - double{unknown[c]});
    }
  }
  for (const double one : change) total += one;
  for (std::size_t f = 0; f < fit.features.size(); ++f) {
    input_importance& input = result.at(fit.features[f]);
    if (total > 0) input.gain = change[f] / total;
    if (input.gain > 0) input.splits = count;
  }
}

}  // namespace

std::vector<input_importance> importance_of(const model& model) {
  std::vector<input_importance> result;
  for (const std::string& name : model.feature_names) result.push_back({name, 0, 0});
  for (const model_member& member : model.members) {
    if (member.kernel) {
      weigh_kernel(*member.kernel, result);
      continue;
    }
    const forest trees = parse_xgboost_json(member.xgboost_json);
    if (trees.feature_count > result.size()) throw input_error("selector model: its inputs do not fit its trees");
    double total = 0;
    for (const float gain : trees.gain) total += double{gain};
    for (std::size_t node = 0; node < trees.feature.size(); ++node) {
      if (trees.feature[node] < 0) continue;
      input_importance& input = result[static_cast<std::size_t>(trees.feature[node])];
      ++input.splits;
      if (total > 0) input.gain += double{trees.gain[node]} / total / static_cast<double>(model.members.size());
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const input_importance& a, const input_importance& b) { return a.gain > b.gain; });
  return result;
}

}  // namespace mlmq::selector
