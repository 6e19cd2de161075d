// SPDX-License-Identifier: Apache-2.0
// The GPU itself: refused requests, failing and hanging kernels, and the state of the device afterwards.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backends/device_monitor.hpp"
#include "base/cache_folder.hpp"
#include "base/code_cache.hpp"
#include "base/stopwatch.hpp"
#include "gpu_test.hpp"

using namespace mlmq;
using namespace mlmq::gpu_tests;
using Catch::Contains;

namespace {

constexpr const char* count_blocks =
    "if (thread_in_block() == 0) reduce_add<order::relaxed, scope::device>(words, 1u);";

/// Each block waits until all blocks have arrived, and counts itself once they have.
constexpr const char* meet = R"(
  if (thread_in_block() == 0) {
    reduce_add<order::release, scope::device>(words, 1u);
    u32 arrived = 0;
    while ((arrived = load_atomic<order::acquire, scope::device>(words)) < grid_blocks() && clock_ns() < end) {
      backoff(200);
    }
    if (arrived >= grid_blocks()) reduce_add<order::relaxed, scope::device>(words + 1, 1u);
  })";

/// Ends when the first word is not 0, like searches whose abort word is set.
constexpr const char* obey = R"(
  if (thread_in_block() == 0) {
    while (load_atomic<order::relaxed, scope::device>(words) == 0 && clock_ns() < end) backoff(200);
    if (clock_ns() < end) reduce_add<order::relaxed, scope::device>(words + 1, 1u);
  })";

constexpr const char* ignore_everything = "while (clock_ns() < end) backoff(1000);";
constexpr const char* write_nowhere = "store(reinterpret_cast<u32*>(u64{64}), 1u);";

/// Returns the fault that `work` ends with.
template <class Work>
backends::kernel_fault fault_of(const Work& work) {
  try {
    work();
  } catch (const backends::kernel_fault& fault) {
    return fault;
  }
  FAIL("no fault");
  throw;
}

void check_usable(backends::backend& device) {
  probe counter(device, count_blocks);
  counter.run(7);
  CHECK(counter.words().at(0) == 7);
}

}  // namespace

TEST_CASE("doctor describes the GPU as its driver does") {
  const auto device = open_device();
  const backends::device_info seen = backends::inspect_device(device_selector());
  const backends::device_info& info = device->info();
  CHECK(info.selector == device_selector());
  CHECK(info.name == seen.name);
  CHECK(info.uuid == seen.uuid);
  CHECK(info.memory_bytes == seen.memory_bytes);
  CHECK(info.memory_bytes > (std::uint64_t{1} << 30));
  CHECK(info.multiprocessors > 0);
  CHECK(info.warp_slots >= 8);
}

TEST_CASE("device memory keeps its contents, for every size and from any thread") {
  const auto device = open_device();
  // Arrays of more than 128 MB are copied in pieces, and from then on also smaller ones.
  for (const std::size_t count : {1UL, 3UL, 1024UL, 1'000'003UL, 40'000'001UL, 1'000'003UL, 3'000'000UL}) {
    std::vector<std::uint32_t> written(count);
    for (std::size_t i = 0; i < count; ++i) written[i] = static_cast<std::uint32_t>(i * 2654435761U);
    const backends::device_memory memory = backends::uploaded(*device, written, "words");
    std::vector<std::uint32_t> read(count);
    std::thread([&] {
      device->enter();
      device->download(read.data(), memory, memory.bytes());
    }).join();
    device->enter();
    CHECK(read == written);
    device->measure([&] { device->fill(memory, 0, 4, 0xAB); });
    device->download(read.data(), memory, memory.bytes());
    CHECK(read[0] == 0xABABABABU);
    if (count > 1) CHECK(read[1] == written[1]);
    backends::upload_elements<std::uint32_t>(*device, memory, count, [&](std::size_t first, auto part) {
      for (std::size_t i = 0; i < part.size(); ++i) part[i] = ~written[first + i];
    });
    device->download(read.data(), memory, memory.bytes());
    CHECK(std::ranges::equal(read, written, [](std::uint32_t a, std::uint32_t b) { return a == ~b; }));
  }
}

