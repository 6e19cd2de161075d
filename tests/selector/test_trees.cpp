// SPDX-License-Identifier: Apache-2.0
// Trees as the runtime evaluates them, compared with XGBoost.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "selector/boosting.hpp"
#include "selector/specialise.hpp"
#include "selector/trees.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;

namespace {

/// Returns a record in which inputs are often unknown, and in which an unknown value matters in different ways. Trees
/// then have default sides of both kinds, even one below the other.
training_set with_unknown_inputs() {
  const std::array<std::size_t, 8> some{0, 3, 8, 11, 14, 17, 20, 26};
  training_set set = keep_candidates(synthetic::make(60), some);
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    if (w % 3 == 0) set.workloads[w].features[5] = 0;
    if (w % 4 == 0) set.workloads[w].features[3] = NAN;
  }
  for (observation& measurement : set.observations) {
    const bool unknown = set.workloads[measurement.workload].features[5] == 0;
    if (unknown)
      measurement.milliseconds *= 1 + static_cast<double>((measurement.candidate * 7 + measurement.workload) % 5);
  }
  return set;
}

struct learning_rows {
  input_encoding encoding;
  dense_matrix inputs;
  std::vector<float> labels;  ///< labels of the first candidate
};

learning_rows rows_of(const training_set& set) {
  const performance_matrix performance(set);
  learning_rows rows;
  rows.encoding = encode_inputs(set.features);
  rows.inputs.columns = rows.encoding.size();
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    const std::vector<float> inputs = rows.encoding.inputs(set.workloads[w].features);
    rows.inputs.values.insert(rows.inputs.values.end(), inputs.begin(), inputs.end());
    rows.labels.push_back(static_cast<float>(performance.relative(w, 0)));
    ++rows.inputs.rows;
  }
  return rows;
}

dense_matrix matrix_of(const std::vector<std::vector<float>>& rows) {
  dense_matrix matrix{rows.size(), rows.front().size(), {}};
  for (const auto& row : rows) matrix.values.insert(matrix.values.end(), row.begin(), row.end());
  return matrix;
}

std::vector<float> scores_of(const tree_data& trees, const std::vector<float>& inputs, std::size_t candidates) {
  std::vector<float> scores(candidates, 0.0F);
  runtime::add_trees(trees.view(), inputs.data(), inputs.size(), candidates, scores.data());
  return scores;
}

}  // namespace

TEST_CASE("the runtime comes to the leaves that XGBoost comes to") {
  const learning_rows rows = rows_of(with_unknown_inputs());
  bool has_left_default = false;
  bool has_right_default = false;
  for (const int depth : {1, 3, 6, 9}) {
    CAPTURE(depth);
    const tree_grower grower(
        rows.inputs,
        {.max_depth = depth, .colsample = 0.5, .min_child_weight = 0, .tree_method = "hist", .max_bin = 64});
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
      std::vector<float> gradient;
      for (std::size_t i = 0; i < rows.labels.size(); ++i)
        gradient.push_back(rows.labels[i] - 0.1F * static_cast<float>((i * (seed + 3)) % 11));
      const xgboost_model grown = grower.grow(gradient, std::vector<float>(gradient.size(), 1.0F), seed);
      const forest parsed = parse_xgboost_json(grown.to_json());
      // The value of each leaf is its index.
      learned_tree tree;
      for (std::size_t index = 0; index < parsed.feature.size(); ++index) {
        learned_tree::node& node = tree.nodes.emplace_back();
        if (parsed.feature[index] < 0) {
          node.values = {static_cast<std::int16_t>(index)};
          continue;
        }
        (parsed.default_left[index] != 0 ? has_left_default : has_right_default) = true;
        node = {static_cast<std::size_t>(parsed.feature[index]),
                parsed.value[index],
                parsed.default_left[index] != 0,
                static_cast<std::size_t>(parsed.left_child[index]),
                {}};
      }
      const tree_data data = assemble({&tree, 1}, rows.encoding.size(), 1, 1.0F);
      check_trees(data, rows.encoding.size(), 1);
      synthetic::random numbers(seed + 8);
      const auto tried = synthetic::revealing_rows(synthetic::cuts_of(parsed, rows.encoding.size()), 500, numbers);
      const std::vector<std::int32_t> expected = grown.predict_leaves(matrix_of(tried));
      // XGBoost numbers nodes in order of creation: a leaf must always have the same number.
      std::map<int, int> number_of;
      std::size_t different = 0;
      for (std::size_t i = 0; i < tried.size(); ++i) {
        const auto leaf = static_cast<int>(scores_of(data, tried[i], 1)[0]);
        different += number_of.emplace(leaf, expected[i]).first->second != expected[i];
        different += static_cast<std::size_t>(leaf) != tree.leaf_of(tried[i]);
      }
      CHECK(different == 0);
      std::set<int> numbers_used;
      for (const auto& [at, number] : number_of) numbers_used.insert(number);
      CHECK(numbers_used.size() == number_of.size());
    }
  }
  CHECK((has_left_default && has_right_default));
}

