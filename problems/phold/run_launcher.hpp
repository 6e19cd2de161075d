// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of PHOLD: control words, sums, watchdog and results.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "phold/control_abi.cuh"
#include "problems/phold/solver.hpp"

namespace mlmq::phold {

/// Owns the control words and the sums of one solver.
class run_launcher {
 public:
  explicit run_launcher(backends::backend& device);
  run_launcher(const run_launcher&) = delete;
  run_launcher& operator=(const run_launcher&) = delete;
  /// Stops the watchdog, which writes to the control words.
  ~run_launcher();

  [[nodiscard]] run_control* control() const { return control_.as<run_control>(); }
  [[nodiscard]] run_sums* sums() const { return sums_.as<run_sums>(); }

  /// Resets control words and sums, then calls `queue_work`; the time includes both.
  /// @param counts whether the variant counts work
  /// @return the final status; the report has the time and the counters
  run_status run(const std::function<void()>& queue_work, double time_limit_ms, bool counts, tuner::run_report& report,
                 trace& executed);

  /// Waits for the queued work and returns its status, for work that is queued in several steps.
  [[nodiscard]] run_status status();

 private:
  backends::backend& device_;
  backends::device_memory control_;
  backends::device_memory sums_;
};

/// Repeats a run with twice the capacity while it ends with run_status::queue_full.
/// @param grow enlarges the capacity; returns false if that is impossible; may throw backends::out_of_device_memory
/// @param full returns the message about the overflow
[[nodiscard]] tuner::run_report run_with_room(const std::function<run_status(tuner::run_report&)>& run_once,
                                              const std::function<bool()>& grow,
                                              const std::function<std::string()>& full, double time_limit_ms);

/// Returns the blocks of a grid that is completely resident. @param per_multiprocessor 0: as many as fit
/// @throws backends::launch_error if not even one block fits, or fewer than requested
[[nodiscard]] unsigned resident_grid(const backends::backend& device, const backends::kernel& compiled,
                                     std::size_t shared_bytes, unsigned per_multiprocessor);

}  // namespace mlmq::phold
