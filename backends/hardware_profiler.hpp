// SPDX-License-Identifier: Apache-2.0
// Reads hardware counters of NVIDIA GPUs through CUPTI, an optional library that is opened at run time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::backends {

/// A number that a GPU counts while it works.
struct hardware_counter {
  std::string_view group;    ///< "dram", "l1", "l2", "instructions", "threads", "occupancy" or "atomics"
  std::string_view name;     ///< "dram_read_bytes"
  std::string_view meaning;  ///< in words
  std::string_view metric;   ///< CUPTI's and Nsight Compute's name of it
  double scale = 1;          ///< the counter is the metric times this
};

/// Returns all hardware counters that can be read, by group.
[[nodiscard]] std::span<const hardware_counter> all_hardware_counters();

/// Counts during the work of the calling thread's context.
class hardware_profiler {
 public:
  virtual ~hardware_profiler() = default;
  /// Calls `run` once or several times, since a GPU counts only some counters at a time. Every call must do the same
  /// work, and return after the work has ended. Returns the counters of one call, or nothing if a call returns false.
  /// @throws work_error
  [[nodiscard]] virtual std::optional<std::vector<std::pair<std::string, double>>> count(
      const std::function<bool()>& run) = 0;
};

/// Opens the profiler of a GPU whose context is current. CUPTI is the library in $MLMQ_CUPTI, or that of the toolkit.
/// @param groups  groups of counters, each known
/// @throws work_error  if CUPTI is missing, does not know the GPU, or may not count, with what to do
[[nodiscard]] std::unique_ptr<hardware_profiler> open_profiler(const device_info& device,
                                                               std::span<const std::string> groups);

/// Whether hardware counters can be read on this machine, by its library and the settings of its driver.
struct profiler_state {
  std::string library;  ///< path or name of CUPTI; empty: none can be opened
  std::string problem;  ///< why counters cannot be read, and what to do; empty: they can
};
[[nodiscard]] profiler_state find_profiler();

/// Returns whether the driver lets a process read counters.
/// @param driver_parameters  text of /proc/driver/nvidia/params
/// @param process_status  text of /proc/self/status
[[nodiscard]] bool may_count(std::string_view driver_parameters, std::string_view process_status);

}  // namespace mlmq::backends
