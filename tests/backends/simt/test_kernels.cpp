// SPDX-License-Identifier: Apache-2.0
// Kernels compute the right results under any schedule.
#include <catch2/catch.hpp>
#include <numeric>

#include "simt_test.hpp"

using namespace mlmq::backends;
using namespace mlmq::backends::simulator;
using tests::test_device;

namespace {

constexpr unsigned threads = test_device::threads;

std::vector<u32> scattered_values() {
  std::vector<u32> values(threads);
  for (u32 i = 0; i < threads; ++i) values[i] = (i * 2654435761u >> 20) + 1;
  return values;
}

}  // namespace

TEST_CASE("every lane knows where it is") {
  struct {
    u32* results;
    u32 factor;
  } arguments{};
  test_device device;
  const device_memory results = device.make(std::vector<u32>(threads));
  arguments = {results.as<u32>(), 3};
  device.run("arithmetic.cu", "arithmetic", arguments);
  const std::vector<u32> results_read = device.read<u32>(results);
  for (u32 i = 0; i < threads; ++i) CHECK(results_read[i] == i * 3 + 2);
}

TEST_CASE("collectives agree with a plain computation") {
  constexpr u32 kinds = 11;
  struct {
    const u32* values;
    u32* results;
    u64* wide;
  } arguments{};
  test_device device;
  const std::vector<u32> values = scattered_values();
  const device_memory input = device.make(values);
  const device_memory results = device->allocate(sizeof(u32) * threads * kinds, "results");
  const device_memory wide = device->allocate(sizeof(u64) * threads, "wide");
  arguments = {input.as<u32>(), results.as<u32>(), wide.as<u64>()};
  device.run("collectives.cu", "collectives", arguments);
  const std::vector<u32> results_read = device.read<u32>(results);
  const std::vector<u64> found_wide = device.read<u64>(wide);
  for (u32 first = 0; first < threads; first += 32) {
    const u32* const v = values.data() + first;
    u32 ballot = 0;
    u32 sum = 0;
    u32 bits = 0;
    bool any = false;
    for (u32 l = 0; l < 32; ++l) {
      ballot |= (v[l] % 3 == 0 ? 1u : 0u) << l;
      sum += v[l];
      bits |= v[l];
      any = any || v[l] % 29 == 0;
    }
    u32 prefix = 0;
    for (u32 l = 0; l < 32; ++l) {
      CAPTURE(first, l);
      u32 matches = 0;
      for (u32 other = 0; other < 32; ++other) matches |= (v[other] % 5 == v[l] % 5 ? 1u : 0u) << other;
      prefix += v[l];
      const u32* const f = results_read.data() + (first + l) * kinds;
      CHECK(f[0] == ballot);
      CHECK(f[1] == (any ? 1u : 0u));
      CHECK(f[2] == (any ? 0u : 1u));
      CHECK(f[3] == v[v[l] % 40 % 32]);
      CHECK(f[4] == matches);
      CHECK(f[5] == sum);
      CHECK(f[6] == *std::min_element(v, v + 32));
      CHECK(f[7] == *std::max_element(v, v + 32));
      CHECK(f[8] == bits);
      CHECK(f[9] == prefix);
      CHECK(f[10] == v[31 - l]);
      CHECK(found_wide[first + l] == (static_cast<u64>(v[l ^ 1]) << 32 | (first + (l ^ 1))));
    }
  }
}

