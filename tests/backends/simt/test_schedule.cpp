// SPDX-License-Identifier: Apache-2.0
// Seeds and modelled time.
#include <catch2/catch.hpp>
#include <set>
#include <thread>

#include "simt_test.hpp"

using namespace mlmq::backends;
using namespace mlmq::backends::simulator;
using tests::test_device;

namespace {

struct order_arguments {
  u32* next;
  u32* tickets;
};

struct outcome {
  double ms;
  std::uint64_t trace;
  std::vector<u32> tickets;
  bool operator==(const outcome&) const = default;
};

outcome serve(test_device& device, const kernel& variant, std::uint64_t seed) {
  device->set_seed(seed);
  const device_memory next = device.make(std::vector<u32>(1));
  const device_memory tickets = device->allocate(test_device::threads * sizeof(u32), "tickets");
  const double ms = device.run(variant, order_arguments{next.as<u32>(), tickets.as<u32>()});
  return {ms, device->last_launch().trace_hash, device.read<u32>(tickets)};
}

struct timing_arguments {
  u32* words;
  u32 stride;
  u32 lanes;
  u32 rounds;
};

/// Returns the modelled ns of a launch of 1024 threads, without the launch's overhead.
double time_of(test_device& device, const std::string& entry, u32 stride, u32 lanes, u32 rounds) {
  const device_memory words = device.make(std::vector<u32>(1024 * std::max(stride, 1u)));
  const auto variant = device.compile("timing.cu", entry);
  device.run(*variant, timing_arguments{words.as<u32>(), stride, lanes, rounds}, 16);
  return device->last_launch().modelled_ns;
}

}  // namespace

TEST_CASE("a launch that is interrupted ends soon, and later ones do not begin") {
  test_device device;
  const device_memory words = device.make(std::vector<u32>(1024));
  const auto variant = device.compile("timing.cu", "adds");
  const timing_arguments endless{words.as<u32>(), 1, 32, 1u << 31};
  std::thread impatient([&device] {
    const std::uint64_t before = device->progress();
    while (device->progress() == before) std::this_thread::yield();  // until the launch continues
    device->interrupt();
  });
  CHECK_THROWS_AS(device.run(*variant, endless), interrupted);
  impatient.join();
  CHECK_THROWS_AS(device.run(*variant, timing_arguments{words.as<u32>(), 1, 32, 1}), interrupted);
}

TEST_CASE("a seed gives the same run again, on any device object") {
  test_device device;
  const auto variant = device.compile("order.cu", "serve");
  const outcome first = serve(device, *variant, 5);
  CHECK(serve(device, *variant, 5) == first);
  test_device another;
  // Memory that has been freed must not make a difference.
  static_cast<void>(another->allocate(12345, "freed at once"));
  CHECK(serve(another, *another.compile("order.cu", "serve"), 5) == first);
}

TEST_CASE("looking for races does not change the run") {
  test_device checked;
  simulator_settings settings = tests::test_settings();
  settings.detect_races = false;
  settings.detect_unwritten = false;
  test_device fast(settings);
  CHECK(serve(checked, *checked.compile("order.cu", "serve"), 3) == serve(fast, *fast.compile("order.cu", "serve"), 3));
}

TEST_CASE("different seeds interleave differently and count the same") {
  test_device device;
  const auto variant = device.compile("order.cu", "serve");
  std::set<std::vector<u32>> orders;
  std::set<std::uint64_t> traces;
  for (unsigned seed = 0; seed < 20; ++seed) {
    outcome result = serve(device, *variant, seed);
    orders.insert(result.tickets);
    traces.insert(result.trace);
    std::sort(result.tickets.begin(), result.tickets.end());
    for (u32 i = 0; i < test_device::threads; ++i) CHECK(result.tickets[i] == i);
  }
  CHECK(orders.size() == 20);
  CHECK(traces.size() == 20);
}

TEST_CASE("launches of one seed differ from each other") {
  test_device device;
  const auto variant = device.compile("order.cu", "serve");
  const device_memory next = device.make(std::vector<u32>(1));
  const device_memory tickets = device->allocate(2 * test_device::threads * sizeof(u32), "tickets");
  const order_arguments arguments{next.as<u32>(), tickets.as<u32>()};
  device.run(*variant, arguments);
  const std::uint64_t first = device->last_launch().trace_hash;
  device.run(*variant, arguments);
  CHECK(device->last_launch().trace_hash != first);
}

TEST_CASE("statistics count every operation") {
  test_device device;
  serve(device, *device.compile("order.cu", "serve"), 1);
  const launch_statistics& statistics = device->last_launch();
  CHECK(statistics.atomics == test_device::threads);
  CHECK(statistics.stores == test_device::threads);
  CHECK(statistics.loads + statistics.collectives + statistics.fences + statistics.backoffs == 0);
  CHECK(statistics.operations() == 2 * test_device::threads);
}

TEST_CASE("updates of one word take longer than updates of many") {
  test_device device(tests::test_settings(), "simt:4x8");
  const double apart = time_of(device, "adds", 32, 32, 100);
  const double together = time_of(device, "adds", 0, 32, 100);
  CHECK(together > 2 * apart);
}

TEST_CASE("lanes work side by side") {
  test_device device(tests::test_settings(), "simt:4x8");
  const double one_lane = time_of(device, "loads", 1, 1, 100);
  const double all_lanes = time_of(device, "loads", 1, 32, 100);
  CHECK(one_lane > 100 * 100);
  CHECK(all_lanes < 1.3 * one_lane);
  CHECK(all_lanes >= 0.9 * one_lane);
}

TEST_CASE("time passes for the host and for the lanes") {
  test_device device;
  const device_memory words = device.make(std::vector<u32>(test_device::threads));
  const auto variant = device.compile("timing.cu", "waits");
  const timing_arguments arguments{words.as<u32>(), 1, 32, 50000};
  const double ms = device.run(*variant, arguments);
  CHECK(ms == Approx(0.003 + device->last_launch().modelled_ns * 1e-6));
  const u32 waited = device.read<u32>(words).front();
  CHECK(waited > 40000);
  CHECK(waited < 60000);
  const double twice = device->measure([&] {
    device->fill(words, 0, words.bytes(), 0);
    device.run(*variant, arguments);
  });
  CHECK(twice > 0.042 + 0.003 + 0.002);
  CHECK(device->measure([] {}) == 0.0);
}

TEST_CASE("stalls cause more switches, but the same answers") {
  simulator_settings settings = tests::test_settings();
  settings.stall_every = 10;
  test_device device(settings);
  const auto variant = device.compile("order.cu", "serve");
  const outcome stalled = serve(device, *variant, 1);
  test_device steady;
  CHECK(stalled.trace != serve(steady, *variant, 1).trace);
  CHECK(std::set<u32>(stalled.tickets.begin(), stalled.tickets.end()).size() == test_device::threads);
}
