// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "selector/grouping.hpp"

using namespace mlmq;
using namespace mlmq::selector;

TEST_CASE("weights, seeds and other options do not make another workload") {
  for (const char* name :
       {"power14", "power14:degree=8", "power14:degree=8:seed=3", "power14-float", "power14-float64"})
    CHECK(group_of(name, grouping::workload) == "power14");
  CHECK(group_of("usroads-float", grouping::workload) == "usroads");
  CHECK(group_of("power16", grouping::workload) == "power16");
  CHECK(group_of("osm-porto", grouping::workload) == "osm-porto");
}

TEST_CASE("a family holds all sizes") {
  for (const char* name : {"road12", "road22", "road18:seed=2", "road9-float", "road"})
    CHECK(group_of(name, grouping::family) == "road");
  CHECK(group_of("delaunay_n18", grouping::family) == "delaunay");
  CHECK(group_of("delaunay_n24", grouping::family) == "delaunay");
  CHECK(group_of("osm-porto", grouping::family) != group_of("osm-malta", grouping::family));
  CHECK(group_of("USA-road-d.NY", grouping::family) != group_of("USA-road-d.USA", grouping::family));
  CHECK(group_of("4elt", grouping::family) == "4elt");
}

TEST_CASE("no name is left without a group") {
  for (const grouping kind : {grouping::workload, grouping::family}) {
    CHECK(group_of("144", kind) == "144");
    CHECK(group_of(":seed=1", kind) == ":seed=1");
    CHECK(group_of("-float", kind) == "-float");
  }
}

TEST_CASE("the ways to group by name") {
  CHECK(grouping_from("workload") == grouping::workload);
  CHECK(grouping_from("family") == grouping::family);
  CHECK_THROWS_AS(grouping_from("kind"), input_error);
}
