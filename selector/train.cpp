// SPDX-License-Identifier: Apache-2.0
#include "selector/train.hpp"

#include "selector/encoding.hpp"

namespace mlmq::selector {

model train_model(const training_set& set, const train_settings& settings, const time_source& source) {
  validate(set);
  const training_set ordered = in_canonical_order(set);
  candidate_encoding encoding = encode(ordered.candidates);
  const performance_matrix performance(ordered);

  model result;
  result.feature_names = model_feature_names(encoding);
  dense_matrix inputs;
  inputs.columns = result.feature_names.size();
  std::vector<float> labels;
  for (const observation& one : ordered.observations) {
    if (!performance.solved(one.graph)) continue;
    const auto graph = to_float32(ordered.graphs[one.graph].features);
    const std::vector<float>& columns = encoding.rows[one.candidate];
    inputs.values.insert(inputs.values.end(), graph.begin(), graph.end());
    inputs.values.insert(inputs.values.end(), columns.begin(), columns.end());
    labels.push_back(static_cast<float>(performance.relative(one.graph, one.candidate)));
  }
  inputs.rows = labels.size();
  result.xgboost_json = xgboost_model::train(inputs, labels, result.feature_names, settings).to_json();
  result.candidates = ordered.candidates;
  result.encodings = std::move(encoding.rows);
  result.provenance = {
      source,   hash_of(ordered), ordered.graphs.size(), ordered.candidates.size(), ordered.observations.size(),
      settings, xgboost_version()};
  return result;
}

}  // namespace mlmq::selector
