// SPDX-License-Identifier: Apache-2.0
// When a graph is split by itself: after as much time as splitting takes, where it suits the graph, for as long as it pays.
#include <catch2/catch.hpp>

#include "library/part_adoption.hpp"

namespace {

using mlmq::detail::part_adoption;

struct counted_answer {
  bool suits;
  int* asked;
  bool operator()() const {
    ++*asked;
    return suits;
  }
};

void search(part_adoption& adoption, int times, bool in_parts, double ms) {
  for (int i = 0; i < times; ++i) adoption.note(in_parts, ms);
}

}  // namespace

TEST_CASE("a graph is split once its searches have taken as long as splitting") {
  int asked = 0;
  part_adoption adoption(10, counted_answer{true, &asked});
  search(adoption, 9, false, 1);
  CHECK_FALSE(adoption.is_due());
  CHECK(asked == 0);
  search(adoption, 1, false, 1);
  CHECK(adoption.is_due());
  // Parts are faster: it stays so, whatever single searches take.
  search(adoption, 5, true, 0.5);
  search(adoption, 20, true, 30);
  CHECK(adoption.is_due());
  CHECK(asked == 1);
}

TEST_CASE("parts that are no faster are given up") {
  int asked = 0;
  part_adoption adoption(10, counted_answer{true, &asked});
  search(adoption, 10, false, 1);
  search(adoption, 4, true, 1.5);
  CHECK(adoption.is_due());
  search(adoption, 1, true, 1.5);
  CHECK_FALSE(adoption.is_due());
  search(adoption, 100, false, 1);
  CHECK_FALSE(adoption.is_due());
}

TEST_CASE("a graph that parts do not suit is asked about once") {
  int asked = 0;
  part_adoption adoption(10, counted_answer{false, &asked});
  search(adoption, 100, false, 1);
  CHECK_FALSE(adoption.is_due());
  CHECK(asked == 1);
}

TEST_CASE("searches on parts that the caller asked for do not make the graph due") {
  int asked = 0;
  part_adoption adoption(10, counted_answer{true, &asked});
  search(adoption, 100, true, 1);
  CHECK_FALSE(adoption.is_due());
  // But they count when it comes to deciding.
  search(adoption, 10, false, 2);
  CHECK(adoption.is_due());
  search(adoption, 1, true, 1);
  CHECK(adoption.is_due());
}