TEST_CASE("a kernel's time is measured on the device", "[alone][cuda]") {
  const auto device = open_device();
  probe sleeper(*device, ignore_everything, 0.020);
  const double milliseconds = sleeper.run();
  CHECK(milliseconds > 19);
  CHECK(milliseconds < 60);
}

TEST_CASE("the device runs its maximum number of cooperative blocks and refuses more", "[cuda]") {
  const auto device = open_device();
  probe meeting(*device, meet);
  const unsigned most = meeting.kernel().resident_blocks(0);
  REQUIRE(most > 0);
  meeting.run(most);
  CHECK(meeting.words().at(1) == most);
  CHECK_THROWS_AS(meeting.run(most + 1), backends::launch_error);
  // The launch was at fault, not the device.
  check_usable(*device);
  // Blocks that need not wait for each other may be as many as a launch can number.
  probe counter(*device, count_blocks);
  counter.run(3 * most, false);
  CHECK(counter.words().at(0) == 3 * most);
}

TEST_CASE("a launch with more shared memory than the device's limit is refused", "[cuda]") {
  const auto device = open_device();
  probe counter(*device, count_blocks);
  const std::size_t shared_bytes = device->info().shared_bytes_per_block;
  REQUIRE(shared_bytes > 0);
  CHECK(counter.kernel().resident_blocks(shared_bytes) > 0);
  counter.run(2, true, shared_bytes);
  CHECK(counter.words().at(0) == 2);
  CHECK(counter.kernel().resident_blocks(shared_bytes + 1) == 0);
  CHECK_THROWS_AS(counter.run(1, true, shared_bytes + 1), backends::launch_error);
  check_usable(*device);
}

TEST_CASE("an allocation larger than the device's memory fails with both sizes, and freed memory is available again",
          "[alone][cuda]") {
  const auto device = open_device();
  const std::size_t memory_bytes = device->info().memory_bytes;
  CHECK_THROWS_AS(static_cast<void>(device->allocate(2 * memory_bytes, "a large thing")),
                  backends::out_of_device_memory);
  try {
    static_cast<void>(device->allocate(2 * memory_bytes, "a large thing"));
  } catch (const backends::out_of_device_memory& error) {
    CHECK_THAT(error.what(), Contains("a large thing needs") && Contains("GiB free"));
  }
  for (int round = 0; round < 2; ++round) {
    const backends::device_memory most = device->allocate(memory_bytes / 10 * 6, "most of it");
    CHECK_THROWS_AS(static_cast<void>(device->allocate(memory_bytes / 2, "the rest")), backends::out_of_device_memory);
    check_usable(*device);
  }
}

TEST_CASE("the watchdog ends a kernel that checks its abort word, and the device remains usable", "[alone][cuda]") {
  const auto device = open_device();
  probe obedient(*device, obey);
  unsigned fired = 0;
  device->set_watchdog({.limit_ms = 100, .grace_ms = 5000, .fire = [&] {
                          ++fired;
                          device->poke(obedient.memory(), 0, 1);
                        }});
  const double wall = milliseconds_of([&] { obedient.run(4); });
  CHECK(fired == 1);
  CHECK(obedient.words().at(1) == 4);
  CHECK(wall > 95);
  CHECK(wall < 3000);
  device->set_watchdog({});
  check_usable(*device);
}

TEST_CASE("the watchdog abandons a kernel that ignores its abort word, and the device", "[alone][cuda]") {
  auto device = open_device();
  auto endless = std::make_unique<probe>(*device, ignore_everything);
  unsigned fired = 0;
  device->set_watchdog({.limit_ms = 200, .grace_ms = 300, .fire = [&] {
                          ++fired;
                          device->poke(endless->memory(), 0, 1);
                        }});
  const double wall = milliseconds_of([&] {
    const backends::kernel_fault fault = fault_of([&] { endless->run(); });
    CHECK(fault.sticky);
    CHECK(fault.hung);
    CHECK_THAT(fault.what(), Contains("did not react to its abort word"));
  });
  CHECK(fired == 1);
  CHECK(wall > 490);
  CHECK(wall < 3000);
  // Destructors must not wait for the kernel that is still running.
  CHECK(milliseconds_of([&] {
          endless.reset();
          device.reset();
        }) < 1000);
}