TEST_CASE("atomics reach their totals under every schedule") {
  struct totals_t {
    u32 sum, least, bits, wins, reduced, last;
    u64 wide_sum, wide_least;
  };
  struct {
    totals_t* totals;
    u32* block_sums;
  } arguments{};
  test_device device;
  const auto variant = device.compile("atomics.cu", "atomics");
  const device_memory sums = device->allocate(2 * sizeof(u32), "sums");
  for (unsigned seed = 0; seed < 20; ++seed) {
    device->set_seed(seed);
    const device_memory totals = device.make(std::vector<totals_t>{
        {.sum = 0, .least = ~0u, .bits = 0, .wins = 0, .reduced = 0, .last = ~0u, .wide_sum = 0, .wide_least = ~0ull}});
    arguments = {totals.as<totals_t>(), sums.as<u32>()};
    device.run(*variant, arguments);
    const totals_t sums_read = device.read<totals_t>(totals).front();
    CHECK(sums_read.sum == threads * (threads - 1) / 2);
    CHECK(sums_read.least == 7);
    CHECK(sums_read.bits == ~0u);
    CHECK(sums_read.wins == threads);
    CHECK(sums_read.reduced == 2 * threads);
    CHECK(sums_read.last < threads);
    CHECK(sums_read.wide_sum == static_cast<u64>(threads) << 33);
    CHECK(sums_read.wide_least == ~0ull - (threads - 1));
    const std::vector<u32> block_sums = device.read<u32>(sums);
    CHECK(block_sums[0] == 63 * 64 / 2);
    CHECK(block_sums[1] == 63 * 64 / 2 + 64 * 64 + 64);
  }
}

TEST_CASE("a block sums in shared memory") {
  struct {
    const u32* values;
    u32* sums;
  } arguments{};
  test_device device;
  const std::vector<u32> values = scattered_values();
  const device_memory input = device.make(values);
  const device_memory sums = device->allocate(2 * sizeof(u32), "sums");
  arguments = {input.as<u32>(), sums.as<u32>()};
  device.run("reduction.cu", "reduction", arguments);
  const auto middle = values.begin() + test_device::block_threads;
  CHECK(device.read<u32>(sums) ==
        std::vector<u32>{std::accumulate(values.begin(), middle, 0u), std::accumulate(middle, values.end(), 0u)});
}

TEST_CASE("sixteen bytes are read and written at once") {
  struct {
    simt::quad* input_quads;
    simt::quad* output_quads;
    u32* sums;
  } arguments{};
  test_device device;
  std::vector<simt::quad> quads(32);
  for (u32 i = 0; i < 32; ++i) quads[i] = {i, 10 * i, 100 * i, 1000 * i};
  const device_memory input = device.make(quads);
  const device_memory output = device->allocate(32 * sizeof(simt::quad), "to");
  const device_memory sums = device->allocate(32 * sizeof(u32), "sums");
  arguments = {input.as<simt::quad>(), output.as<simt::quad>(), sums.as<u32>()};
  const auto variant = device->compile({"quads.cu", "quads", 32, {}});
  device.run(*variant, arguments, 1);
  const std::vector<u32> sums_read = device.read<u32>(sums);
  for (u32 i = 0; i < 32; ++i) CHECK(sums_read[i] == (i + 1) % 32 * 1111);
}

TEST_CASE("accesses that are ordered in less obvious ways are not reported") {
  struct {
    u32* words;
    u32* results;
  } arguments{};
  const std::string entry = GENERATE("release_sequence", "relay", "ring", "bytes", "halves", "lane_to_lane");
  CAPTURE(entry);
  test_device device;
  const auto variant = device.compile("ordered.cu", entry);
  for (unsigned seed = 0; seed < 50; ++seed) {
    device->set_seed(seed);
    const device_memory words = device.make(std::vector<u32>(256), "words");
    const device_memory results = device.make(std::vector<u32>(threads), "results");
    arguments = {words.as<u32>(), results.as<u32>()};
    const unsigned blocks = entry == "relay" ? 4 : 2;
    CHECK(finding(device, *variant, arguments, blocks) == "");
    const std::vector<u32> results_read = device.read<u32>(results);
    if (entry == "release_sequence") CHECK(results_read[3] == 0 + 1 + 2 + 3);
    if (entry == "relay") CHECK(results_read[3] == 44);
    if (entry == "ring") CHECK(results_read[31] == 45045);
    if (entry == "lane_to_lane") CHECK(results_read[0] == 9);
  }
}
