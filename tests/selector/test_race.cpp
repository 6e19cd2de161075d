// SPDX-License-Identifier: Apache-2.0
// A race finds the fastest entrant in as few runs as the differences allow.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "selector/race.hpp"
#include "selector/simulated_queries.hpp"

using namespace mlmq::selector;

TEST_CASE("entrants run in turn, as often as the race allows") {
  race equal(3, 4);
  std::vector<std::size_t> order;
  while (!equal.decided()) {
    order.push_back(equal.next());
    equal.note(order.back(), order.size() % 2 == 0 ? 1.0 : 1.1);
  }
  CHECK(order.size() == 12);
  CHECK(equal.runs() == 12);
  CHECK(std::vector<std::size_t>(order.begin(), order.begin() + 6) == std::vector<std::size_t>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("an entrant that is surely slower leaves early, and the last one wins") {
  race unequal(3, 100);
  const std::vector<double> times = {2, 1, 3};
  double noise = 0.01;
  while (!unequal.decided()) {
    const std::size_t next = unequal.next();
    noise = -noise;
    unequal.note(next, times[next] * (1 + noise));
  }
  CHECK(unequal.leader() == 1);
  CHECK(unequal.runs() < 15);
}

TEST_CASE("an entrant that fails is out") {
  race failing(2, 8);
  failing.note(failing.next(), std::numeric_limits<double>::infinity());
  CHECK(failing.decided());
  CHECK(failing.leader() == 1);
  race alone(1, 2);
  CHECK(alone.decided());
  CHECK(alone.leader() == 0);
}

TEST_CASE("a faster entrant rarely leaves because of noise") {
  int wrong = 0;
  portable_random random(7);
  for (int trial = 0; trial < 500; ++trial) {
    race noisy(2, 8);
    while (!noisy.decided()) {
      const std::size_t next = noisy.next();
      noisy.note(next, std::exp(0.1 * normal(random)) * (next == 1 ? 0.8 : 1));
    }
    wrong += noisy.leader() != 1 ? 1 : 0;
  }
  CHECK(wrong <= 5);
}
