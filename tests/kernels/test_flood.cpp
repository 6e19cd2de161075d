// SPDX-License-Identifier: Apache-2.0
// The example of the queues as a library (docs/example/flood) on the simulator: water levels of height maps.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "docs/example/flood/flood_abi.cuh"
#include "docs/example/flood/flood_reference.hpp"
#include "tests/backends/simt/simt_test.hpp"
#include "tests/support/share.hpp"

namespace {

using namespace mlmq;
using backends::simulator::tests::test_device;

test_device device_for_example() {
  backends::simulator::simulator_settings settings = backends::simulator::tests::test_settings();
  settings.kernels = MLMQ_FLOOD_EXAMPLE;
  return test_device(settings, "simt:4x4");
}

struct flooded {
  run_status status;
  std::vector<std::uint32_t> levels;
};

/// @param capacity slots of each ring
flooded flood(const std::vector<std::uint32_t>& heights, u32 width, u32 capacity, std::uint64_t seed) {
  test_device device = device_for_example();
  const auto kernel = device->compile({"flood.cu", "flood", flood_threads, {}});
  const auto control = device.make(std::vector<queue_control>(1), "control");
  const auto slots = device.make(std::vector<u64>(std::size_t{flood_buckets} * capacity, empty_slot), "slots");
  const auto height_map = device.make(heights, "heights");
  const auto levels = device.make(std::vector<std::uint32_t>(heights.size(), ~0u), "levels");
  flood_arguments arguments{};
  arguments.control = control.as<queue_control>();
  arguments.slots = slots.as<u64>();
  arguments.capacity_mask = capacity - 1;
  arguments.buckets_per_key = 0.25F;
  arguments.time_limit_ns = 1'000'000'000;
  arguments.full_wait_ns = 200'000;
  arguments.heights = height_map.as<u32>();
  arguments.levels = levels.as<u32>();
  arguments.width = width;
  arguments.height = static_cast<u32>(heights.size() / width);
  device->set_seed(seed);
  device.run(*kernel, arguments, 3, flood_shared_bytes);
  return {static_cast<run_status>(device.read<queue_control>(control).front().status),
          device.read<std::uint32_t>(levels)};
}

}  // namespace

TEST_CASE("a flood fill over the queues gives the levels of one priority queue") {
  for (const std::uint32_t steepest : {2U, 40U, 100'000U}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      if (!tests::in_share(seed)) continue;
      CAPTURE(steepest, seed);
      const auto heights = flood_example::random_heights(31, 19, steepest, static_cast<std::uint32_t>(seed));
      const flooded result = flood(heights, 31, 1024, seed);
      REQUIRE(result.status == run_status::finished);
      REQUIRE(result.levels == flood_example::levels(heights, 31));
    }
  }
}

TEST_CASE("a basin behind a rim is flooded to the lowest gap of the rim") {
  // A rim of height 9 around a floor of height 0, with a gap of height 4.
  constexpr u32 width = 9;
  std::vector<std::uint32_t> heights(std::size_t{width} * width, 0);
  for (u32 i = 2; i < 7; ++i) {
    for (const u32 cell : {2 * width + i, 6 * width + i, i * width + 2, i * width + 6}) heights[cell] = 9;
  }
  heights[4 * width + 2] = 4;
  const flooded result = flood(heights, width, 1024, 1);
  REQUIRE(result.status == run_status::finished);
  CHECK(result.levels[4 * width + 4] == 4);
  CHECK(result.levels[width + 1] == 0);
  CHECK(result.levels[3 * width + 6] == 9);
}

TEST_CASE("a flood fill without room ends as queue full") {
  const auto heights = flood_example::random_heights(64, 64, 3, 1);
  CHECK(flood(heights, 64, 8, 1).status == run_status::queue_full);
}
