// SPDX-License-Identifier: Apache-2.0
#include "base/renamed_parameters.hpp"

#include <catch2/catch.hpp>

using namespace mlmq;

TEST_CASE("labels are converted between former and current names, in the order of their names") {
  const std::string former = "blocks=1,bnum=32,delta=8,idle_buckets=0,l2=bucket,open_buckets=4,wb=2";
  const std::string current = "blocks=1,bmax=32,bnum=4,delta=8,idle_buckets=0,l2=bucket,wb=2";
  CHECK(label_with_current_names(former) == current);
  CHECK(label_with_former_names(current) == former);
  for (const char* const unchanged : {"", "defaults", "l2=vector,wb=2", "abnum=1,open_buckets2=3"}) {
    CAPTURE(unchanged);
    CHECK(label_with_current_names(unchanged) == unchanged);
    CHECK(label_with_former_names(unchanged) == unchanged);
  }
}

TEST_CASE("a label without all renamed parameters has no former names") {
  CHECK(label_with_former_names("bmax=32,delta=8") == "bmax=32,delta=8");
  CHECK(label_with_former_names("bnum=4,delta=8") == "bnum=4,delta=8");
}

TEST_CASE("names in a text are replaced where they are whole words") {
  CHECK(text_with_current_names("bnum: [8, 32]\nopen_buckets: {when: bnum>=8}  # my_bnum, bnum2, idle_buckets\n") ==
        "bmax: [8, 32]\nbnum: {when: bmax>=8}  # my_bnum, bnum2, idle_buckets\n");
  CHECK(text_with_current_names("") == "");
}

TEST_CASE("only searches on graphs have renamed parameters") {
  CHECK(has_renamed_parameters("sssp"));
  CHECK(has_renamed_parameters("bfs"));
  CHECK_FALSE(has_renamed_parameters("phold"));
  CHECK_FALSE(has_renamed_parameters("sssp_batch"));
}
