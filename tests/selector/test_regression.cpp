// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "selector/regression.hpp"

using namespace mlmq;

TEST_CASE("boosted trees learn a step, also from columns with gaps, and always the same") {
  const tuner::regression learn = selector::boosted_trees();
  tuner::number_table training{.columns = 2, .values = {}};
  std::vector<float> labels;
  for (int i = 0; i < 20; ++i) {
    training.values.push_back(static_cast<float>(i));
    training.values.push_back(i % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : 1.0F);
    labels.push_back(i < 10 ? 2.0F : -1.0F);
  }
  const tuner::number_table queries{.columns = 2, .values = {3.5F, 1.0F, 15.5F, 1.0F, 4.0F, NAN}};
  CHECK(queries.rows() == 3);
  const std::vector<float> predicted = learn(training, labels, queries);
  REQUIRE(predicted.size() == 3);
  CHECK(std::abs(predicted[0] - 2) < 0.2);
  CHECK(std::abs(predicted[1] + 1) < 0.2);
  CHECK(std::abs(predicted[2] - 2) < 0.2);
  CHECK(learn(training, labels, queries) == predicted);
}
