// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/radix_heap.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <vector>

using namespace mlmq::cpu;

namespace {

/// @param steps upper bound of the difference between a pushed distance and the distance popped before
template <class Entry>
void check_against_comparing_heap(std::uint64_t steps) {
  using bits = decltype(distance_of(Entry{}));
  CAPTURE(sizeof(bits), steps);
  std::mt19937_64 random(7);
  radix_heap<Entry> heap;
  std::priority_queue<bits, std::vector<bits>, std::greater<>> expected;
  const auto push = [&](std::uint64_t distance, std::uint32_t vertex) {
    const auto pushed = static_cast<bits>(std::min<std::uint64_t>(distance, std::numeric_limits<bits>::max() - 1));
    heap.push(make_entry(pushed, vertex));
    expected.push(pushed);
  };
  push(0, 0);
  std::uint32_t pushed = 1;
  std::size_t popped = 0;
  std::size_t announced = 0;
  while (!heap.empty()) {
    entry_buffer<Entry>& lowest = heap.lowest([&](const Entry&) { ++announced; });
    REQUIRE(lowest.size() > 0);
    const bits distance = distance_of(lowest[0]);
    // Some pushed entries have an edge of length 0 and join the entries that are being read.
    for (std::size_t i = 0; i < lowest.size(); ++i, ++popped) {
      REQUIRE(distance_of(lowest[i]) == distance);
      REQUIRE_FALSE(expected.empty());
      REQUIRE(expected.top() == distance);
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

}  // namespace

TEST_CASE("a radix heap agrees with a comparing heap if no key is below the last one popped") {
  for (const std::uint64_t steps : {1U, 20U, 5000U, 400'000'000U}) {
    check_against_comparing_heap<entry>(steps);
    check_against_comparing_heap<wide_entry>(steps);
  }
  check_against_comparing_heap<wide_entry>(std::uint64_t{1} << 48);
}
