// SPDX-License-Identifier: Apache-2.0
#include "selector/boosting.hpp"

#include <algorithm>
#include <cmath>

#include "selector/forest.hpp"
#include "selector/random.hpp"

namespace mlmq::selector {
namespace {

/// Residuals seldom exceed this, so leaves of up to eta times this value lose no precision to their unit.
constexpr double largest_residual = 1.5;

/// XGBoost ignores a row with a weight of exactly 0, so excluded rows get this weight instead.
constexpr float excluded_weight = 1e-12F;

std::span<const float> row_of(const dense_matrix& matrix, std::size_t row) {
  return std::span(matrix.values).subspan(row * matrix.columns, matrix.columns);
}

/// Two different candidates; or, if there is only one candidate, that one alone.
struct projection {
  std::size_t plus = 0;
  std::size_t minus = 0;
  bool is_single = false;

  projection(std::size_t candidates, portable_random& random) : is_single(candidates == 1) {
    if (is_single) return;
    plus = random.below(candidates);
    minus = random.below(candidates - 1);
    if (minus >= plus) ++minus;
  }

  [[nodiscard]] double apply(std::span<const double> residuals) const {
    return residuals[plus] - (is_single ? 0 : residuals[minus]);
  }
};

double deviation_of(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

learned_tree structure_of(const forest& grown) {
  learned_tree tree;
  for (std::size_t node_index = 0; node_index < grown.feature.size(); ++node_index) {
    learned_tree::node& node = tree.nodes.emplace_back();
    if (grown.feature[node_index] < 0) continue;
    node.input = static_cast<std::size_t>(grown.feature[node_index]);
    node.threshold = grown.value[node_index];
    node.missing_left = grown.default_left[node_index] != 0;
    node.left_child = static_cast<std::size_t>(grown.left_child[node_index]);  // the right child follows it
  }
  return tree;
}

class booster {
 public:
  booster(const performance_rows& rows, const train_settings& settings)
      : rows_(rows), settings_(settings), grower_(rows.inputs, settings), random_(settings.seed) {
    result.starts = mean_performance(rows);
    result.unit = unit_for(settings.eta * largest_residual);
    result.importance.assign(rows.inputs.columns, 0);
    for (std::size_t i = 0; i < rows.relative.size(); ++i) {
      const double start = double{result.starts[i % rows.candidates]};
      residuals_.push_back(rows.relative[i] < 0 ? 0 : rows.relative[i] - start);
    }
  }

  void add_tree(std::uint32_t seed) {
    const forest grown = parse_xgboost_json(grow(seed).to_json());
    for (std::size_t node_index = 0; node_index < grown.feature.size(); ++node_index) {
      if (grown.feature[node_index] >= 0)
        result.importance[static_cast<std::size_t>(grown.feature[node_index])] += double{grown.gain[node_index]};
    }
    result.trees.push_back(structure_of(grown));
    fill(result.trees.back());
  }

  boosted_fit result;

 private:
  [[nodiscard]] xgboost_model grow(std::uint32_t seed) {
    const projection chosen(rows_.candidates, random_);
    std::vector<double> target;
    for (std::size_t row = 0; row < rows_.inputs.rows; ++row)
      target.push_back(chosen.apply(std::span(residuals_).subspan(row * rows_.candidates, rows_.candidates)));
    const double deviation = deviation_of(target);
    const double scale = deviation > 0 ? 1 / deviation : 1;
    std::vector<float> gradient;
    std::vector<float> hessian;
    for (const double value : target) {
      const bool is_kept = random_.uniform() < settings_.subsample;
      gradient.push_back(is_kept ? static_cast<float>(-value * scale) : 0.0F);
      hessian.push_back(is_kept ? 1.0F : excluded_weight);
    }
    return grower_.grow(gradient, hessian, seed);
  }

  /// Fills the leaves from all rows, including those that the structure was not learned from.
  void fill(learned_tree& tree) {
    const std::size_t width = rows_.candidates;
    std::vector<std::vector<double>> sums(tree.nodes.size(), std::vector<double>(width, 0));
    std::vector<double> counts(tree.nodes.size(), 0);
    std::vector<std::size_t> leaves;
    for (std::size_t row = 0; row < rows_.inputs.rows; ++row) {
      leaves.push_back(tree.leaf_of(row_of(rows_.inputs, row)));
      counts[leaves.back()] += 1;
      for (std::size_t c = 0; c < width; ++c) sums[leaves.back()][c] += residuals_[row * width + c];
    }
    for (std::size_t node_index = 0; node_index < tree.nodes.size(); ++node_index) {
      if (tree.nodes[node_index].left_child != 0) continue;
      const double share = settings_.eta / std::max(counts[node_index] + settings_.lambda, 1.0);
      for (const double sum : sums[node_index])
        tree.nodes[node_index].values.push_back(in_units(share * sum, result.unit));
    }
    for (std::size_t row = 0; row < rows_.inputs.rows; ++row) {
      for (std::size_t c = 0; c < width; ++c) {
        if (rows_.relative[row * width + c] < 0) continue;
        residuals_[row * width + c] -= double{result.unit} * tree.nodes[leaves[row]].values[c];
      }
    }
  }

  const performance_rows& rows_;
  const train_settings& settings_;
  tree_grower grower_;
  portable_random random_;
  std::vector<double> residuals_;  ///< rows × candidates; 0 where nothing was measured
};

}  // namespace

std::vector<float> mean_performance(const performance_rows& rows) {
  std::vector<double> sums(rows.candidates, 0);
  std::vector<double> counts(rows.candidates, 0);
  for (std::size_t i = 0; i < rows.relative.size(); ++i) {
    if (rows.relative[i] < 0) continue;
    sums[i % rows.candidates] += rows.relative[i];
    counts[i % rows.candidates] += 1;
  }
  std::vector<float> means;
  for (std::size_t c = 0; c < rows.candidates; ++c)
    means.push_back(counts[c] > 0 ? static_cast<float>(sums[c] / counts[c]) : 0.0F);
  return means;
}

boosted_fit fit_boosted(const performance_rows& rows, const train_settings& settings) {
  booster growing(rows, settings);
  for (int round = 0; round < settings.rounds; ++round)
    growing.add_tree(settings.seed + static_cast<std::uint32_t>(round));
  double total = 0;
  for (const double gain : growing.result.importance) total += gain;
  for (double& gain : growing.result.importance) gain = total > 0 ? gain / total : 0;
  return std::move(growing.result);
}

}  // namespace mlmq::selector
