// SPDX-License-Identifier: Apache-2.0
#include "db/statistics.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

using namespace mlmq::db;

TEST_CASE("the median of an odd number of samples is the middle one") {
  CHECK(median(std::vector<double>{9, 1, 5}) == 5);
}

TEST_CASE("the median of an even number of samples is the mean of the middle two") {
  CHECK(median(std::vector<double>{4, 1, 3, 100}) == 3.5);
}

TEST_CASE("one sample is its own median and has no spread") {
  CHECK(median(std::vector<double>{0.25}) == 0.25);
  CHECK(relative_spread(std::vector<double>{0.25}) == 0);
}

TEST_CASE("no samples is an error") {
  CHECK_THROWS_AS(median({}), std::invalid_argument);
  CHECK_THROWS_AS(relative_spread({}), std::invalid_argument);
  CHECK_THROWS_AS(quantile(std::vector<double>{1}, 1.5), std::invalid_argument);
}

TEST_CASE("the spread is the interquartile range over the median") {
  CHECK(relative_spread(std::vector<double>{5, 4, 3, 2, 1}) == Approx(2.0 / 3.0));
  CHECK(relative_spread(std::vector<double>{2, 2, 2, 2}) == 0);
  CHECK(relative_spread(std::vector<double>{0, 0}) == 0);
  CHECK(std::isinf(relative_spread(std::vector<double>{0, 0, 0, 4, 4})));
}

TEST_CASE("a slow first launch moves neither the median nor the spread much") {
  const std::vector<double> samples{12.7, 2.5, 2.5, 2.6, 2.5, 2.4, 2.5};
  CHECK(median(samples) == 2.5);
  CHECK(relative_spread(samples) < 0.05);
}

TEST_CASE("quantiles interpolate between samples") {
  CHECK(quantile(std::vector<double>{10, 20}, 0.25) == Approx(12.5));
  CHECK(quantile(std::vector<double>{10, 20}, 0) == 10);
  CHECK(quantile(std::vector<double>{10, 20}, 1) == 20);
}

TEST_CASE("the uncertainty of the median falls with the number of samples") {
  const auto alternating = [](int count) {
    std::vector<double> samples;
    for (int i = 0; i < count; ++i) samples.push_back(i % 2 == 0 ? 9 : 11);
    return samples;
  };
  CHECK(median_uncertainty(alternating(16)) == Approx(1.57 * 0.2 / 4));
  CHECK(median_uncertainty(alternating(64)) == Approx(1.57 * 0.2 / 8));
  CHECK(median_uncertainty(std::vector<double>{5, 5, 5}) == 0);
  CHECK(std::isinf(median_uncertainty(std::vector<double>{5, 5})));
  CHECK_THROWS_AS(median_uncertainty({}), std::invalid_argument);
}
