// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>
#include <limits>

#include "base/time_limit.hpp"

using namespace mlmq;

TEST_CASE("a time limit in nanoseconds never overflows a clock", "[time_limit]") {
  CHECK(time_limit_ns_from_ms(2) == 2'000'000);
  CHECK(time_limit_ns_from_ms(1e-6) == 1);
  for (const double milliseconds : {1e12, 1e14, 1e300, std::numeric_limits<double>::max()}) {
    CHECK(time_limit_ns_from_ms(milliseconds) == 1'000'000'000'000'000'000);
    CHECK(std::chrono::steady_clock::now() + time_limit_from_ms(milliseconds) > std::chrono::steady_clock::now());
  }
}