TEST_CASE("sums over many trees are exact, whatever fills up the last group") {
  const learning_rows rows = rows_of(with_unknown_inputs());
  performance_rows recorded{rows.inputs, 3, {}};
  synthetic::random numbers(4);
  for (std::size_t i = 0; i < rows.inputs.rows * 3; ++i) recorded.relative.push_back(numbers.uniform());
  for (const int rounds : {1, 7, 8, 9, 50}) {
    train_settings settings = synthetic::quick_settings().trees;
    settings.rounds = rounds;
    const boosted_fit fit = fit_boosted(recorded, settings);
    const tree_data data = assemble(fit.trees, rows.encoding.size(), 3, fit.unit);
    check_trees(data, rows.encoding.size(), 3);
    CHECK(data.roots.size() % runtime::trees_per_group == 0);
    for (const auto& row : synthetic::revealing_rows(synthetic::cuts_of(data), 50, numbers)) {
      std::array<int, 3> sums{};
      for (const learned_tree& tree : fit.trees) {
        for (std::size_t c = 0; c < 3; ++c) sums.at(c) += tree.nodes[tree.leaf_of(row)].values[c];
      }
      const std::vector<float> scores = scores_of(data, row, 3);
      for (std::size_t c = 0; c < 3; ++c) REQUIRE(scores[c] == static_cast<float>(sums.at(c)) * fit.unit);
    }
  }
}

TEST_CASE("trees over candidates' columns are the same with those decided beforehand, also where they are divided") {
  const training_set set = with_unknown_inputs();
  const learning_rows rows = rows_of(set);
  const performance_matrix performance(set);
  const candidate_encoding encoding = encode(set.candidates);
  dense_matrix pairs{0, rows.encoding.size() + encoding.column_names.size(), {}};
  std::vector<float> labels;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    for (std::size_t c = 0; c < set.candidates.size(); ++c, ++pairs.rows) {
      const auto first = rows.inputs.values.begin() + static_cast<std::ptrdiff_t>(w * rows.inputs.columns);
      pairs.values.insert(pairs.values.end(), first, first + static_cast<std::ptrdiff_t>(rows.inputs.columns));
      pairs.values.insert(pairs.values.end(), encoding.rows[c].begin(), encoding.rows[c].end());
      labels.push_back(static_cast<float>(performance.relative(w, c)));
    }
  }
  const std::vector<std::string> names(pairs.columns, "input");
  std::vector<std::string> unique;
  for (std::size_t i = 0; i < names.size(); ++i) unique.push_back(names[i] + std::to_string(i));
  for (const int depth : {4, 12}) {
    CAPTURE(depth);
    const forest trees = parse_xgboost_json(
        xgboost_model::train(pairs, labels, unique, {.rounds = 4, .max_depth = depth, .eta = 1}).to_json());
    const float unit = unit_for(2);
    const std::vector<learned_tree> walked = specialised(trees, rows.encoding.size(), encoding.rows, unit);
    CHECK((walked.size() > 4) == (depth == 12));
    const tree_data data = assemble(walked, rows.encoding.size(), set.candidates.size(), unit);
    check_trees(data, rows.encoding.size(), set.candidates.size());
    synthetic::random numbers(2);
    for (const auto& row : synthetic::revealing_rows(synthetic::cuts_of(trees, rows.encoding.size()), 200, numbers)) {
      const std::vector<float> scores = scores_of(data, row, set.candidates.size());
      for (std::size_t c = 0; c < set.candidates.size(); ++c) {
        std::vector<float> whole = row;
        whole.insert(whole.end(), encoding.rows[c].begin(), encoding.rows[c].end());
        // The leaf of each tree is rounded once.
        REQUIRE(double{scores[c]} == Approx(double{trees.predict(whole) - trees.base_score}).margin(4 * double{unit}));
      }
    }
  }
}

TEST_CASE("numbers are rounded to units, and limited so that eight of them cannot overflow") {
  CHECK(unit_for(0.12) == 0x1p-15F);
  CHECK(double{unit_for(4095.0)} == 1.0);
  CHECK(in_units(0.5, 0x1p-10F) == 512);
  CHECK(in_units(-0.5, 0x1p-10F) == -512);
  CHECK(in_units(100, 0x1p-10F) == runtime::largest_leaf);
  CHECK(in_units(-100, 0x1p-10F) == -runtime::largest_leaf);
}

TEST_CASE("more inputs or cuts than a byte can name are refused") {
  std::vector<learned_tree> trees(300);
  for (std::size_t i = 0; i < trees.size(); ++i) {
    trees[i].nodes.resize(3);
    trees[i].nodes[0] = {0, static_cast<float>(i), true, 1, {}};
    trees[i].nodes[1].values = trees[i].nodes[2].values = {1};
  }
  CHECK_THROWS_AS(assemble(trees, 1, 1, 1.0F), input_error);
  CHECK_NOTHROW(assemble(std::span(trees).first(254), 1, 1, 1.0F));
  CHECK_THROWS_AS(assemble(std::span(trees).first(1), 128, 1, 1.0F), input_error);
}
