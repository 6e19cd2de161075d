// SPDX-License-Identifier: Apache-2.0
// Reading clocks, power and energy through a library that looks like NVML.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backends/device_monitor.hpp"
#include "tests/support/environment.hpp"

namespace {

using namespace mlmq::backends;

device_info gpu(const std::string& uuid) {
  device_info info;
  info.kind = "cuda";
  info.uuid = uuid;
  return info;
}

}  // namespace

TEST_CASE("a GPU's monitor reads the values that the device offers") {
  const mlmq::tests::environment fake("MLMQ_NVML", MLMQ_TEST_FAKE_NVML);
  const auto monitor = open_monitor(gpu("GPU-1"));
  REQUIRE(monitor != nullptr);
  const device_readings now = monitor->read();
  CHECK(now.sm_clock_mhz == 1755U);
  CHECK_FALSE(now.memory_clock_mhz.has_value());
  CHECK_FALSE(now.temperature_c.has_value());
  CHECK(now.power_w == 431.5);
  // An idle GPU is not listed as throttled.
  CHECK(now.throttle_reasons == std::vector<std::string>{"power_cap", "hardware_thermal"});
  CHECK(monitor->energy_mj() == 7500.0);
  CHECK(monitor->energy_mj() == 8000.0);
}

TEST_CASE("without NVML, for an unknown GPU and for other devices there is no monitor") {
  {
    const mlmq::tests::environment fake("MLMQ_NVML", MLMQ_TEST_FAKE_NVML);
    CHECK(open_monitor(gpu("GPU-2")) == nullptr);
    device_info simulated = gpu("GPU-1");
    simulated.kind = "simt";
    CHECK(open_monitor(simulated) == nullptr);
    CHECK(open_monitor(gpu("")) == nullptr);
  }
  const mlmq::tests::environment absent("MLMQ_NVML", "/nonexistent/libnvidia-ml.so.1");
  CHECK(open_monitor(gpu("GPU-1")) == nullptr);
}

TEST_CASE("a library without these functions is no NVML") {
  const mlmq::tests::environment other("MLMQ_NVML", "libm.so.6");
  CHECK(open_monitor(gpu("GPU-1")) == nullptr);
}
