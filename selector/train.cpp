// SPDX-License-Identifier: Apache-2.0
#include "selector/train.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "selector/boosting.hpp"
#include "selector/encoding.hpp"
#include "selector/specialise.hpp"

namespace mlmq::selector {
namespace {

/// Features of a kernel fit, in addition to kernel_ratios, all with equal importance. Edge weights are represented only
/// by their distribution, because a configuration's bucket width is a multiple of the average weight. Tuning the
/// importance of each feature did no better on held-out workloads (docs/internals/selector.md).
constexpr std::array<std::string_view, 17> kernel_features{
    "m",          "nnz",        "max_nnz",     "dev_nnz",          "degree_p10",       "degree_p50",
    "degree_p90", "degree_p99", "hub_ratio",   "degree_variation", "weight_variation", "weight_skew",
    "hops",       "frontier",   "reach_share", "clustering",       "edge_span"};

/// Encodes the workloads, without those that no candidate solved. @param ordered in canonical order
performance_rows rows_of(const training_set& ordered, const input_encoding& encoding) {
  const performance_matrix performance(ordered);
  performance_rows result;
  result.candidates = ordered.candidates.size();
  result.inputs.columns = encoding.size();
  for (std::size_t w = 0; w < ordered.workloads.size(); ++w) {
    if (!performance.solved(w)) continue;
    const std::vector<float> inputs = encoding.inputs(ordered.workloads[w].features);
    result.inputs.values.insert(result.inputs.values.end(), inputs.begin(), inputs.end());
    ++result.inputs.rows;
    for (std::size_t c = 0; c < result.candidates; ++c)
      result.relative.push_back(performance.measured(w, c) ? performance.relative(w, c) : -1.0);
  }
  return result;
}

/// Stores the trees with only those inputs that they compare.
void store_trees(model& result, const input_encoding& offered, std::vector<learned_tree> trees, float unit,
                 const std::vector<double>& importance) {
  std::vector<bool> is_compared(offered.size(), false);
  for (const learned_tree& tree : trees) {
    for (const learned_tree::node& node : tree.nodes) {
      if (node.left_child != 0) is_compared[node.input] = true;
    }
  }
  kept_inputs reduced = keep_inputs(offered, is_compared);
  for (learned_tree& tree : trees) {
    for (learned_tree::node& node : tree.nodes) node.input = reduced.renamed[node.input];
  }
  result.trees = assemble(trees, reduced.encoding.size(), result.candidates.size(), unit);
  result.importance.assign(reduced.encoding.size(), 0);
  for (std::size_t i = 0; i < offered.size(); ++i) {
    if (is_compared[i]) result.importance[reduced.renamed[i]] = importance[i];
  }
  result.inputs = std::move(reduced.encoding);
}

void learn_boosted(model& result, const training_set& ordered, const learning& learned) {
  const input_encoding offered = encode_inputs(ordered.features);
  boosted_fit fit = fit_boosted(rows_of(ordered, offered), learned.trees);
  result.starts = std::move(fit.starts);
  store_trees(result, offered, std::move(fit.trees), fit.unit, fit.importance);
}

/// One row per measured pair of workload and candidate: inputs, then the candidate's columns.
struct pair_rows {
  dense_matrix inputs;
  std::vector<float> labels;
};

pair_rows pairs_of(const performance_rows& rows, const candidate_encoding& encoding) {
  pair_rows result;
  result.inputs.columns = rows.inputs.columns + encoding.column_names.size();
  for (std::size_t i = 0; i < rows.relative.size(); ++i) {
    if (rows.relative[i] < 0) continue;
    const auto first =
        rows.inputs.values.begin() + static_cast<std::ptrdiff_t>(i / rows.candidates * rows.inputs.columns);
    const std::vector<float>& columns = encoding.rows[i % rows.candidates];
    std::vector<float>& values = result.inputs.values;
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(rows.inputs.columns));
    values.insert(values.end(), columns.begin(), columns.end());
    result.labels.push_back(static_cast<float>(rows.relative[i]));
    ++result.inputs.rows;
  }
  return result;
}

void learn_forest(model& result, const training_set& ordered, const learning& learned) {
  const input_encoding offered = encode_inputs(ordered.features);
  const candidate_encoding encoding = encode(ordered.candidates);
  std::vector<std::string> names = offered.names();
  names.insert(names.end(), encoding.column_names.begin(), encoding.column_names.end());
  const pair_rows pairs = pairs_of(rows_of(ordered, offered), encoding);
  const forest trees =
      parse_xgboost_json(xgboost_model::train(pairs.inputs, pairs.labels, names, learned.trees).to_json());
  double largest = 0;
  std::vector<double> importance(names.size(), 0);
  double total = 0;
  for (std::size_t node_index = 0; node_index < trees.feature.size(); ++node_index) {
    if (trees.feature[node_index] < 0) {
      largest = std::max(largest, std::abs(double{trees.value[node_index]}));
    } else {
      importance[static_cast<std::size_t>(trees.feature[node_index])] += double{trees.gain[node_index]};
      total += double{trees.gain[node_index]};
    }
  }
  for (double& gain : importance) gain = total > 0 ? gain / total : 0;
  result.starts.assign(ordered.candidates.size(), trees.base_score);
  const float unit = unit_for(largest);
  store_trees(result, offered, specialised(trees, offered.size(), encoding.rows, unit), unit, importance);
}

/// Fits the kernel to the deviations from each candidate's mean relative performance, which is the prediction for a
/// workload without known features. Pairs without a measurement count as no deviation.
void learn_kernel(model& result, const training_set& ordered, const learning& learned) {
  const input_encoding offered = encode_inputs(ordered.features, kernel_ratios);
  const performance_rows recorded = rows_of(ordered, offered);
  const std::vector<bool> is_wanted = inputs_of_kernel(offered);
  result.starts = mean_performance(recorded);
  std::vector<double> targets;
  for (std::size_t i = 0; i < recorded.relative.size(); ++i)
    targets.push_back(recorded.relative[i] < 0 ? 0
                                               : recorded.relative[i] - double{result.starts[i % recorded.candidates]});
  kernel_fit fit = fit_kernel(recorded.inputs, is_wanted, targets, learned.kernel);
  std::vector<bool> is_used(offered.size(), false);
  for (const std::uint8_t input : fit.used) is_used[input] = true;
  kept_inputs reduced = keep_inputs(offered, is_used);
  for (std::uint8_t& input : fit.used) input = static_cast<std::uint8_t>(reduced.renamed[input]);
  result.importance = importance_of_inputs(fit, reduced.encoding.size());
  result.inputs = std::move(reduced.encoding);
  result.kernel = std::move(fit);
}

}  // namespace

