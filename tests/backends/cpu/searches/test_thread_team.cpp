// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/thread_team.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

using mlmq::cpu::thread_team;

TEST_CASE("every rank of a team runs each job once, the caller as rank 0") {
  for (const unsigned size : {1U, 2U, 5U}) {
    thread_team team(size);
    CHECK(team.size() == size);
    std::vector<int> calls(size, 0);
    std::thread::id first;
    for (int job = 0; job < 200; ++job) {
      if (job % 50 == 49) std::this_thread::sleep_for(std::chrono::milliseconds(3));  // the other threads fall asleep
      if (job % 3 == 0) team.wake();
      team.run([&](unsigned rank) {
        ++calls[rank];
        if (rank == 0) first = std::this_thread::get_id();
      });
    }
    CHECK(calls == std::vector<int>(size, 200));
    CHECK(first == std::this_thread::get_id());
  }
}

TEST_CASE("writes before a barrier are visible to all threads after it") {
  constexpr unsigned size = 4;
  thread_team team(size);
  std::vector<unsigned> values(size, 0);
  std::atomic<unsigned> wrong = 0;
  team.run([&](unsigned rank) {
    for (unsigned round = 1; round <= 500; ++round) {
      values[rank] = round;
      team.barrier();
      for (const unsigned value : values) wrong += value != round ? 1 : 0;
      team.barrier();
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("an exception of any rank reaches the caller, and the team stays usable") {
  thread_team team(3);
  for (const unsigned thrower : {0U, 2U}) {
    const auto work = [&](unsigned rank) {
      if (rank == thrower) throw std::runtime_error("rank " + std::to_string(rank));
    };
    CHECK_THROWS_WITH(team.run(work), "rank " + std::to_string(thrower));
  }
  std::atomic<unsigned> calls = 0;
  team.run([&](unsigned) { ++calls; });
  CHECK(calls == 3);
}

TEST_CASE("slices cover everything once and begin at whole lines") {
  for (const unsigned size : {1U, 3U, 16U}) {
    const thread_team team(size);
    for (const std::size_t count : {0UL, 1UL, 31UL, 32UL, 33UL, 1000UL, 100'001UL}) {
      std::size_t end = 0;
      for (unsigned rank = 0; rank < size; ++rank) {
        const thread_team::slice part = team.slice_of(rank, count, 4);
        CHECK(part.first == end);
        CHECK((part.first % 32 == 0 || part.first == count));
        end = part.last;
      }
      CHECK(end == count);
    }
  }
}
