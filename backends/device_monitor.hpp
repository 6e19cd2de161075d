// SPDX-License-Identifier: Apache-2.0
// State of a device: clocks, temperature, power, reasons for throttling. NVIDIA GPUs report it through NVML, which is
// optional and opened at run time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::backends {

/// What one look found; absent what the device does not offer.
struct device_readings {
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  std::optional<unsigned> temperature_c;
  std::optional<double> power_w;
  /// Why the clocks are below what they could be: "power_cap", "thermal", …; empty: they are not.
  std::optional<std::vector<std::string>> throttle_reasons;
};

/// Takes milliseconds a call: see device_recorder.
class device_monitor {
 public:
  virtual ~device_monitor() = default;
  [[nodiscard]] virtual device_readings read() = 0;
  /// Energy since some fixed moment, in millijoule, where the device counts it.
  [[nodiscard]] virtual std::optional<double> energy_mj() = 0;
};

/// The monitor of a GPU, or null: for other devices, and where NVML or the GPU in it is not found. NVML is
/// libnvidia-ml.so.1, or the library that $MLMQ_NVML names.
[[nodiscard]] std::unique_ptr<device_monitor> open_monitor(const device_info& device);

}  // namespace mlmq::backends
