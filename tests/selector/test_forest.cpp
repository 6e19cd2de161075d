// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "selector/forest.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

std::string replaced(std::string text, const std::string& old, const std::string& fresh) {
  const auto place = text.find(old);
  REQUIRE(place != std::string::npos);
  return text.replace(place, old.size(), fresh);
}

/// Trains a model of the relative performance of one candidate from features.
xgboost_model trained_with(const train_settings& settings, std::size_t workloads = 48) {
  const training_set set = synthetic::make(workloads);
  const performance_matrix performance(set);
  dense_matrix inputs{set.workloads.size(), set.features.size(), {}};
  std::vector<float> labels;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    for (const double value : set.workloads[w].features) inputs.values.push_back(static_cast<float>(value));
    labels.push_back(static_cast<float>(performance.relative(w, 3)));
  }
  for (std::size_t i = 0; i < inputs.values.size(); i += 7) inputs.values[i] = std::nanf("");
  return xgboost_model::train(inputs, labels, set.features, settings);
}

std::string tiny_json() { return trained_with({.rounds = 2, .max_depth = 2}).to_json(); }

void check_equals_xgboost(const xgboost_model& reference, std::size_t random_rows) {
  const forest trees = parse_xgboost_json(reference.to_json());
  synthetic::random numbers(5);
  const auto rows = synthetic::revealing_rows(synthetic::cuts_of(trees, trees.feature_count), random_rows, numbers);
  dense_matrix matrix{rows.size(), trees.feature_count, {}};
  for (const auto& row : rows) matrix.values.insert(matrix.values.end(), row.begin(), row.end());
  const std::vector<float> expected = reference.predict(matrix);
  std::size_t different = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(trees.predict(rows[i])) != std::bit_cast<std::uint32_t>(expected[i])) ++different;
  }
  CHECK(rows.size() > random_rows);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("the forest's predictions equal XGBoost's, bit for bit") {
  check_equals_xgboost(trained_with({.rounds = 40, .max_depth = 5}), 20000);
  check_equals_xgboost(trained_with({.rounds = 2, .max_depth = 2}), 1000);
  check_equals_xgboost(
      trained_with({.rounds = 150, .max_depth = 8, .subsample = 0.7, .min_child_weight = 0, .tree_method = "hist"}),
      20000);
}

TEST_CASE("base_score is read in every form that XGBoost has written") {
  const std::string scalar = tiny_json();
  const std::string old = R"("base_score":"5E-1")";
  CHECK(parse_xgboost_json(scalar).base_score == 0.5F);
  CHECK(parse_xgboost_json(replaced(scalar, old, R"("base_score":"[2.5E-1]")")).base_score == 0.25F);
  CHECK(parse_xgboost_json(replaced(scalar, old, R"("base_score":[0.25])")).base_score == 0.25F);
  CHECK(parse_xgboost_json(replaced(scalar, old, R"("base_score":["2.5E-1"])")).base_score == 0.25F);
  CHECK(parse_xgboost_json(replaced(scalar, old, R"("base_score":1)")).base_score == 1.0F);
  for (const char* bad : {R"("[1,2]")", R"([1,2])", R"("nan")", R"("")", R"("[]")", R"("half")", "null", "{}"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_xgboost_json(replaced(scalar, old, std::string(R"("base_score":)") + bad)), input_error);
  }
}

TEST_CASE("models that the walk cannot evaluate are refused with the reason") {
  const std::string text = tiny_json();
  const auto check_refused = [&](const std::string& old, const std::string& fresh, const std::string& reason) {
    INFO(fresh);
    CHECK_THROWS_AS(parse_xgboost_json(replaced(text, old, fresh)), input_error);
    CHECK_THROWS_WITH(parse_xgboost_json(replaced(text, old, fresh)), Contains(reason));
  };
  check_refused("reg:squarederror", "reg:logistic", "objective 'reg:logistic' is not supported, only reg:squarederror");
  check_refused(R"("loss_changes":[)", R"("loss_changes":[1,)", "differ in length");
  check_refused(R"("name":"gbtree")", R"("name":"dart")", "booster 'dart' is not supported");
  check_refused(R"("categories_nodes":[])", R"("categories_nodes":[0])", "categorical");
  check_refused(R"("split_type":[0)", R"("split_type":[1)", "categorical");
  check_refused(R"("num_class":"0")", R"("num_class":"3")", "several outputs");
  check_refused(R"("num_target":"1")", R"("num_target":"2")", "several outputs");
  check_refused(R"("num_trees":"2")", R"("num_trees":"3")", "number of trees");
  check_refused(R"("num_class":"0","num_feature":")", R"("num_class":"0","num_feature":"-)", "features; supported");
  check_refused(R"("left_children":[1)", R"("left_children":[99)", "has a child 99");
  check_refused(R"("left_children":[1)", R"("left_children":[-7)", "has a child -7");
  check_refused(R"("left_children":[1)", R"("left_children":[2)", "two parents");
  check_refused(R"("left_children":[1)", R"("left_children":[0)", "two parents");
  check_refused(R"("left_children":[1)", R"("left_children":[1,1)", "differ in length");
  check_refused(R"("left_children":[1)", R"("left_children":[1.5)", "other than integers");
  check_refused(R"("split_indices":[)", R"("split_indices":[40,)", "differ in length");
  check_refused(R"("split_conditions":[)", R"("split_conditions":[1e60,)", "number overflow");
}

TEST_CASE("a damaged model file never crashes the reader") {
  const std::string text = tiny_json();
  REQUIRE_NOTHROW(parse_xgboost_json(text));
  std::size_t accepted = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      (void)parse_xgboost_json(std::string_view(text).substr(0, length));
      ++accepted;
    } catch (const input_error&) {
    }
  }
  CHECK(accepted == 0);

  // A changed byte may leave a valid model, for example with another threshold. It must still be safe to evaluate.
  synthetic::random numbers(11);
  const std::string bytes = "0123456789-.,:[]{}\"eE xtrue\\\x01\xff";
  for (int i = 0; i < 4000; ++i) {
    std::string damaged = text;
    damaged[numbers.below(damaged.size())] = bytes[numbers.below(bytes.size())];
    try {
      const forest trees = parse_xgboost_json(damaged);
      const std::vector<float> row(trees.feature_count, static_cast<float>(i));
      (void)trees.predict(row);
    } catch (const input_error&) {
    }
  }
}
