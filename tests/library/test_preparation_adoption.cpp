// SPDX-License-Identifier: Apache-2.0
// Automatic preparation of a graph: it happens after searches have taken as long as preparing takes, if the graph is
// suitable, and is kept only as long as it is faster.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "library/preparation_adoption.hpp"

namespace {

using mlmq::detail::preparation_adoption;

/// One preparation of this cost. @param calls  counts how often its cost is asked
preparation_adoption prepared_once(double cost_ms, bool suits, int* calls) {
  return preparation_adoption({{.expected_ms = [=](double) -> std::optional<double> {
                                  ++*calls;
                                  return suits ? std::optional(cost_ms) : std::nullopt;
                                },
                                .least_ms = cost_ms}});
}

void search(preparation_adoption& adoption, int times, bool prepared, double ms) {
  const std::vector<std::size_t> used(prepared ? 1 : 0, 0);
  for (int i = 0; i < times; ++i) adoption.note(used, ms);
}

}  // namespace

TEST_CASE("a graph is split once its searches have taken as long as splitting") {
  int calls = 0;
  preparation_adoption adoption = prepared_once(10, true, &calls);
  search(adoption, 9, false, 1);
  CHECK_FALSE(adoption.is_due(0));
  CHECK(calls == 0);
  search(adoption, 1, false, 1);
  CHECK(adoption.is_due(0));
  // Parts are faster: this remains the decision, however long single searches take.
  search(adoption, 5, true, 0.5);
  search(adoption, 20, true, 30);
  CHECK(adoption.is_due(0));
  CHECK(calls == 2);
}

TEST_CASE("parts that are no faster are given up") {
  int calls = 0;
  preparation_adoption adoption = prepared_once(10, true, &calls);
  search(adoption, 10, false, 1);
  search(adoption, 4, true, 1.5);
  CHECK(adoption.is_due(0));
  search(adoption, 1, true, 1.5);
  CHECK_FALSE(adoption.is_due(0));
  search(adoption, 100, false, 1);
  CHECK_FALSE(adoption.is_due(0));
}

TEST_CASE("the suitability of a graph for parts is checked once") {
  int calls = 0;
  preparation_adoption adoption = prepared_once(10, false, &calls);
  search(adoption, 100, false, 1);
  CHECK_FALSE(adoption.is_due(0));
  CHECK(calls == 1);
}

TEST_CASE("searches on parts that the caller requests do not count for splitting") {
  int calls = 0;
  preparation_adoption adoption = prepared_once(10, true, &calls);
  search(adoption, 100, true, 1);
  CHECK_FALSE(adoption.is_due(0));
  // But they count for the decision whether parts are faster.
  search(adoption, 10, false, 2);
  CHECK(adoption.is_due(0));
  search(adoption, 1, true, 1);
  CHECK(adoption.is_due(0));
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
    int calls_of_cost = 0;
    preparation_adoption adoption = prepared_once(split_ms, true, &calls_of_cost);
    double total = 0;
    bool is_split = false;
    for (int call = 0; call < calls; ++call) {
      const bool in_parts = adoption.is_due(0);
      if (in_parts && !is_split) total += split_ms;
      is_split = is_split || in_parts;
      const double ms = in_parts ? parts_ms : queue_ms;
      total += ms;
      search(adoption, 1, in_parts, ms);
    }
    const double best = std::min(queue_ms * calls, split_ms + parts_ms * calls);
    CHECK(total <= (2 * best + queue_ms + 15 * parts_ms) * (1 + 1e-9));
    adopted += adoption.is_due(0) ? 1 : 0;
    abandoned += is_split && !adoption.is_due(0) ? 1 : 0;
  }
  CHECK(adopted > 300);
  CHECK(abandoned > 300);
}

TEST_CASE("of two preparations, the second one is made when it has been earned, and kept if it is faster") {
  double faster_than = 0;
  preparation_adoption adoption({{.expected_ms = [](double) { return 10.0; }, .least_ms = 10},
                                 {.expected_ms =
                                      [&](double search_ms) {
                                        faster_than = search_ms;
                                        return 100.0;
                                      },
                                  .least_ms = 5}});
  search(adoption, 10, false, 1);
  CHECK(adoption.is_due(0));
  CHECK(faster_than == 1);
  search(adoption, 11, true, 0.5);
  CHECK_FALSE(adoption.is_due(1));
  search(adoption, 189, true, 0.5);
  CHECK(adoption.is_due(1));
  CHECK(faster_than == 0.5);
  SECTION("it is faster") {
    for (int i = 0; i < 5; ++i) adoption.note(std::array<std::size_t, 1>{1}, 0.25);
    CHECK(adoption.is_due(1));
    CHECK(adoption.is_due(0));
  }
  SECTION("it is not") {
    for (int i = 0; i < 5; ++i) adoption.note(std::array<std::size_t, 1>{1}, 0.75);
    CHECK_FALSE(adoption.is_due(1));
    CHECK(adoption.is_due(0));
  }
  SECTION("it fails") {
    adoption.give_up(1);
    search(adoption, 1000, true, 0.5);
    CHECK_FALSE(adoption.is_due(1));
    CHECK(adoption.is_due(0));
  }
}