std::vector<bool> inputs_of_kernel(const input_encoding& offered) {
  std::vector<bool> is_wanted;
  for (const std::string& name : offered.features)
    is_wanted.push_back(std::find(kernel_features.begin(), kernel_features.end(), name) != kernel_features.end());
  // Without any known feature, use all of them.
  if (std::find(is_wanted.begin(), is_wanted.end(), true) == is_wanted.end()) is_wanted.assign(is_wanted.size(), true);
  for (const input_encoding::ratio& ratio : offered.ratios) {
    const bool is_of_kernel =
        std::any_of(kernel_ratios.begin(), kernel_ratios.end(), [&](const feature_ratio& kernel_ratio) {
          return offered.features[ratio.numerator] == kernel_ratio.numerator &&
                 offered.features[ratio.denominator] == kernel_ratio.denominator;
        });
    is_wanted.push_back(is_of_kernel);
  }
  return is_wanted;
}

model train_model(const training_set& set, const learning& learned, const time_source& source) {
  validate(set);
  const training_set ordered = in_canonical_order(set);
  model result;
  result.candidates = ordered.candidates;
  switch (learned.algorithm) {
    case method::boosted:
      learn_boosted(result, ordered, learned);
      break;
    case method::kernel:
      learn_kernel(result, ordered, learned);
      break;
    case method::forest:
      learn_forest(result, ordered, learned);
      break;
  }
  result.provenance = {.source = source,
                       .training_set_hash = hash_of(ordered),
                       .workloads = ordered.workloads.size(),
                       .candidates = ordered.candidates.size(),
                       .observations = ordered.observations.size(),
                       .learned = learned,
                       .xgboost_version = xgboost_version()};
  return result;
}

}  // namespace mlmq::selector
