// SPDX-License-Identifier: Apache-2.0
// Reads the state of a device: clocks, temperature, power and reasons for throttling. NVIDIA GPUs report it through
// NVML, an optional library that is opened at run time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::backends {

/// Readings at one moment. A reading that the device does not support is absent.
struct device_readings {
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  std::optional<unsigned> temperature_c;
  std::optional<double> power_w;
  /// Reasons why the clocks are reduced: "power_cap", "thermal", …; empty: they are not reduced.
  std::optional<std::vector<std::string>> throttle_reasons;
};

/// Reads a device. A call takes milliseconds; device_recorder calls it on a separate thread.
class device_monitor {
 public:
  virtual ~device_monitor() = default;
  [[nodiscard]] virtual device_readings read() = 0;
  /// Returns the energy in millijoules since a fixed moment, if the device counts energy.
  [[nodiscard]] virtual std::optional<double> energy_mj() = 0;
};

/// Opens the monitor of a GPU. Returns null for other devices, and if NVML is missing or does not know the GPU. NVML is
/// libnvidia-ml.so.1, or the library in $MLMQ_NVML.
[[nodiscard]] std::unique_ptr<device_monitor> open_monitor(const device_info& device);

}  // namespace mlmq::backends
