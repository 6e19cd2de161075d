// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "base/hash.hpp"
#include "message.hpp"
#include "tuner/shard.hpp"

using namespace mlmq;
using namespace mlmq::tuner;

TEST_CASE("shards are written I/N") {
  const shard part = parse_shard("2/8");
  CHECK(part.index == 2);
  CHECK(part.count == 8);
  CHECK(parse_shard("1/1").is_whole());
  for (const char* wrong : {"", "2", "0/4", "5/4", "1/0", "-1/4", "1/4x", "a/b", "1/ 4", "1/1000001", "1/4/2"}) {
    CHECK(message_of([&] { (void)parse_shard(wrong); }).find("such as 2/8") != std::string::npos);
  }
}

TEST_CASE("every trial is in exactly one shard, about as many in each") {
  for (const std::uint64_t count : {1u, 2u, 7u}) {
    std::vector<int> sizes(count);
    for (int i = 0; i < 2000; ++i) {
      const std::string configuration = hash_text(std::to_string(i));
      int owners = 0;
      for (std::uint64_t index = 1; index <= count; ++index) {
        if (!shard{index, count}.has("workload", "source=3", configuration)) continue;
        ++owners;
        ++sizes[index - 1];
      }
      CHECK(owners == 1);
    }
    for (const int size : sizes) CHECK(std::abs(size - 2000 / static_cast<int>(count)) < 100);
  }
}

TEST_CASE("the shard of a trial is the same in every version of the program") {
  // Machines with different builds must divide a sweep in the same way.
  std::string owners;
  for (int i = 0; i < 16; ++i) {
    for (std::uint64_t index = 1; index <= 4; ++index) {
      if (shard{index, 4}.has("workload", "source=0", std::to_string(i))) owners += std::to_string(index);
    }
  }
  CHECK(owners == "1332123143443142");
  CHECK(shard{1, 2}.has_workload("a") != shard{2, 2}.has_workload("a"));
}
