// SPDX-License-Identifier: Apache-2.0
#include "selector/inference.hpp"

#include <algorithm>

namespace mlmq::selector {

selector selector::from_model_file(const std::filesystem::path& file) { return selector(load_model(file)); }

selector::selector(const model& model)
    : scorer_(make_scorer(model)), candidates_(model.candidates), provenance_(model.provenance) {}

std::vector<float> selector::predict_all(std::span<const double> features) const {
  std::vector<float> result(candidates_.size());
  scorer_.score(features, result);
  return result;
}

std::size_t selector::select(std::span<const double> features) const {
  const std::vector<float> predictions = predict_all(features);
  return static_cast<std::size_t>(std::max_element(predictions.begin(), predictions.end()) - predictions.begin());
}

std::vector<ranked_candidate> selector::ranked(std::span<const double> features) const {
  std::vector<ranked_candidate> result;
  for (float prediction : predict_all(features)) result.push_back({result.size(), prediction});
  std::stable_sort(result.begin(), result.end(),
                   [](const ranked_candidate& a, const ranked_candidate& b) { return a.predicted > b.predicted; });
  return result;
}

}  // namespace mlmq::selector
