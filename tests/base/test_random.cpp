// SPDX-License-Identifier: Apache-2.0
#include "base/random.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace mlmq;

namespace {

template <typename Stream, typename Draw>
std::vector<std::uint64_t> drawn(Stream& stream, int count, Draw draw) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(draw(stream));
  return numbers;
}

using numbers = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("SplitMix64 is the published one") {
  // Numbers of the published reference implementation for seed 1234567.
  random_stream stream = random_stream::from_state(1234567);
  CHECK(stream.next() == 6457827717110365317u);
  CHECK(stream.next() == 3203168211198807973u);
  CHECK(stream.next() == 9817491932198370423u);
  CHECK(mix64(1234567 + golden_step) == 6457827717110365317u);
}

TEST_CASE("numbers of a recorded seed never change") {
  // A change of the numbers would change every generated graph, every chosen source and every simulated time.
  CHECK(mix64({3, 4}) == 4743269670283450298u);
  random_stream of_graphs({1, 2});
  CHECK(drawn(of_graphs, 5, [](auto& s) { return s.below(1000); }) == numbers{783, 688, 634, 441, 935});
  CHECK(scale_to(of_graphs.next(), 100) == 21);
  random_stream of_searches = random_stream::from_state(1234567);
  CHECK(drawn(of_searches, 5, [](auto& s) { return s.below_by_division(1000); }) == numbers{317, 973, 423, 431, 821});
  fast_stream of_schedules(7);
  CHECK(drawn(of_schedules, 3, [](auto& s) { return s.next(); }) == numbers{3025377771, 1842693695, 2479823622});
  CHECK(drawn(of_schedules, 5, [](auto& s) { return s.below(1000); }) == numbers{565, 414, 782, 885, 331});
}

TEST_CASE("equal seeds give equal streams, others in another order do not") {
  random_stream a({1, 2});
  random_stream b({1, 2});
  random_stream c({2, 1});
  const std::uint64_t first = a.next();
  CHECK(first == b.next());
  CHECK(first != c.next());
  CHECK(fast_stream(1).next() != fast_stream(2).next());
}

TEST_CASE("every number below the bound is drawn, about equally often") {
  std::array<std::vector<int>, 3> seen;
  seen.fill(std::vector<int>(7, 0));
  random_stream stream({1, 2});
  fast_stream fast(1);
  for (int i = 0; i < 7000; ++i) {
    ++seen[0].at(stream.below(7));
    ++seen[1].at(stream.below_by_division(7));
    ++seen[2].at(fast.below(7));
  }
  for (const std::vector<int>& counts : seen) CHECK(*std::min_element(counts.begin(), counts.end()) > 850);
  CHECK(stream.below(1) == 0);
  CHECK(stream.below_by_division(1) == 0);
  CHECK(fast.below(1) == 0);
  // Without rejection, every third number below 3 * 2^62 would be drawn twice as often as it should.
  constexpr std::uint64_t bound = 3ull << 62;
  int below_third = 0;
  for (int i = 0; i < 6000; ++i) below_third += static_cast<int>(stream.below_by_division(bound) < bound / 3);
  CHECK(below_third < 2200);
}
