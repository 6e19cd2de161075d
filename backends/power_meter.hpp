// SPDX-License-Identifier: Apache-2.0
// Measures the mean power of a device while it works or idles.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "backends/device_monitor.hpp"

namespace mlmq::backends {

/// Mean power between two updates of a device's energy counter, which a GPU updates every few tens of milliseconds.
struct mean_power {
  double watts = 0;
  double window_ms = 0;  ///< time between the updates
};

/// Calls `work` again and again until two updates of the energy counter lie at least `window` apart. Another thread
/// watches the counter meanwhile.
/// @returns nothing if `work` returns false or the counter does not change
[[nodiscard]] std::optional<mean_power> measure_power(device_monitor& monitor, std::chrono::milliseconds window,
                                                      const std::function<bool()>& work);

}  // namespace mlmq::backends
