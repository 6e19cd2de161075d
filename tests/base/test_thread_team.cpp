// SPDX-License-Identifier: Apache-2.0
// Parallel loops of a team: every index once, loops one after the other, exceptions.
#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/thread_team.hpp"

using mlmq::thread_team;

TEST_CASE("a team calls a job once for each index") {
  for (const unsigned threads : {1U, 2U, 7U}) {
    thread_team team(threads);
    CHECK(team.threads() == threads);
    // Many loops in a row: a thread may wake up when the next loop has begun.
    for (std::size_t count = 0; count < 300; ++count) {
      std::vector<int> calls(count, 0);
      team.run(count, [&](std::size_t index) { ++calls[index]; });
      REQUIRE(calls == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("blocks of a team cover a range without overlap") {
  thread_team team(3);
  std::vector<int> calls(1000, 0);
  std::atomic<std::size_t> blocks = 0;
  team.run_blocks(calls.size(), 64, [&](std::size_t block, std::size_t first, std::size_t end) {
    ++blocks;
    CHECK(first == block * 64);
    for (std::size_t i = first; i < end; ++i) ++calls[i];
  });
  CHECK(blocks == 16);
  CHECK(calls == std::vector<int>(1000, 1));
  team.run_blocks(0, 64, [](std::size_t, std::size_t, std::size_t) { FAIL("nothing to do"); });
}

TEST_CASE("a team rethrows the exception of the lowest index and works again") {
  for (const unsigned threads : {1U, 4U}) {
    thread_team team(threads);
    for (int round = 0; round < 50; ++round) {
      const auto failing = [](std::size_t index) {
        if (index % 7 == 3) throw std::runtime_error(std::to_string(index));
      };
      CHECK_THROWS_WITH(team.run(100, failing), "3");
      std::atomic<int> calls = 0;
      team.run(10, [&](std::size_t) { ++calls; });
      CHECK(calls == 10);
    }
  }
}
