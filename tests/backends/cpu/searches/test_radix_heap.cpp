// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/radix_heap.hpp"

#include <catch2/catch.hpp>
#include <queue>
#include <random>
#include <vector>

using namespace mlmq::cpu;

TEST_CASE("a radix heap agrees with a comparing heap if no key is below the last one popped") {
  for (const std::uint32_t steps : {1U, 20U, 5000U, 400'000'000U}) {
    CAPTURE(steps);
    std::mt19937 random(7);
    radix_heap heap;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> expected;
    const auto push = [&](std::uint64_t distance, std::uint32_t vertex) {
      const auto bits = static_cast<std::uint32_t>(std::min<std::uint64_t>(distance, 0xFFFFFFFE));
      heap.push(make_entry(bits, vertex));
      expected.push(make_entry(bits, vertex));
    };
    push(0, 0);
    std::uint32_t pushed = 1;
    std::size_t popped = 0;
    std::size_t announced = 0;
    while (!heap.empty()) {
      entry_buffer& lowest = heap.lowest([&](entry) { ++announced; });
      REQUIRE(lowest.size() > 0);
      const mlmq::graph::distance_bits distance = distance_of(lowest[0]);
      // Some of the pushed ones are of no length and join the entries that are being read.
      for (std::size_t i = 0; i < lowest.size(); ++i, ++popped) {
        REQUIRE(distance_of(lowest[i]) == distance);
        REQUIRE_FALSE(expected.empty());
        REQUIRE(distance_of(expected.top()) == distance);
        expected.pop();
        for (int more = 0; more < 2 && pushed < 20'000; ++more)
          push(std::uint64_t{distance} + random() % steps, pushed++);
      }
      heap.clear_lowest();
    }
    CHECK(popped == 20'000);
    CHECK(expected.empty());
    CHECK((announced > 0) == (steps > 1));
    push(5, 1);
    heap.clear();
    CHECK(heap.empty());
  }
}
