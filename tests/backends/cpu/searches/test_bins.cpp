// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/bins.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace mlmq::cpu;

TEST_CASE("bins return buckets in ascending order, near and far ones") {
  for (const std::uint64_t reach : {3UL, 900UL, 1025UL, 100'000UL, 1UL << 60}) {
    CAPTURE(reach);
    std::mt19937_64 random(3);
    bins thread_bins;
    thread_bins.clear();
    std::map<std::uint64_t, std::size_t> expected;
    std::uint32_t next = 0;
    const auto push = [&](std::uint64_t bucket) {
      thread_bins.push(bucket, make_entry(7, next++));
      ++expected[bucket];
    };
    push(0);
    entry_buffer<entry> taken;
    while (thread_bins.lowest() != bins::none) {
      const std::uint64_t bucket = thread_bins.lowest();
      REQUIRE(bucket == expected.begin()->first);
      thread_bins.advance(bucket);
      // Far entries are moved into the window when the window starts at their bucket.
      REQUIRE(thread_bins.size(bucket) == expected.begin()->second);
      taken.clear();
      thread_bins.exchange(bucket, taken);
      CHECK(taken.size() == expected.begin()->second);
      expected.erase(bucket);
      CHECK(thread_bins.size(bucket) == 0);
      for (int i = 0; i < 2 && next < 5000; ++i) push(bucket + random() % reach);
    }
    CHECK(expected.empty());
    CHECK(next == 5000);
  }
}

TEST_CASE("the bin of a bucket beyond the window is left alone") {
  bins thread_bins;
  thread_bins.push(2, make_entry(0, 1));
  thread_bins.push(bins::window + 2, make_entry(0, 2));
  CHECK(thread_bins.lowest() == 2);
  entry_buffer<entry> none;
  thread_bins.exchange(bins::window + 2, none);
  CHECK(none.size() == 0);
  CHECK(thread_bins.size(2) == 1);
  thread_bins.clear();
  CHECK(thread_bins.lowest() == bins::none);
}

TEST_CASE("all entries are taken with their buckets, including those beyond the window") {
  bins queue;
  queue.push(0, make_entry(0, 0));
  entry_buffer<entry> taken;
  queue.exchange(0, taken);
  queue.advance(1000);  // the window goes around the ring
  std::map<std::uint64_t, std::size_t> expected;
  for (const std::uint64_t bucket : {1000UL, 1000UL, 1023UL, 1024UL, 1700UL, 2023UL, 2024UL, 900'000UL}) {
    queue.push(bucket, make_entry(7, static_cast<std::uint32_t>(bucket)));
    ++expected[bucket];
  }
  std::map<std::uint64_t, std::size_t> visited;
  queue.take_all([&](std::uint64_t bucket, entry e) {
    CHECK(vertex_of(e) == bucket);
    ++visited[bucket];
  });
  CHECK(visited == expected);
  CHECK(queue.lowest() == bins::none);
  queue.take_all([](std::uint64_t, entry) { FAIL("an entry was left"); });
}
