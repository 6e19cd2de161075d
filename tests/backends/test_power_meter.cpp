// SPDX-License-Identifier: Apache-2.0
// Mean power from an energy counter that is updated now and then.
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "backends/power_meter.hpp"

namespace {

using namespace mlmq::backends;
using clock = std::chrono::steady_clock;

/// A device of 200 W whose counter is updated every 20 ms.
class slow_counter final : public device_monitor {
 public:
  [[nodiscard]] device_readings read() override { return {}; }
  [[nodiscard]] std::optional<double> energy_mj() override {
    const double ms = std::chrono::duration<double, std::milli>(clock::now() - start_).count();
    return 200 * 20 * std::floor(ms / 20);
  }

 private:
  clock::time_point start_ = clock::now();
};

class fixed_counter final : public device_monitor {
 public:
  explicit fixed_counter(std::optional<double> reading) : reading_(reading) {}
  [[nodiscard]] device_readings read() override { return {}; }
  [[nodiscard]] std::optional<double> energy_mj() override { return reading_; }

 private:
  std::optional<double> reading_;
};

bool work() {
  std::this_thread::sleep_for(std::chrono::milliseconds(7));
  return true;
}

}  // namespace

TEST_CASE("power is measured between updates of the energy counter") {
  slow_counter counter;
  const auto power = measure_power(counter, std::chrono::milliseconds(200), work);
  REQUIRE(power.has_value());
  CHECK(power->window_ms >= 200);
  // The thread that reads the counter may be late on a busy machine.
  CHECK(power->watts == Approx(200).epsilon(0.15));
}

TEST_CASE("work that fails ends the measurement") {
  slow_counter counter;
  int calls = 0;
  CHECK_FALSE(
      measure_power(counter, std::chrono::milliseconds(200), [&] { return ++calls < 3 && work(); }).has_value());
  CHECK(calls == 3);
}

TEST_CASE("a counter that does not change or cannot be read gives no power") {
  const std::optional<double> reading = GENERATE(std::optional<double>(1.0), std::optional<double>());
  fixed_counter counter(reading);
  CHECK_FALSE(measure_power(counter, std::chrono::milliseconds(10), work).has_value());
}
