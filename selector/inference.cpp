// SPDX-License-Identifier: Apache-2.0
#include "selector/inference.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace mlmq::selector {

selector selector::from_model_file(const std::filesystem::path& file) { return selector(load_model(file)); }

selector::selector(const model& model)
    : scorer_(make_scorer(model)), candidates_(model.candidates), provenance_(model.provenance), times_(model.times) {
  if (!times_) return;
  check_times(*times_);
  for (const std::string& name : times_->features) {
    const auto place = scorer_.graph.place_of(name);
    if (!place)
      throw input_error("selector model: its expected times need the feature '" + name +
                        "', which its choice does not ask for");
    time_features_.push_back(*place);
  }
}

std::vector<double> selector::expected_by_size(double vertices, double edges) const {
  if (!times_) return {};
  const std::array<float, 2> size{static_cast<float>(vertices), static_cast<float>(edges)};
  return times_->by_size.milliseconds(size, vertices + edges);
}

std::vector<double> selector::expected(std::span<const double> features, double vertices, double edges) const {
  if (!times_) return {};
  std::vector<float> values;
  for (const std::size_t place : time_features_) values.push_back(to_float32(features[place]));
  return times_->by_features.milliseconds(values, vertices + edges);
}

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
