// SPDX-License-Identifier: Apache-2.0
// Every planted mistake is reported with its kind and its lines in the kernel; the corrected kernel runs under 50
// seeds.
#include <catch2/catch.hpp>

#include "simt_test.hpp"

using namespace mlmq::backends;
using namespace mlmq::backends::simulator;
using tests::finding;
using tests::marked_line;
using tests::test_device;

namespace {

struct planted {
  std::string entry;
  std::string kind;
  std::vector<std::string> marks;  ///< marks of the lines that the report must name
};

void has_finding(const std::string& message, const std::string& file, const planted& expected) {
  INFO(message);
  CHECK(message.find("simt: " + expected.kind + ": kernel '" + expected.entry + "'") == 0);
  for (const std::string& mark : expected.marks) {
    const std::string line = marked_line(file, mark);
    CAPTURE(line);
    CHECK(message.find(line) != std::string::npos);
  }
}

constexpr unsigned seeds = 50;

}  // namespace

TEST_CASE("wrong accesses are reported") {
  struct {
    u32* words;
    u32 count;
    u32* other;
  } arguments{};
  const planted expected = GENERATE(values<planted>({
      {"out_of_bounds", "out of bounds", {"out_of_bounds"}},
      {"shared_out_of_bounds", "out of bounds", {"shared_out_of_bounds"}},
      {"misaligned", "misaligned access", {"misaligned"}},
      {"use_after_free", "use after free", {"use_after_free"}},
      {"null_pointer", "out of bounds", {"null_pointer"}},
      {"unwritten_shared", "unwritten shared memory", {"unwritten_shared"}},
      {"unwritten_device", "unwritten device memory", {"unwritten_device"}},
      {"wrong_space", "wrong memory space", {"wrong_space"}},
      {"readonly_written", "read-only data written", {"readonly_written"}},
  }));
  CAPTURE(expected.entry);
  const std::string file = "planted_memory.cu";
  test_device device;
  constexpr u32 count = test_device::threads;
  // The operation of shared_out_of_bounds reads a word that was never written.
  const bool own_initialisation = expected.entry != "shared_out_of_bounds";
  simulator_settings relaxed = tests::test_settings();
  relaxed.detect_unwritten = own_initialisation;
  test_device unchecked(relaxed);
  test_device& used = own_initialisation ? device : unchecked;

  const device_memory words = used.make(std::vector<u32>(count), "the words");
  device_memory other = used->allocate(count * sizeof(u32), "the others");
  arguments = {words.as<u32>(), count, other.as<u32>()};
  if (expected.entry == "use_after_free") other = {};

  const auto right = used.compile(file, expected.entry, {{"FIXED", "1"}});
  for (unsigned seed = 0; seed < seeds; ++seed) {
    used->set_seed(seed);
    REQUIRE(finding(used, *right, arguments) == "");
  }
  const auto wrong = used.compile(file, expected.entry, {{"FIXED", "0"}});
  const std::string message = finding(used, *wrong, arguments);
  has_finding(message, file, expected);
  // The device can be used again.
  CHECK(finding(used, *right, arguments) == "");
}

TEST_CASE("reports name memory, offset and lane") {
  struct {
    u32* words;
    u32 count;
    u32* other;
  } arguments{};
  test_device device;
  constexpr u32 count = test_device::threads;
  const device_memory words = device.make(std::vector<u32>(count), "edges of road24");
  arguments = {words.as<u32>(), count, nullptr};
  const auto wrong = device.compile("planted_memory.cu", "out_of_bounds", {{"FIXED", "0"}});
  const std::string message = finding(device, *wrong, arguments);
  INFO(message);
  CHECK(message.find("(seed 1, launch 1)") != std::string::npos);
  CHECK(message.find("block 0 warp 0 lane 0 at planted_memory.cu:") != std::string::npos);
  CHECK(message.find("byte 512 of edges of road24, which has 512 bytes") != std::string::npos);
}

TEST_CASE("an assertion that does not hold is reported, in checked variants only") {
  struct {
    u32* words;
    u32 count;
    u32* other;
  } arguments{};
  test_device device;
  const device_memory words = device.make(std::vector<u32>(test_device::threads));
  arguments = {words.as<u32>(), test_device::threads, nullptr};
  const auto checked = device.compile("asserts.cu", "asserts", {{"SIMT_CHECKED", "1"}, {"LIMIT", "31"}});
  const std::string message = finding(device, *checked, arguments);
  has_finding(message, "asserts.cu", {"asserts", "assertion", {"assertion"}});
  CHECK(message.find("simt::warp_max(simt::lane()) < LIMIT does not hold") != std::string::npos);

  const auto holds = device.compile("asserts.cu", "asserts", {{"SIMT_CHECKED", "1"}, {"LIMIT", "32"}});
  CHECK(finding(device, *holds, arguments) == "");
  CHECK(device->last_launch().collectives == test_device::threads);
  const auto unchecked = device.compile("asserts.cu", "asserts", {{"LIMIT", "31"}});
  CHECK(finding(device, *unchecked, arguments) == "");
  CHECK(device->last_launch().collectives == 0);
}

