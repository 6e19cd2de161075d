// SPDX-License-Identifier: Apache-2.0
// A race finds the fastest entrant in as few runs as predictions and differences allow.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "selector/race.hpp"
#include "selector/simulated_queries.hpp"

using namespace mlmq::selector;

namespace {

/// Runs a race of entrants with these times, multiplied by noise.
void finish(race& candidates, const std::vector<double>& times, double deviation, portable_random& random) {
  while (!candidates.decided()) {
    const std::size_t next = candidates.next();
    candidates.note(next, times[next] * std::exp(deviation * normal(random)));
  }
}

constexpr std::array equally_good{0.9, 0.9, 0.9};
constexpr std::array two_good{0.9, 0.9};

}  // namespace

TEST_CASE("the next run goes to the leader, or to the entrant most likely to be faster") {
  race close(equally_good, 12);
  std::vector<std::size_t> order;
  const std::array times{1.0, 1.1, 1.05};
  while (!close.decided()) {
    order.push_back(close.next());
    close.note(order.back(), times[order.back()]);
  }
  // The third one runs once it is more likely to be faster than the second one.
  CHECK(std::vector<std::size_t>(order.begin(), order.begin() + 4) == std::vector<std::size_t>{0, 1, 2, 0});
  CHECK(close.runs() == order.size());
  CHECK(close.started() == 3);
  CHECK(close.leader() == 0);
}

TEST_CASE("a race of entrants that are equally good ends when no run is left") {
  race equal(equally_good, 12);
  while (!equal.decided()) equal.note(equal.next(), 2.0);
  CHECK(equal.runs() == 12);
  CHECK(equal.leader() == 0);
}

TEST_CASE("a race whose winner is sure ends after half of the runs") {
  portable_random random(1);
  race unequal(equally_good, 100);
  finish(unequal, {2, 1, 3}, 0.01, random);
  CHECK(unequal.leader() == 1);
  CHECK(unequal.runs() == 50);
}

TEST_CASE("an entrant that is predicted to be slow does not run, unless the better ones disappoint") {
  constexpr std::array predicted{0.9, 0.88, 0.3};
  portable_random random(1);
  race expected(predicted, 24);
  finish(expected, {1 / 0.9, 1 / 0.88, 1 / 0.3}, 0.05, random);
  CHECK(expected.started() == 2);
  CHECK(expected.leader() == 0);
  // The second one turns out to be slow: the third one may be faster.
  constexpr std::array less_sure{0.9, 0.88, 0.8};
  race surprising(less_sure, 24);
  finish(surprising, {1, 1.3, 0.8}, 0.02, random);
  CHECK(surprising.started() == 3);
  CHECK(surprising.leader() == 2);
}

TEST_CASE("the prediction decides between entrants whose times differ by less than the noise") {
  portable_random random(1);
  constexpr std::array predicted{0.95, 0.85};
  race close(predicted, 4);
  finish(close, {1.02, 1}, 0, random);
  CHECK(close.leader() == 0);
  const std::array unknown{std::nan(""), std::nan("")};
  race measured(unknown, 4);
  finish(measured, {1.02, 1}, 0, random);
  CHECK(measured.leader() == 1);
}

TEST_CASE("an entrant that fails is out") {
  race failing(two_good, 8);
  failing.note(failing.next(), std::numeric_limits<double>::infinity());
  CHECK(failing.decided());
  CHECK(failing.leader() == 1);
  CHECK(failing.started() == 1);
  race alone(std::array{0.9}, 2);
  CHECK(alone.decided());
  CHECK(alone.leader() == 0);
}

TEST_CASE("a faster entrant rarely loses because of noise") {
  int wrong = 0;
  portable_random random(7);
  for (int trial = 0; trial < 500; ++trial) {
    race noisy(two_good, 16);
    finish(noisy, {1, 0.8}, 0.1, random);
    wrong += noisy.leader() != 1 ? 1 : 0;
  }
  CHECK(wrong <= 5);
}
