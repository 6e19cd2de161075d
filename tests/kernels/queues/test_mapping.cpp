// SPDX-License-Identifier: Apache-2.0
// The buckets of keys while Δ changes: exact where floats are exact, never falling as the key rises, and unchanged
// between the window and the bucket where a new width begins.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "mapping.cuh"
#include "queue_test.hpp"

namespace mlmq::tests {
namespace {

constexpr u32 late = 2;
constexpr u32 number_end = 1u << 28;

struct change {
  u32 first_bucket;
  int exponent;
};

struct mapped {
  std::vector<std::vector<u32>> buckets;  ///< buckets of each key, at the start and after each change
  std::vector<u64> words;
  std::vector<float> begins;
};

mapped map_keys(const std::vector<float>& keys, const std::vector<change>& changes, float buckets_per_key) {
  test_device device = device_for_queues(false);
  const auto kernel = device->compile({"mapping.cu", "mapping", simt::warp_size, {}});
  std::vector<u32> first_buckets;
  std::vector<int> exponents;
  for (const change& step : changes) {
    first_buckets.push_back(step.first_bucket);
    exponents.push_back(step.exponent);
  }
  const auto buckets_there = device.make(first_buckets, "first buckets");
  const auto exponents_there = device.make(exponents, "exponents");
  const auto keys_there = device.make(keys, "keys");
  const auto buckets = device.make(std::vector<u32>((changes.size() + 1) * keys.size()), "buckets");
  const auto words = device.make(std::vector<u64>(changes.size() + 1), "words");
  const auto begins = device.make(std::vector<float>(changes.size()), "begins");
  device.run(*kernel,
             mapping_arguments{.first_buckets = buckets_there.as<u32>(),
                               .exponents = exponents_there.as<int>(),
                               .keys = keys_there.as<float>(),
                               .buckets = buckets.as<u32>(),
                               .words = words.as<u64>(),
                               .begins = begins.as<float>(),
                               .changes = static_cast<u32>(changes.size()),
                               .key_count = static_cast<u32>(keys.size()),
                               .first = late,
                               .buckets_per_key = buckets_per_key},
             1, 0);
  mapped result;
  const auto buckets_read = device.read<u32>(buckets);
  for (std::size_t i = 0; i <= changes.size(); ++i) {
    const auto begin = buckets_read.begin() + static_cast<std::ptrdiff_t>(i * keys.size());
    result.buckets.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(keys.size()));
  }
  result.words = device.read<u64>(words);
  result.begins = device.read<float>(begins);
  return result;
}

/// Returns changes as a manager makes them: the window moves on, and a new width begins at the window or some buckets
/// above.
std::vector<change> random_changes(random_numbers& random, u32 count, u32 highest_step) {
  std::vector<change> drawn_changes;
  u32 window = late;
  for (u32 i = 0; i < count; ++i) {
    window += random.below(highest_step);
    const u32 first_bucket = window + (random.chance(50) ? random.below(10) : 0);
    drawn_changes.push_back({first_bucket, static_cast<int>(random.below(7)) - 3});
    window = first_bucket;
  }
  return drawn_changes;
}

}  // namespace

TEST_CASE("buckets of whole keys are those of two exact lines") {
  constexpr int delta = 16;
  std::vector<float> keys;
  for (u32 key = 0; key < 6000; ++key) keys.push_back(static_cast<float>(key));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    random_numbers random(seed);
    const std::vector<change> changes = random_changes(random, 20, 12);
    const mapped mapping = map_keys(keys, changes, 1.0F / delta);
    // In units of an eighth of a key, all widths are whole numbers.
    long base = 0;
    long first = late;
    long below = 8 * delta;
    long above = 8 * delta;
    for (std::size_t i = 0; i <= changes.size(); ++i) {
      CAPTURE(i);
      if (i != 0) {
        const auto [first_bucket, exponent] = changes[i - 1];
        base += (first_bucket - first) * above;
        first = first_bucket;
        below = above;
        above = exponent < 0 ? 8 * delta >> -exponent : 8 * delta << exponent;
        REQUIRE(mapping.begins[i - 1] == static_cast<float>(base) / 8);
      }
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const long past = 8 * static_cast<long>(k) - base;
        const long bucket = past >= 0 ? first + past / above : first - (-past + below - 1) / below;
        CAPTURE(k);
        REQUIRE(mapping.buckets[i][k] == static_cast<u32>(std::max(bucket, 0L)));
      }
      CHECK((mapping.words[i] >> 40 & 15) == i % 16);
    }
  }
}

TEST_CASE("between the window and where a new width begins, buckets stay as they are") {
  std::vector<float> keys;
  for (u32 key = 0; key < 4000; ++key) keys.push_back(0.37F * static_cast<float>(key));
  random_numbers random(7);
  const std::vector<change> changes = random_changes(random, 30, 8);
  const mapped mapping = map_keys(keys, changes, 0.21F);
  std::size_t compared = 0;
  for (std::size_t i = 1; i <= changes.size(); ++i) {
    const u32 lowest = i < 2 ? late : changes[i - 2].first_bucket;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const u32 before = mapping.buckets[i - 1][k];
      if (before < lowest || before + 1 >= changes[i - 1].first_bucket) continue;
      CAPTURE(i, k);
      // Rounding may move a key across the border of two buckets.
      REQUIRE(std::max(before, mapping.buckets[i][k]) - std::min(before, mapping.buckets[i][k]) <= 1);
      ++compared;
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("buckets never fall as the key rises, and have at most 28 bits") {
  std::vector<float> keys = {0.0F, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::min()};
  for (float key = 1e-30F; key < 1e38F; key *= 1.7F) keys.push_back(key);
  for (u32 i = 0; i < 3000; ++i) keys.push_back(static_cast<float>(i) * 1.37F);
  keys.push_back(std::numeric_limits<float>::max());
  std::sort(keys.begin(), keys.end());
  const float width = GENERATE(1e-6F, 0.02F, 3.0F, 1e6F);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(width, seed);
    random_numbers random(seed);
    const mapped mapping = map_keys(keys, random_changes(random, 40, seed % 2 == 0 ? 8 : 20'000), 1 / width);
    for (const std::vector<u32>& buckets : mapping.buckets) {
      REQUIRE(std::is_sorted(buckets.begin(), buckets.end()));
      REQUIRE(buckets.back() < number_end);
    }
  }
}

}  // namespace mlmq::tests
