// SPDX-License-Identifier: Apache-2.0
#include "selector/inference.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "selector/encoding.hpp"

namespace mlmq::selector {

selector selector::from_model_file(const std::filesystem::path& file) { return selector(load_model(file)); }

selector::selector(const model& model)
    : forest_(parse_xgboost_json(model.xgboost_json)),
      candidates_(model.candidates),
      encodings_(model.encodings),
      provenance_(model.provenance) {
  const bool fits = std::all_of(encodings_.begin(), encodings_.end(), [&](const auto& encoding) {
    return graph_feature_count + encoding.size() == forest_.feature_count;
  });
  if (candidates_.empty() || encodings_.size() != candidates_.size() || !fits)
    throw input_error("selector model: its candidates do not fit its trees");
}

std::vector<float> selector::predict_all(const graph_features& features) const {
  std::vector<float> row(forest_.feature_count);
  const auto graph = to_float32(features);
  std::copy(graph.begin(), graph.end(), row.begin());
  std::vector<float> result;
  result.reserve(encodings_.size());
  for (const std::vector<float>& encoding : encodings_) {
    std::copy(encoding.begin(), encoding.end(), row.begin() + graph_feature_count);
    result.push_back(forest_.predict(row));
  }
  return result;
}

std::size_t selector::select(const graph_features& features) const {
  const std::vector<float> predictions = predict_all(features);
  return static_cast<std::size_t>(std::max_element(predictions.begin(), predictions.end()) - predictions.begin());
}

std::vector<ranked_candidate> selector::ranked(const graph_features& features) const {
  std::vector<ranked_candidate> result;
  for (float prediction : predict_all(features)) result.push_back({result.size(), prediction});
  std::stable_sort(result.begin(), result.end(),
                   [](const ranked_candidate& a, const ranked_candidate& b) { return a.predicted > b.predicted; });
  return result;
}

}  // namespace mlmq::selector