TEST_CASE("after an illegal address, every later call reports a lost device and none hangs", "[alone][cuda]") {
  auto device = open_device();
  probe counter(*device, count_blocks);
  auto wild = std::make_unique<probe>(*device, write_nowhere);
  const backends::kernel_fault fault = fault_of([&] { wild->run(); });
  CHECK(fault.sticky);
  CHECK_FALSE(fault.hung);
  CHECK_THAT(fault.what(), Contains("illegal") || Contains("ILLEGAL"));
  CHECK(fault_of([&] { counter.run(1); }).sticky);
  std::uint32_t word = 0;
  CHECK(fault_of([&] { device->download(&word, counter.memory(), sizeof word); }).sticky);
  CHECK(fault_of([&] { device->upload(counter.memory(), &word, sizeof word); }).sticky);
  CHECK_THROWS(device->allocate(1 << 20, "something new"));
  // The device is still lost when this process opens it again; that is an error, not a wrong answer.
  CHECK_THROWS([] {
    const auto again = open_device();
    probe(*again, count_blocks).run(1);
  }());
  CHECK(milliseconds_of([&] { wild.reset(); }) < 1000);
}

TEST_CASE("a trap in a kernel is reported as a fault", "[alone][cuda]") {
  auto device = open_device();
  probe trapped(*device, "asm volatile(\"trap;\");");
  CHECK(fault_of([&] { trapped.run(); }).sticky);
}

TEST_CASE("a compile error contains the compiler's log, and the device remains usable", "[cuda]") {
  const auto device = open_device();
  try {
    const probe broken(*device, "no_such_function();");
    FAIL("compiled");
  } catch (const backends::compile_error& error) {
    CHECK_THAT(error.what(), Contains("no_such_function"));
  }
  check_usable(*device);
}

TEST_CASE("cached machine code that the driver refuses is compiled again", "[cuda]") {
  const auto device = open_device();
  // Tests in other processes share the cache folder: no other test compiles this text, so none replaces its file.
  probe counter(*device, std::string(count_blocks) + "  // cached\n");
  REQUIRE(counter.compile_again().from_cache);
  // The code is complete and has the right checksum, but was made for another machine.
  const char* const foreign = device->info().architecture.starts_with("sm_8") ? "sm_90" : "sm_80";
  const std::string hash = counter.kernel().properties().source_hash;
  const std::string code = counter.machine_code(foreign);
  const std::filesystem::path file = cache_folder() / "cuda" / (hash + ".cubin");
  REQUIRE(std::filesystem::exists(file));
  {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << seal_code(hash, code);
  }
  CHECK_FALSE(counter.compile_again().from_cache);
  counter.run(5);
  CHECK(counter.words().at(0) == 5);
  CHECK(counter.compile_again().from_cache);
}

TEST_CASE("two devices of one process share the GPU", "[cuda]") {
  const auto first_device = open_device();
  const auto other = open_device();
  probe first(*first_device, count_blocks);
  probe second(*other, count_blocks);
  std::thread beside([&] {
    other->enter();
    for (int i = 0; i < 50; ++i) second.run(3);
  });
  first_device->enter();
  for (int i = 0; i < 50; ++i) first.run(2);
  beside.join();
  CHECK(first.words().at(0) == 100);
  other->enter();
  CHECK(second.words().at(0) == 150);
}

TEST_CASE("NVML, if available, reads plausible clocks and power", "[cuda]") {
  const auto device = open_device();
  const auto monitor = backends::open_monitor(device->info());
  if (monitor == nullptr) {
    WARN("no NVML on this machine");
    return;
  }
  const backends::device_readings now = monitor->read();
  if (now.sm_clock_mhz) CHECK((*now.sm_clock_mhz > 50 && *now.sm_clock_mhz < 6000));
  if (now.power_w) CHECK((*now.power_w > 1 && *now.power_w < 3000));
  if (now.temperature_c) CHECK((*now.temperature_c > 0 && *now.temperature_c < 120));
  CHECK((now.sm_clock_mhz || now.power_w || now.temperature_c));
}
