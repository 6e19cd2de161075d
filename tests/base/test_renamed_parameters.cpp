// SPDX-License-Identifier: Apache-2.0
#include "base/renamed_parameters.hpp"

#include <catch2/catch.hpp>

using namespace mlmq;

TEST_CASE("labels get former names, in the order of these names") {
  const std::string former = "blocks=1,bnum=32,delta=8,idle_buckets=0,l2=bucket,open_buckets=4,wb=2";
  const std::string current = "blocks=1,bmax=32,bnum=4,delta=8,idle_buckets=0,l2=bucket,wb=2";
  CHECK(label_with_former_names(current) == former);
  for (const char* const unchanged : {"", "defaults", "l2=vector,wb=2", "abnum=1,bmax2=3"}) {
    CAPTURE(unchanged);
    CHECK(label_with_former_names(unchanged) == unchanged);
  }
}

TEST_CASE("a label without all renamed parameters has no former names") {
  CHECK(label_with_former_names("bmax=32,delta=8") == "bmax=32,delta=8");
  CHECK(label_with_former_names("bnum=4,delta=8") == "bnum=4,delta=8");
}
