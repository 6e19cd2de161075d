// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <numeric>

#include "selector/importance.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq::selector;

TEST_CASE("the inputs that decide the times are found, and shares add up") {
  // Only the number of vertices decides which of the two is faster (unevenly: no first split improves an even
  // division).
  training_set set;
  set.features = synthetic::features;
  set.candidates = {{"a", {{"l1", "none"}}}, {"b", {{"l1", "vector"}}}};
  synthetic::random numbers(3);
  for (std::size_t g = 0; g < 60; ++g) {
    const double m = 1000 + 1000 * static_cast<double>(g);
    set.workloads.push_back({std::to_string(g),
                             std::to_string(g),
                             "",
                             {m, 1e5 * numbers.uniform(), 3, 7 + numbers.uniform(), 1, numbers.uniform(), 1, 9}});
    set.observations.push_back({g, 0, g < 20 ? 1.0 : 2.0, true});
    set.observations.push_back({g, 1, g < 20 ? 2.0 : 1.0, true});
  }
  for (const method kind : all_methods) {
    INFO(to_string(kind));
    const model trained = train_model(set, synthetic::quick_settings(kind), {});
    const auto inputs = importance_of(trained);
    REQUIRE(inputs.size() == trained.inputs.size());
    CHECK(inputs[0].name == "m");
    double sum = 0;
    for (const input_importance& input : inputs) sum += input.share;
    // In a forest, the candidates' columns have the rest of the importance.
    if (kind == method::forest) {
      CHECK(sum < 1);
    } else {
      CHECK(sum == Approx(1));
    }
    for (std::size_t i = 1; i < inputs.size(); ++i) CHECK(inputs[i - 1].share >= inputs[i].share);
    for (const input_importance& input : inputs) {
      if (input.name == "avg_nnz") CHECK(input.share == 0);  // this input is the same for all workloads
    }
  }
}
