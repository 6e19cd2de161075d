// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tests/support/share.hpp"

using mlmq::tests::share_of;
using mlmq::tests::test_share;

TEST_CASE("the shares of as many runs are all cases, and none is empty") {
  for (const std::uint64_t count : {1, 2, 3, 10}) {
    std::vector<std::uint64_t> values(count);
    for (std::uint64_t i = 0; i < count; ++i) values[i] = i;
    std::vector<std::uint64_t> seen;
    for (std::uint64_t number = 0; number < 3; ++number) {
      const auto share = share_of(values, {.index = number, .count = 3});
      CHECK(!share.empty());
      seen.insert(seen.end(), share.begin(), share.end());
    }
    std::ranges::sort(seen);
    const auto [first, last] = std::ranges::unique(seen);
    seen.erase(first, last);
    CHECK(seen == values);
  }
  CHECK(share_of(std::vector<int>{}, {.index = 2, .count = 3}).empty());
  CHECK(share_of(std::vector<int>{7, 8}, {}) == std::vector<int>{7, 8});
}

TEST_CASE("a share is a number and how many there are") {
  CHECK(test_share::parse("2/3").has(5));
  CHECK(!test_share::parse("2/3").has(6));
  for (const char* const wrong : {"", "1", "/3", "1/", "3/3", "1/0", "-1/3", "1/3 ", "a/b"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(test_share::parse(wrong), std::invalid_argument);
  }
}
