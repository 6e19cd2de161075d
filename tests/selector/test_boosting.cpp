// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "selector/boosting.hpp"
#include "selector/encoding.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;

namespace {

performance_rows rows_of(const training_set& set) {
  const performance_matrix performance(set);
  performance_rows rows;
  rows.candidates = set.candidates.size();
  rows.inputs.columns = set.features.size();
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    for (const double value : set.workloads[w].features) rows.inputs.values.push_back(static_cast<float>(value));
    for (std::size_t c = 0; c < rows.candidates; ++c) rows.relative.push_back(performance.relative(w, c));
    ++rows.inputs.rows;
  }
  return rows;
}

train_settings settings_of(int rounds) {
  train_settings settings = synthetic::quick_settings().trees;
  settings.rounds = rounds;
  return settings;
}

/// Returns the mean squared error of the trees on their training rows.
double error_of(const performance_rows& rows, const boosted_fit& fit) {
  double sum = 0;
  for (std::size_t row = 0; row < rows.inputs.rows; ++row) {
    const std::span inputs = std::span(rows.inputs.values).subspan(row * rows.inputs.columns, rows.inputs.columns);
    for (std::size_t c = 0; c < rows.candidates; ++c) {
      double predicted = double{fit.starts[c]};
      for (const learned_tree& tree : fit.trees)
        predicted += double{fit.unit} * tree.nodes[tree.leaf_of(inputs)].values[c];
      sum += std::pow(predicted - rows.relative[row * rows.candidates + c], 2);
    }
  }
  return sum / static_cast<double>(rows.relative.size());
}

}  // namespace

TEST_CASE("more trees follow the record more closely") {
  const performance_rows rows = rows_of(synthetic::make());
  const double few = error_of(rows, fit_boosted(rows, settings_of(5)));
  const double some = error_of(rows, fit_boosted(rows, settings_of(30)));
  const double many = error_of(rows, fit_boosted(rows, settings_of(120)));
  CHECK(some < 0.5 * few);
  CHECK(many < some);
  CHECK(std::sqrt(many) < 0.05);
}

TEST_CASE("a leaf holds eta times the shrunk mean of the residuals, for every candidate") {
  const performance_rows rows = rows_of(synthetic::make(24));
  train_settings settings = settings_of(1);
  settings.lambda = 3;
  const boosted_fit fit = fit_boosted(rows, settings);
  REQUIRE(fit.trees.size() == 1);
  const learned_tree& tree = fit.trees[0];
  std::size_t leaves = 0;
  for (std::size_t index = 0; index < tree.nodes.size(); ++index) {
    if (tree.nodes[index].left_child != 0) continue;
    ++leaves;
    for (std::size_t c = 0; c < rows.candidates; ++c) {
      double sum = 0;
      double count = 0;
      for (std::size_t row = 0; row < rows.inputs.rows; ++row) {
        const std::span inputs = std::span(rows.inputs.values).subspan(row * rows.inputs.columns, rows.inputs.columns);
        if (tree.leaf_of(inputs) != index) continue;
        sum += rows.relative[row * rows.candidates + c] - double{fit.starts[c]};
        count += 1;
      }
      CHECK(double{fit.unit} * tree.nodes[index].values[c] ==
            Approx(settings.eta * sum / (count + 3)).margin(double{fit.unit}));
    }
  }
  CHECK(leaves > 1);
}

TEST_CASE("the same rows give the same trees, another seed others") {
  const performance_rows rows = rows_of(synthetic::make(24));
  const auto text = [&](const train_settings& settings) {
    const boosted_fit fit = fit_boosted(rows, settings);
    std::vector<double> values;
    for (const learned_tree& tree : fit.trees) {
      for (const learned_tree::node& node : tree.nodes) {
        values.push_back(double{node.threshold});
        values.insert(values.end(), node.values.begin(), node.values.end());
      }
    }
    return values;
  };
  train_settings settings = settings_of(10);
  CHECK(text(settings) == text(settings));
  settings.seed = 99;
  CHECK(text(settings) != text(settings_of(10)));
}

TEST_CASE("missing measurements have no effect, and a single candidate can be learned") {
  performance_rows rows = rows_of(synthetic::make(24));
  for (std::size_t row = 1; row < rows.inputs.rows; ++row) rows.relative[row * rows.candidates + 4] = -1;
  CHECK(mean_performance(rows)[4] == static_cast<float>(rows.relative[4]));
  const boosted_fit fit = fit_boosted(rows, settings_of(20));
  // The only measured value is the mean, so that no residual remains.
  for (const learned_tree& tree : fit.trees) {
    for (const learned_tree::node& node : tree.nodes) {
      if (node.left_child == 0) CHECK(node.values[4] == 0);
    }
  }
  performance_rows single = rows_of(keep_candidates(synthetic::make(24), std::vector<std::size_t>{7}));
  for (std::size_t i = 0; i < single.relative.size(); ++i) single.relative[i] = i % 2 == 0 ? 0.25 : 1;
  CHECK(fit_boosted(single, settings_of(3)).trees.size() == 3);
}

TEST_CASE("settings that make no sense are refused before anything is learned") {
  const performance_rows rows = rows_of(synthetic::make(6));
  train_settings settings = settings_of(3);
  settings.subsample = 0;
  CHECK_THROWS_AS(fit_boosted(rows, settings), input_error);
  settings = settings_of(3);
  settings.eta = 2;
  CHECK_THROWS_AS(fit_boosted(rows, settings), input_error);
}
