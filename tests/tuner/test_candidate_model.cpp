// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tuner/candidate_model.hpp"

using namespace mlmq::tuner;

namespace {

constexpr std::size_t side = 21;

/// A grid of two parameters.
candidate_points grid() {
  candidate_points points{.groups = {0, 1}, .group_count = 2, .values = {}};
  for (std::size_t i = 0; i < side * side; ++i) {
    points.values.push_back(static_cast<float>(i % side) / (side - 1));
    points.values.push_back(static_cast<float>(i / side) / (side - 1));
  }
  return points;
}

/// Depends on the first parameter only, with the minimum at 14 of 0 … 20.
double bowl(std::size_t candidate) { return std::pow((static_cast<double>(candidate % side) - 14) / 10, 2); }

std::size_t most_promising(const std::vector<double>& improvements) {
  return static_cast<std::size_t>(std::ranges::max_element(improvements) - improvements.begin());
}

}  // namespace

TEST_CASE("the model finds the minimum of a smooth function") {
  candidate_model model(grid());
  for (const std::size_t start : {0u, 150u, 305u, 440u}) model.observe(start, bowl(start));
  double best = 1e9;
  for (int i = 0; i < 12; ++i) {
    const std::size_t next = most_promising(model.improvements());
    best = std::min(best, bowl(next));
    model.observe(next, bowl(next));
  }
  CHECK(best == 0);
}

TEST_CASE("the model avoids the neighbourhood of failures") {
  candidate_model model(grid());
  for (const std::size_t start : {0u, 150u, 305u, 440u}) model.observe(start, bowl(start));
  const std::size_t promising = most_promising(model.improvements());
  const double before = model.improvements()[promising];
  model.observe(promising, std::nullopt);
  CHECK(model.observed_times() == 4);
  CHECK(model.improvements()[promising] < 0.6 * before);
}

TEST_CASE("a candidate that is added has the same prediction as one that was there") {
  candidate_points complete_points = grid();
  candidate_points fewer_points = complete_points;
  fewer_points.values.resize(fewer_points.values.size() - 2);
  candidate_model complete(complete_points);
  candidate_model grown(fewer_points);
  for (const std::size_t start : {0u, 150u, 305u, 430u}) {
    complete.observe(start, bowl(start));
    grown.observe(start, bowl(start));
  }
  complete.observe(7, std::nullopt);
  grown.observe(7, std::nullopt);
  (void)grown.improvements();
  grown.append(std::vector<float>{1.0F, 1.0F});
  const std::vector<double> expected = complete.improvements();
  const std::vector<double> actual = grown.improvements();
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).epsilon(1e-4));
}

TEST_CASE("more observations than the model uses are accepted") {
  candidate_model model(grid());
  for (std::size_t i = 0; i < candidate_model::most_active + 60; ++i) model.observe(i, bowl(i) + 0.1);
  const std::vector<double> improvements = model.improvements();
  CHECK(std::ranges::all_of(improvements, [](double v) { return std::isfinite(v) && v >= 0; }));
}
