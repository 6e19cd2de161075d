// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "selector/inference.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

TEST_CASE("methods have names") {
  std::set<std::string_view> names;
  for (const method one : all_methods) {
    CHECK(method_from(to_string(one)) == one);
    names.insert(to_string(one));
  }
  CHECK(names.size() == all_methods.size());
  CHECK_THROWS_WITH(method_from("guess"), Contains("'guess'") && Contains("relative, log_time"));
}

TEST_CASE("the methods are different models of the same record") {
  std::set<std::string> trees;
  for (const method one : all_methods) trees.insert(synthetic::quick_model(one).members.back().xgboost_json);
  CHECK(trees.size() == all_methods.size());  // one of them, the kernel's, is empty
  CHECK(synthetic::quick_model(method::ensemble).members.size() == 3);
}

TEST_CASE("relative and log_time predict what they say") {
  const training_set set = synthetic::make();
  const performance_matrix matrix(set);
  const class selector relative(synthetic::quick_model(method::relative));
  const class selector log_time(synthetic::quick_model(method::log_time));
  double error = 0;
  double log_error = 0;
  for (std::size_t g = 0; g < set.graphs.size(); ++g) {
    const auto predicted = relative.predict_all(synthetic::known(relative, set, set.graphs[g]));
    const auto predicted_log = log_time.predict_all(synthetic::known(log_time, set, set.graphs[g]));
    for (std::size_t c = 0; c < predicted.size(); ++c) {
      std::size_t original = 0;
      while (set.candidates[original].label != relative.label(c)) ++original;
      error = std::max(error, std::abs(double{predicted[c]} - matrix.relative(g, original)));
      log_error = std::max(log_error, std::abs(double{predicted_log[c]} - std::log(matrix.relative(g, original))));
    }
  }
  CHECK(error < 0.1);
  CHECK(log_error < 0.15);
}

TEST_CASE("what is best when nothing is known: trees that start at the mean need none for the best fixed candidate") {
  learning one = synthetic::quick_settings();
  one.trees.rounds = 1;
  one.trees.max_depth = 1;
  one.trees.eta = 1e-6;
  one.start_at_mean = true;
  const training_set set = synthetic::make();
  const class selector chooser(train_model(set, one, {}));
  const performance_matrix matrix(set);
  double best = 0;
  std::string label;
  for (std::size_t c = 0; c < set.candidates.size(); ++c) {
    double sum = 0;
    for (std::size_t g = 0; g < set.graphs.size(); ++g) sum += matrix.relative(g, c);
    if (sum > best) label = set.candidates[c].label;
    best = std::max(best, sum);
  }
  for (const graph_example& graph : set.graphs) {
    CHECK(chooser.label(chooser.select(synthetic::known(chooser, set, graph))) == label);
    CHECK(chooser.ranked(synthetic::known(chooser, set, graph))[0].predicted == Approx(best / 48).epsilon(1e-4));
  }
}

TEST_CASE("the cost-sensitive method spends itself on graphs where there is something to lose") {
  // Two kinds of graphs that no feature tells apart: on most, b is better; on few, b is a disaster.
  training_set set;
  set.features = synthetic::features;
  for (std::size_t g = 0; g < 20; ++g) {
    set.graphs.push_back({std::to_string(g), std::to_string(g), "", {1000, 2000, 2, 3, 1, 1, 0, 1}});
    set.observations.push_back({g, 0, g < 16 ? 1.25 : 1.0, true});
    set.observations.push_back({g, 1, g < 16 ? 1.0 : 10.0, true});
  }
  set.candidates = {{"a", {{"l1", "none"}}}, {"b", {{"l1", "vector"}}}};
  for (const method how : {method::cost_sensitive, method::classification}) {
    const class selector chooser(train_model(set, synthetic::quick_settings(how), {}));
    CHECK(chooser.label(chooser.select(synthetic::known(chooser, set, set.graphs[0]))) == "a");
  }
  // By the number of graphs that it wins, b is better, and so think the rankings.
  const class selector by_order(train_model(set, synthetic::quick_settings(method::pairwise), {}));
  CHECK(by_order.label(by_order.select(synthetic::known(by_order, set, set.graphs[0]))) == "b");
}

TEST_CASE("members must be a power of two") {
  learning one = synthetic::quick_settings();
  for (const int members : {0, -2, 3}) {
    one.members = members;
    CHECK_THROWS_WITH(train_model(synthetic::make(6), one, {}), Contains("members must be"));
  }
}

TEST_CASE("neither threads nor the order of the record change a model") {
  for (const method how : all_methods) {
    INFO(to_string(how));
    const training_set set = synthetic::make(24);
    learning one = synthetic::quick_settings(how);
    const model expected = train_model(set, one, {});
    training_set shuffled = set;
    std::reverse(shuffled.observations.begin(), shuffled.observations.end());
    CHECK(model_to_text(train_model(shuffled, one, {})) == model_to_text(expected));
    if (how == method::pairwise || how == method::ndcg) continue;  // they draw pairs in each thread
    if (how == method::kernel) continue;                           // it has one thread
    one.trees.nthread = 4;
    const model threaded = train_model(shuffled, one, {});
    for (std::size_t i = 0; i < expected.members.size(); ++i)
      CHECK(threaded.members[i].xgboost_json == expected.members[i].xgboost_json);
  }
}