TEST_CASE("lanes that wait forever are reported") {
  struct {
    u32* words;
  } arguments{};
  const planted expected = GENERATE(values<planted>({
      {"divergent_branch", "divergent collective", {"divergent_branch", "divergent_branch_other"}},
      {"divergent_return", "divergent collective", {"divergent_return"}},
      {"divergent_barrier", "divergent collective", {"divergent_barrier", "divergent_barrier_other"}},
      {"deadlock", "deadlock", {"deadlock"}},
      {"lost_wakeup", "livelock", {}},
      {"spin", "livelock", {"spin"}},
      {"endless", "time limit", {"endless"}},
  }));
  CAPTURE(expected.entry);
  const std::string file = "planted_waiting.cu";
  simulator_settings settings = tests::test_settings();
  settings.livelock_cycles = 100'000;
  settings.time_limit_ms = 1;
  test_device device(settings);
  const auto launch = [&](const kernel& variant) {
    const device_memory words = device.make(std::vector<u32>(64), "words");
    arguments = {words.as<u32>()};
    return finding(device, variant, arguments);
  };
  const auto right = device.compile(file, expected.entry, {{"FIXED", "1"}});
  for (unsigned seed = 0; seed < seeds; ++seed) {
    device->set_seed(seed);
    REQUIRE(launch(*right) == "");
  }
  const auto wrong = device.compile(file, expected.entry, {{"FIXED", "0"}});
  std::string message;
  // Only some schedules lose the wake-up.
  for (unsigned seed = 0; seed < seeds && message.empty(); ++seed) {
    device->set_seed(seed);
    message = launch(*wrong);
  }
  has_finding(message, file, expected);
  if (expected.entry == "lost_wakeup") {
    // The lane may be at any place in its loop.
    CHECK((message.find(marked_line(file, "lost_wakeup")) != std::string::npos ||
           message.find(marked_line(file, "lost_wakeup_condition")) != std::string::npos));
  }
  if (expected.entry == "divergent_branch") {
    CHECK(message.find("lanes 0-15 at ballot") != std::string::npos);
    CHECK(message.find("lanes 16-31 at sync_warp") != std::string::npos);
  }
  if (expected.entry == "divergent_return") {
    CHECK(message.find("block 1 warp ") != std::string::npos);
    CHECK(message.find("lanes 0-4,6-31 at warp_add") != std::string::npos);
    CHECK(message.find("lane 5 ended") != std::string::npos);
  }
  CHECK(launch(*right) == "");
}

TEST_CASE("races are reported") {
  struct {
    u32* words;
  } arguments{};
  const planted expected = GENERATE(values<planted>({
      {"missing_release", "data race", {"missing_release", "missing_release_other"}},
      {"missing_acquire", "data race", {"missing_acquire", "missing_acquire_other"}},
      {"block_fence", "data race", {"block_fence", "block_fence_other"}},
      {"block_fence_of_reader", "data race", {"block_fence_of_reader", "block_fence_of_reader_other"}},
      {"no_fence", "data race", {"no_fence", "no_fence_other"}},
      {"missing_sync_warp", "data race", {"missing_sync_warp", "missing_sync_warp_other"}},
      {"vote_before_release", "data race", {"vote_before_release", "vote_before_release_other"}},
      {"shuffle_after_acquire", "data race", {"shuffle_after_acquire", "shuffle_after_acquire_other"}},
      {"within_warp", "data race", {"within_warp", "within_warp_other"}},
      {"two_writers", "data race", {"two_writers"}},
      {"plain_read", "data race", {"plain_read"}},
      {"missing_barrier", "data race", {"missing_barrier", "missing_barrier_other"}},
      {"halves", "data race", {"halves"}},
  }));
  CAPTURE(expected.entry);
  const std::string file = "planted_races.cu";
  test_device device;
  const auto launch = [&](test_device& target, const kernel& variant) {
    const device_memory words = target.make(std::vector<u32>(64), "words");
    arguments = {words.as<u32>()};
    return finding(target, variant, arguments);
  };
  const auto right = device.compile(file, expected.entry, {{"FIXED", "1"}});
  const auto wrong = device.compile(file, expected.entry, {{"FIXED", "0"}});
  for (unsigned seed = 0; seed < seeds; ++seed) {
    device->set_seed(seed);
    REQUIRE(launch(device, *right) == "");
    // Races are found under every schedule, not only if the data are really wrong.
    const std::string message = launch(device, *wrong);
    has_finding(message, file, expected);
  }
  SECTION("not when races are not looked for") {
    simulator_settings settings = tests::test_settings();
    settings.detect_races = false;
    test_device fast(settings);
    CHECK(launch(fast, *wrong) == "");
  }
}
