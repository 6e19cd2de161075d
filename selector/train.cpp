// SPDX-License-Identifier: Apache-2.0
#include "selector/train.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "selector/boosting.hpp"
#include "selector/encoding.hpp"
#include "selector/specialise.hpp"
#include "selector/tuned_model.hpp"

namespace mlmq::selector {
namespace {

/// Share of the kernel in the scores of method::combined; the trees have the rest.
constexpr double kernel_share = 2.0 / 3;

/// Features that describe few workloads best, in addition to kernel_ratios. Edge weights are represented only by their
/// distribution, because a configuration's bucket width is a multiple of the average weight.
constexpr std::array<std::string_view, 17> kernel_features{
    "m",          "nnz",        "max_nnz",     "dev_nnz",          "degree_p10",       "degree_p50",
    "degree_p90", "degree_p99", "hub_ratio",   "degree_variation", "weight_variation", "weight_skew",
    "hops",       "frontier",   "reach_share", "clustering",       "edge_span"};

bool is_kernel_ratio(const input_encoding& inputs, const input_encoding::ratio& ratio) {
  return std::any_of(kernel_ratios.begin(), kernel_ratios.end(), [&](const feature_ratio& kernel_ratio) {
    return inputs.features[ratio.numerator] == kernel_ratio.numerator &&
           inputs.features[ratio.denominator] == kernel_ratio.denominator;
  });
}

/// Encodes the workloads, without those that no candidate solved. @param ordered in canonical order
/// @param squared whether to learn the squares of relative performances, which distinguish the best candidates better
performance_rows rows_of(const training_set& ordered, const input_encoding& encoding, bool squared) {
  const performance_matrix performance(ordered);
  performance_rows result;
  result.candidates = ordered.candidates.size();
  result.inputs.columns = encoding.size();
  for (std::size_t w = 0; w < ordered.workloads.size(); ++w) {
    if (!performance.solved(w)) continue;
    const std::vector<float> inputs = encoding.inputs(ordered.workloads[w].features);
    result.inputs.values.insert(result.inputs.values.end(), inputs.begin(), inputs.end());
    ++result.inputs.rows;
    for (std::size_t c = 0; c < result.candidates; ++c) {
      const double relative = performance.relative(w, c);
      result.relative.push_back(!performance.measured(w, c) ? -1.0 : squared ? relative * relative : relative);
    }
  }
  return result;
}

void learn_boosted(model& result, const training_set& ordered, const learning& learned) {
  result.inputs = encode_inputs(ordered.features);
  boosted_fit fit = fit_boosted(rows_of(ordered, result.inputs, result.squared), learned.trees);
  result.starts = std::move(fit.starts);
  result.trees = assemble(fit.trees, result.inputs.size(), result.candidates.size(), fit.unit);
  result.importance = std::move(fit.importance);
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
  result.inputs = encode_inputs(ordered.features);
  const candidate_encoding encoding = encode(ordered.candidates);
  std::vector<std::string> names = result.inputs.names();
  names.insert(names.end(), encoding.column_names.begin(), encoding.column_names.end());
  const pair_rows pairs = pairs_of(rows_of(ordered, result.inputs, result.squared), encoding);
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
  result.trees = assemble(specialised(trees, result.inputs.size(), encoding.rows, unit), result.inputs.size(),
                          result.candidates.size(), unit);
  importance.resize(result.inputs.size());  // splits on candidates' parameters have the rest
  result.importance = std::move(importance);
}

/// Fits a kernel to the deviations from each candidate's mean, which is the prediction for a workload without known
/// features. Pairs without a measurement count as no deviation. @param share factor of the deviations
kernel_fit fit_deviations(const performance_rows& rows, const std::vector<float>& means,
                          const std::vector<bool>& is_wanted, const kernel_settings& settings, double share) {
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows.relative.size(); ++i)
    targets.push_back(rows.relative[i] < 0 ? 0 : share * (rows.relative[i] - double{means[i % rows.candidates]}));
  return fit_kernel(rows.inputs, is_wanted, targets, settings);
}

void learn_kernel(model& result, const training_set& ordered, const learning& learned) {
  result.squared = true;
  result.inputs = encode_inputs(ordered.features, kernel_ratios);
  const performance_rows rows = rows_of(ordered, result.inputs, result.squared);
  result.starts = mean_performance(rows);
  result.kernel = fit_deviations(rows, result.starts, std::vector<bool>(result.inputs.size(), true), learned.kernel, 1);
}

void learn_combined(model& result, const training_set& ordered, const learning& learned) {
  result.squared = true;
  std::vector<feature_ratio> ratios(standard_ratios.begin(), standard_ratios.end());
  ratios.insert(ratios.end(), kernel_ratios.begin(), kernel_ratios.end());
  result.inputs = encode_inputs(ordered.features, ratios);
  performance_rows rows = rows_of(ordered, result.inputs, result.squared);
  result.starts = mean_performance(rows);
  std::vector<bool> is_wanted(ordered.features.size(), true);
  for (const input_encoding::ratio& ratio : result.inputs.ratios)
    is_wanted.push_back(is_kernel_ratio(result.inputs, ratio));
  result.kernel = fit_deviations(rows, result.starts, is_wanted, learned.kernel, kernel_share);
  for (double& relative : rows.relative) relative = relative < 0 ? relative : (1 - kernel_share) * relative;
  boosted_fit fit = fit_boosted(rows, learned.trees);
  result.trees = assemble(fit.trees, result.inputs.size(), result.candidates.size(), fit.unit);
  result.importance = std::move(fit.importance);
}

}  // namespace

std::vector<bool> inputs_of_kernel(const input_encoding& offered) {
  std::vector<bool> is_wanted;
  for (const std::string& name : offered.features)
    is_wanted.push_back(std::find(kernel_features.begin(), kernel_features.end(), name) != kernel_features.end());
  // Without any known feature, use all of them.
  if (std::find(is_wanted.begin(), is_wanted.end(), true) == is_wanted.end()) is_wanted.assign(is_wanted.size(), true);
  for (const input_encoding::ratio& ratio : offered.ratios) is_wanted.push_back(is_kernel_ratio(offered, ratio));
  return is_wanted;
}

model train_model(const training_set& set, const learning& learned, const time_source& source) {
  validate(set);
  const training_set ordered = in_canonical_order(set);
  model result;
  result.candidates = ordered.candidates;
  switch (learned.algorithm) {
    case method::combined:
      learn_combined(result, ordered, learned);
      break;
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
  result = with_used_inputs(std::move(result));
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
