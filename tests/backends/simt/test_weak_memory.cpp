// SPDX-License-Identifier: Apache-2.0
// The weak memory model allows weak outcomes for some seed, and for no seed what coherence and happens-before forbid.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"
#include "simt_test.hpp"

using namespace mlmq::backends;
using namespace mlmq::backends::simulator;
using tests::test_device;

namespace {

struct weak_arguments {
  u32* words;
  u32* results;
};

using defines = std::map<std::string, std::string>;

simulator_settings weak_settings() {
  simulator_settings settings = tests::test_settings();
  settings.weak_memory_cycles = 20'000;
  // No thread waits much longer than this for a store.
  settings.livelock_cycles = 200'000;
  return settings;
}

/// Returns the largest of the results under each of `seeds` seeds.
std::vector<u32> outcomes(const std::string& entry, const defines& orders, unsigned seeds,
                          const simulator_settings& settings = weak_settings()) {
  test_device device(settings);
  defines definitions = orders;
  definitions.emplace("UPDATES", "0");
  const auto variant = device.compile("weak.cu", entry, definitions);
  std::vector<u32> seen;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    device->set_seed(seed);
    const device_memory words = device.make(std::vector<u32>(128));
    const device_memory results = device.make(std::vector<u32>(test_device::threads));
    device.run(*variant, weak_arguments{words.as<u32>(), results.as<u32>()});
    const std::vector<u32> all_results = device.read<u32>(results);
    seen.push_back(*std::max_element(all_results.begin(), all_results.end()));
  }
  return seen;
}

bool has(const std::vector<u32>& seen, u32 outcome) {
  return std::find(seen.begin(), seen.end(), outcome) != seen.end();
}

constexpr unsigned some = 60;   // number of seeds under which allowed outcomes have been seen
constexpr unsigned many = 400;  // number of seeds under which forbidden outcomes must not be seen

}  // namespace

TEST_CASE("a message without release and acquire may come without its payload") {
  const std::string entry = GENERATE("message", "block_message");
  CAPTURE(entry);
  for (const auto& [give, take] : std::vector<std::pair<const char*, const char*>>{
           {"relaxed", "relaxed"}, {"release", "relaxed"}, {"relaxed", "acquire"}}) {
    CAPTURE(give, take);
    const auto seen = outcomes(entry, {{"GIVE", give}, {"TAKE", take}}, some);
    CHECK(has(seen, 2));
    CHECK(has(seen, 1));
  }
  const auto seen = outcomes(entry, {{"GIVE", "release"}, {"TAKE", "acquire"}}, many);
  CHECK(std::all_of(seen.begin(), seen.end(), [](u32 outcome) { return outcome == 1; }));
}

TEST_CASE("every message comes with its payload when memory is not weak") {
  const auto seen = outcomes("message", {}, some, tests::test_settings());
  CHECK(std::all_of(seen.begin(), seen.end(), [](u32 outcome) { return outcome == 1; }));
}

TEST_CASE("fences order relaxed words, when they reach far enough") {
  CHECK_FALSE(has(outcomes("fenced_message", {{"REACH", "device"}}, many), 2));
  CHECK(has(outcomes("fenced_message", {{"REACH", "block"}}, some), 2));
}

TEST_CASE("both may miss the other's store, but not with updates") {
  CHECK(has(outcomes("store_buffering", {}, some), 1));
  CHECK_FALSE(has(outcomes("store_buffering", {{"UPDATES", "1"}}, many), 1));
}

TEST_CASE("one word never goes backwards for a lane, and a lane sees its own stores") {
  CHECK_FALSE(has(outcomes("coherence", {}, 100), 1));
}

TEST_CASE("a value seen by another lane is not missed after its message") {
  CHECK(has(outcomes("relayed", {}, some), 1));
  CHECK_FALSE(has(outcomes("relayed", {{"GIVE", "release"}, {"TAKE", "acquire"}}, many), 1));
}

TEST_CASE("updates lose nothing and see the newest") {
  test_device device(weak_settings());
  const auto variant = device.compile("weak.cu", "updates", {{"UPDATES", "0"}});
  for (unsigned seed = 0; seed < 30; ++seed) {
    device->set_seed(seed);
    const device_memory words = device.make(std::vector<u32>(128));
    const device_memory results = device.make(std::vector<u32>(test_device::threads));
    device.run(*variant, weak_arguments{words.as<u32>(), results.as<u32>()});
    CHECK(device.read<u32>(words).front() == 5 * test_device::threads);
    CHECK(device.read<u32>(results) == std::vector<u32>(test_device::threads));
  }
}

TEST_CASE("work that is done may be seen before its count, unless it is released and acquired") {
  CHECK(has(outcomes("termination", {}, some), 1));
  CHECK(has(outcomes("termination", {{"GIVE", "release"}}, some), 1));
  CHECK(has(outcomes("termination", {{"TAKE", "acquire"}}, some), 1));
  CHECK_FALSE(has(outcomes("termination", {{"GIVE", "release"}, {"TAKE", "acquire"}}, many), 1));
}

TEST_CASE("the words of a quad are four words, a word of 64 bits is one") {
  CHECK(has(outcomes("quads", {}, some), 1));
  CHECK_FALSE(has(outcomes("halves", {}, 100), 1));
}

TEST_CASE("at the end of a launch everything is visible") {
  test_device device(weak_settings());
  const auto stores = device.compile("weak.cu", "stores", {{"UPDATES", "0"}});
  const auto loads = device.compile("weak.cu", "loads", {{"UPDATES", "0"}});
  for (unsigned seed = 0; seed < some; ++seed) {
    device->set_seed(seed);
    const device_memory words = device.make(std::vector<u32>(128));
    const device_memory results = device.make(std::vector<u32>(test_device::threads));
    const weak_arguments arguments{words.as<u32>(), results.as<u32>()};
    device.run(*stores, arguments);
    device.run(*loads, arguments);
    CHECK(device.read<u32>(results) == std::vector<u32>(test_device::threads));
  }
}

TEST_CASE("a seed gives the same weak run again, wherever the memory lies") {
  test_device device(weak_settings());
  test_device another(weak_settings());
  static_cast<void>(another->allocate(123456, "freed at once"));
  const auto variant = device.compile("weak.cu", "coherence", {{"UPDATES", "0"}});
  std::set<std::uint64_t> traces;
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (test_device* const target : {&device, &another}) {
      (*target)->set_seed(seed);
      const device_memory words = target->make(std::vector<u32>(128));
      const device_memory results = target->make(std::vector<u32>(test_device::threads));
      target->run(*variant, weak_arguments{words.as<u32>(), results.as<u32>()});
    }
    CHECK(device->last_launch().trace_hash == another->last_launch().trace_hash);
    traces.insert(device->last_launch().trace_hash);
  }
  CHECK(traces.size() == 20);
}

TEST_CASE("a weak memory without clocks, or slower than the livelock detector allows, is refused") {
  simulator_settings settings = weak_settings();
  settings.detect_races = false;
  CHECK_THROWS_AS(test_device(settings), mlmq::input_error);
  settings = weak_settings();
  settings.weak_memory_cycles = 20'001;
  CHECK_THROWS_AS(test_device(settings), mlmq::input_error);
}
