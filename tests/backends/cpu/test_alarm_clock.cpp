// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/alarm_clock.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using mlmq::backends::alarm_clock;

namespace {

bool becomes(const std::atomic<int>& word, int value) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (word != value && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return word == value;
}

}  // namespace

TEST_CASE("an alarm rings once, and again when it is set again") {
  alarm_clock clock;
  std::atomic<int> rung = 0;
  for (int i = 1; i <= 3; ++i) {
    clock.set(2, [&] { ++rung; });
    CHECK(becomes(rung, i));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(rung == 3);
}

TEST_CASE("a cancelled alarm does not ring, also not in the place of the next") {
  alarm_clock clock;
  std::atomic<int> early = 0;
  std::atomic<int> late = 0;
  clock.set(20, [&] { ++early; });
  clock.cancel();
  const int rung_before = early;  // on a busy machine, 20 ms may pass before the alarm is cancelled
  clock.set(60, [&] { ++late; });
  CHECK(becomes(late, 1));
  CHECK(early == rung_before);
}

TEST_CASE("an alarm may be set before one that is already pending") {
  alarm_clock clock;
  std::atomic<int> rung = 0;
  clock.set(1e9, [&] { rung = 1; });
  clock.set(1, [&] { rung = 2; });
  CHECK(becomes(rung, 2));
  clock.set(1e300, [&] { rung = 3; });  // the end of the scope does not wait for this alarm
  clock.cancel();
}

// For ThreadSanitizer: setting an alarm must not change the wake-up time while the clock is about to sleep.
TEST_CASE("an alarm is set again and again while the clock goes to sleep") {
  alarm_clock clock;
  std::atomic<int> rung = 0;
  for (int i = 0; i < 300; ++i) {
    // Earlier than the previous alarm: this wakes the clock, which reads its wake-up time while the next alarm is set.
    clock.set(1e6 - i, [&] { ++rung; });
    if (i % 3 == 0) std::this_thread::yield();
    clock.set(1e7, [&] { ++rung; });
    clock.set(2e6, [&] { ++rung; });
  }
  clock.cancel();
  CHECK(rung == 0);
}
