// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "problems/peers/answer.hpp"

using namespace mlmq;
using namespace mlmq::peers;
using Catch::Matchers::Contains;

namespace {

/// Returns 0 -5-> 1 -7-> 2, and a vertex 3 without incoming edges.
graph::csr_graph small_graph() { return graph::csr_graph({0, 1, 2, 2, 2}, {1, 2}, std::vector<std::uint32_t>{5, 7}); }

}  // namespace

TEST_CASE("the right answer is summed up, by weights and by hops") {
  const right_answer weighted = solve_reference(small_graph(), 0, false);
  CHECK(weighted.reached == 3);
  CHECK(weighted.sum == 17);
  CHECK(weighted.largest == 12);
  const right_answer hops = solve_reference(small_graph(), 0, true);
  CHECK(hops.reached == 3);
  CHECK(hops.sum == 3);
  CHECK(hops.largest == 2);
}

TEST_CASE("a claim is checked in everything that it says") {
  const right_answer right = solve_reference(small_graph(), 0, false);
  CHECK(check_claim({}, right).empty());
  CHECK(check_claim({.reached = 3, .sum = 17, .largest = 12}, right).empty());
  CHECK_THAT(check_claim({.reached = 4, .sum = {}, .largest = {}}, right), Contains("reached 4 vertices, expected 3"));
  CHECK_THAT(check_claim({.reached = {}, .sum = 17.001, .largest = {}}, right), Contains("expected 17"));
  CHECK_THAT(check_claim({.reached = 3, .sum = 17, .largest = 11}, right), Contains("largest distance is 11"));
}

TEST_CASE("floats may differ by rounding in sums and printing") {
  const right_answer right =
      solve_reference(graph::with_weight_type(small_graph(), graph::weight_type::float32), 0, false);
  CHECK(check_claim({.reached = 3, .sum = 17.001, .largest = 12.0005}, right).empty());
  CHECK_THAT(check_claim({.reached = 3, .sum = 17.01, .largest = {}}, right), Contains("add up to 17.01"));
}

TEST_CASE("distances in a file are checked one by one") {
  const right_answer right = solve_reference(small_graph(), 0, false);
  CHECK(check_distance_lines("0 0\n1 5\n2 12\n3 INF\n", right, HUGE_VAL).empty());
  CHECK(check_distance_lines("2\t12\r\n1: 5\n\n0 0", right, HUGE_VAL).empty());
  CHECK(check_distance_lines("0 0\n1 5\n2 12\n3 1000000000\n", right, 1e9).empty());
  CHECK_THAT(check_distance_lines("0 0\n1 5\n2 12\n3 1000000000\n", right, HUGE_VAL), Contains("of vertex 3"));
  CHECK_THAT(check_distance_lines("0 0\n1 6\n2 12\n", right, HUGE_VAL), Contains("of vertex 1 is 6, expected 5"));
  CHECK_THAT(check_distance_lines("0 0\n1 5\n", right, HUGE_VAL), Contains("of vertex 2 is inf, expected 12"));
  CHECK_THAT(check_distance_lines("0 0\n9 5\n", right, HUGE_VAL), Contains("line 2"));
  CHECK(check_distance_lines("# vertex distance\n0 0\n1 5\n2 12\n", right, HUGE_VAL).empty());
  // Lines count vertices from 0; messages use the ids of the graph's file.
  const right_answer other =
      solve_reference(small_graph().with_ids(graph::file_ids::listed({7, 20, 21, 900})), 0, false);
  CHECK(check_distance_lines("0 0\n1 5\n2 12\n", other, HUGE_VAL).empty());
  CHECK_THAT(check_distance_lines("0 0\n1 6\n2 12\n", other, HUGE_VAL), Contains("of vertex 20 is 6, expected 5"));
  CHECK_THAT(check_distance_lines("vertex distance\n", right, HUGE_VAL), Contains("line 1"));
}