TEST_CASE("the cheapest preparation is considered first, except before one that it depends on") {
  const auto costs = [](double ms) { return [=](double) { return std::optional(ms); }; };
  preparation_adoption adoption({{.expected_ms = costs(20)},
                                 {.expected_ms = costs(1), .after = 0},
                                 {.expected_ms = costs(10)},
                                 {.expected_ms = costs(500)}});
  search(adoption, 10, false, 1);
  CHECK(adoption.is_due(2));
  CHECK_FALSE(adoption.is_due(0));
  for (int i = 0; i < 5; ++i) adoption.note(std::array<std::size_t, 1>{2}, 0.5);
  // 10 and 2.5 ms so far; the next one needs 30.
  for (int i = 0; i < 34; ++i) adoption.note(std::array<std::size_t, 1>{2}, 0.5);
  CHECK_FALSE(adoption.is_due(0));
  adoption.note(std::array<std::size_t, 1>{2}, 0.5);
  REQUIRE(adoption.is_due(0));
  CHECK_FALSE(adoption.is_due(1));
  SECTION("searches that use both count for the one that is tried") {
    for (int i = 0; i < 5; ++i) adoption.note(std::array<std::size_t, 2>{0, 2}, 0.25);
    CHECK(adoption.is_due(0));
    CHECK(adoption.is_due(2));
  }
  SECTION("it is abandoned if the other one alone is faster") {
    for (int i = 0; i < 5; ++i) adoption.note(std::array<std::size_t, 2>{0, 2}, 0.75);
    CHECK_FALSE(adoption.is_due(0));
    CHECK(adoption.is_due(2));
  }
  for (int i = 0; i < 10; ++i) adoption.note(std::array<std::size_t, 1>{2}, 0.5);
  CHECK(adoption.is_due(1));
}

TEST_CASE("while a preparation is not ready, others are considered") {
  const auto costs = [](double ms) { return [=](double) { return std::optional(ms); }; };
  preparation_adoption adoption({{.expected_ms = costs(10)}, {.expected_ms = costs(20)}});
  search(adoption, 10, false, 1);
  REQUIRE(adoption.is_due(0));
  adoption.postpone(0);
  search(adoption, 19, false, 1);
  CHECK_FALSE(adoption.is_due(1));
  search(adoption, 1, false, 1);
  CHECK(adoption.is_due(1));
  for (int i = 0; i < 5; ++i) adoption.note(std::array<std::size_t, 1>{1}, 0.5);
  CHECK(adoption.is_due(1));
  // Now the first one is ready: it is tried, and slower.
  CHECK(adoption.is_due(0));
  search(adoption, 4, true, 0.9);
  CHECK(adoption.is_due(0));
  search(adoption, 1, true, 0.9);
  CHECK_FALSE(adoption.is_due(0));
  CHECK(adoption.is_due(1));
}

TEST_CASE("a preparation is judged by typical times, and longer if the difference is small") {
  int calls = 0;
  preparation_adoption adoption = prepared_once(10, true, &calls);
  search(adoption, 10, false, 1);
  SECTION("the first search with a kernel takes longer") {
    search(adoption, 1, true, 40);
    search(adoption, 4, true, 0.5);
    CHECK(adoption.is_due(0));
    search(adoption, 20, true, 2);
    CHECK(adoption.is_due(0));
  }
  SECTION("sources differ") {
    search(adoption, 3, true, 1.1);
    search(adoption, 11, true, 0.9);
    CHECK(adoption.is_due(0));
    search(adoption, 1, true, 0.9);
    search(adoption, 20, true, 2);
    CHECK(adoption.is_due(0));
  }
  SECTION("it is slightly slower") {
    search(adoption, 14, true, 1.1);
    CHECK(adoption.is_due(0));
    search(adoption, 1, true, 1.1);
    CHECK_FALSE(adoption.is_due(0));
  }
}

TEST_CASE("a preparation that promises nothing is not made, and the next one is considered") {
  preparation_adoption adoption({{.expected_ms = [](double) { return std::optional<double>(); }, .least_ms = 1},
                                 {.expected_ms = [](double) { return 3.0; }, .least_ms = 0}});
  search(adoption, 2, false, 1);
  CHECK_FALSE(adoption.is_due(0));
  CHECK_FALSE(adoption.is_due(1));
  search(adoption, 1, false, 1);
  CHECK(adoption.is_due(1));
}
