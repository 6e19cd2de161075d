// SPDX-License-Identifier: Apache-2.0
// Automatic splitting of a graph: it happens after searches have taken as long as splitting takes, if the graph is
// suitable, and is kept only as long as it is faster.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "library/part_adoption.hpp"

namespace {

using mlmq::detail::part_adoption;

struct counted_answer {
  bool suits;
  int* calls;
  bool operator()() const {
    ++*calls;
    return suits;
  }
};

void search(part_adoption& adoption, int times, bool in_parts, double ms) {
  for (int i = 0; i < times; ++i) adoption.note(in_parts, ms);
}

}  // namespace

TEST_CASE("a graph is split once its searches have taken as long as splitting") {
  int calls = 0;
  part_adoption adoption(10, counted_answer{true, &calls});
  search(adoption, 9, false, 1);
  CHECK_FALSE(adoption.is_due());
  CHECK(calls == 0);
  search(adoption, 1, false, 1);
  CHECK(adoption.is_due());
  // Parts are faster: this remains the decision, however long single searches take.
  search(adoption, 5, true, 0.5);
  search(adoption, 20, true, 30);
  CHECK(adoption.is_due());
  CHECK(calls == 1);
}

TEST_CASE("parts that are no faster are given up") {
  int calls = 0;
  part_adoption adoption(10, counted_answer{true, &calls});
  search(adoption, 10, false, 1);
  search(adoption, 4, true, 1.5);
  CHECK(adoption.is_due());
  search(adoption, 1, true, 1.5);
  CHECK_FALSE(adoption.is_due());
  search(adoption, 100, false, 1);
  CHECK_FALSE(adoption.is_due());
}

TEST_CASE("the suitability of a graph for parts is checked once") {
  int calls = 0;
  part_adoption adoption(10, counted_answer{false, &calls});
  search(adoption, 100, false, 1);
  CHECK_FALSE(adoption.is_due());
  CHECK(calls == 1);
}

TEST_CASE("searches on parts that the caller requests do not count for splitting") {
  int calls = 0;
  part_adoption adoption(10, counted_answer{true, &calls});
  search(adoption, 100, true, 1);
  CHECK_FALSE(adoption.is_due());
  // But they count for the decision whether parts are faster.
  search(adoption, 10, false, 2);
  CHECK(adoption.is_due());
  search(adoption, 1, true, 1);
  CHECK(adoption.is_due());
}

TEST_CASE("a session takes at most twice the time of the better plan, and that of the searches which decide") {
  std::mt19937 generator(1);
  const auto draw = [&](double low, double high) {
    return low * std::pow(high / low, static_cast<double>(generator()) / static_cast<double>(std::mt19937::max()));
  };
  int adopted = 0;
  int abandoned = 0;
  for (int session = 0; session < 2000; ++session) {
    const double split_ms = draw(0.1, 1000);
    const double queue_ms = draw(0.01, 100);
    const double parts_ms = draw(0.01, 100);
    const int calls = static_cast<int>(draw(1, 5000));
    CAPTURE(split_ms, queue_ms, parts_ms, calls);
    part_adoption adoption(split_ms, [] { return true; });
    double total = 0;
    bool is_split = false;
    for (int call = 0; call < calls; ++call) {
      const bool in_parts = adoption.is_due();
      if (in_parts && !is_split) total += split_ms;
      is_split = is_split || in_parts;
      const double ms = in_parts ? parts_ms : queue_ms;
      total += ms;
      adoption.note(in_parts, ms);
    }
    const double best = std::min(queue_ms * calls, split_ms + parts_ms * calls);
    CHECK(total <= (2 * best + queue_ms + 5 * parts_ms) * (1 + 1e-9));
    adopted += adoption.is_due() ? 1 : 0;
    abandoned += is_split && !adoption.is_due() ? 1 : 0;
  }
  CHECK(adopted > 300);
  CHECK(abandoned > 300);
}
