// SPDX-License-Identifier: Apache-2.0
// The components below the simulator's engine.
#include <catch2/catch.hpp>

#include "backends/simt/clock_tree.hpp"
#include "backends/simt/device_heap.hpp"
#include "backends/simt/vector_clock.hpp"
#include "backends/simt/written_map.hpp"
#include "simt_test.hpp"

using namespace mlmq::backends;
using namespace mlmq::backends::simulator;

TEST_CASE("allocations are found by their addresses, live or freed") {
  device_heap heap(1 << 24);
  void* const a = heap.allocate(100, "a");
  void* const b = heap.allocate(1 << 20, "b");
  const memory_offset offset = heap.offset_of(a);
  CHECK(heap.find(offset, 100) != nullptr);
  CHECK(heap.find(offset + 96, 4)->name == "a");
  CHECK(heap.find(offset + 97, 4) == nullptr);
  CHECK(heap.find(offset - 1, 1) == nullptr);
  CHECK(heap.find(heap.offset_of(b) + (1 << 20) - 8, 8)->name == "b");
  CHECK(heap.find(heap.offset_of(b) + (1 << 20), 1) == nullptr);
  CHECK(heap.nearest(heap.offset_of(b) + (1 << 20))->name == "b");
  CHECK(heap.find(~memory_offset{0}, 4) == nullptr);
  heap.release(b);
  CHECK(heap.find(heap.offset_of(b), 4) == nullptr);
  CHECK_FALSE(heap.nearest(heap.offset_of(b) + 5)->live);
  CHECK(heap.find(offset, 100) != nullptr);
}

TEST_CASE("the heap never has less memory than it reports") {
  device_heap heap(1 << 20);
  CHECK_THROWS_AS(heap.allocate((1 << 20) + 1, "too much"), out_of_device_memory);
  CHECK_THROWS_WITH(heap.allocate((1 << 20) + 1, "too much"), Catch::Matchers::Contains("too much") &&
                                                                  Catch::Matchers::Contains("1048577") &&
                                                                  Catch::Matchers::Contains("1048576"));
  void* const block = heap.allocate(1 << 10, "kept");
  // Enough rounds to reuse the first addresses: there are 4 GiB of addresses, and each round takes 1 MiB.
  for (int i = 0; i < 10000; ++i) {
    void* const p = heap.allocate(900 * 1024, "p");
    const memory_offset offset = heap.offset_of(p);
    REQUIRE(heap.find(offset + 900 * 1024 - 1, 1) != nullptr);
    REQUIRE((offset > heap.offset_of(block) + (1 << 10) || offset + 900 * 1024 < heap.offset_of(block)));
    if (i % 1000 == 0) static_cast<std::byte*>(p)[900 * 1024 - 1] = std::byte{1};
    heap.release(p);
  }
  CHECK(heap.find(heap.offset_of(block), 1 << 10)->name == "kept");
}

TEST_CASE("written bytes are tracked one by one") {
  written_map map(1 << 20);
  CHECK_FALSE(map.is_written(100, 1));
  map.mark(101, 1);
  CHECK(map.is_written(101, 1));
  CHECK_FALSE(map.is_written(100, 2));
  CHECK_FALSE(map.is_written(100, 4));
  map.mark(100, 1);
  map.mark(102, 2);
  CHECK(map.is_written(100, 4));
  map.mark(104, 8);
  CHECK(map.is_written(104, 8));
  CHECK_FALSE(map.is_written(104, 16));
  map.mark(8192 - 8, 16);
  CHECK(map.is_written(8192 - 4, 8));
  CHECK_FALSE(map.is_written(8192 + 4, 8));

  map.mark_range(4096 * 3 + 10, 4096 * 3);
  CHECK_FALSE(map.is_written(4096 * 3 + 9, 1));
  CHECK(map.is_written(4096 * 3 + 10, 2));
  CHECK(map.is_written(4096 * 5, 16));
  CHECK(map.is_written(4096 * 6 + 8, 2));
  CHECK_FALSE(map.is_written(4096 * 6 + 8, 4));
  map.clear_range(4096 * 3, 4096 * 4);
  CHECK_FALSE(map.is_written(4096 * 5, 4));
  CHECK_FALSE(map.is_written(4096 * 3 + 12, 4));
}

TEST_CASE("knowledge of lanes is forgotten when that of their warp covers it") {
  vector_clock a;
  a.reset(4);
  a.add(33, 5);
  a.add(32, 7);
  CHECK(a.knows(33, 5));
  CHECK_FALSE(a.knows(33, 6));
  CHECK_FALSE(a.knows(34, 1));
  vector_clock b;
  b.reset(4);
  b.warps[1] = 6;
  a.join(b);
  CHECK(a.knows(34, 6));
  CHECK(a.knows(32, 7));
  CHECK_FALSE(a.knows_warp(1, 7));
  CHECK(a.lanes.size() == 1);
}

TEST_CASE("joining does not change entries that others refer to") {
  vector_clock_pool pool;
  vector_clock_ref a = pool.make();
  a.change().reset(2);
  a.change().warps[0] = 3;
  vector_clock_ref b = pool.make();
  b.change().reset(2);
  b.change().warps[1] = 4;
  vector_clock_ref c = a;
  pool.join(a, b);
  CHECK(a->warps == std::vector<epoch>{3, 4});
  CHECK(c->warps == std::vector<epoch>{3, 0});
}

TEST_CASE("the earliest warp is found after every change") {
  clock_tree tree;
  for (const std::size_t count : {1, 2, 5, 33}) {
    tree.reset(count);
    CHECK(tree.first_clock() == clock_tree::never);
    std::vector<ticks> clocks(count, clock_tree::never);
    for (std::size_t step = 0; step < 200; ++step) {
      const std::size_t warp = step * 7 % count;
      clocks[warp] = step % 5 == 4 ? clock_tree::never : step * 2654435761u % 1000;
      tree.set(warp, clocks[warp]);
      REQUIRE(tree.first_clock() == *std::min_element(clocks.begin(), clocks.end()));
      if (tree.first_clock() != clock_tree::never) REQUIRE(clocks[tree.first()] == tree.first_clock());
    }
  }
}

TEST_CASE("transfers keep to the memory's size") {
  tests::test_device device;
  const device_memory memory = device->allocate(16, "m");
  const std::vector<u32> five(5);
  CHECK_THROWS(device->upload(memory, five.data(), 20));
  CHECK_THROWS(device->fill(memory, 8, 9, 0));
  CHECK_NOTHROW(device->fill(memory, 8, 8, 1));
  CHECK_NOTHROW(device->upload(memory, five.data(), 8));
  CHECK(device.read<u32>(memory) == std::vector<u32>{0, 0, 0x01010101, 0x01010101});

  device->poke(memory, 12, 7);
  CHECK(device.read<u32>(memory).back() == 7);
  CHECK_THROWS(device->poke(memory, 16, 7));
}
