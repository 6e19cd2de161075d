// SPDX-License-Identifier: Apache-2.0
// One run of a kernel of PHOLD: control words, sums, the watchdog, and what becomes of them.
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
  /// The watchdog pokes the control words.
  ~run_launcher();

  [[nodiscard]] run_control* control() const { return control_.as<run_control>(); }
  [[nodiscard]] run_sums* sums() const { return sums_.as<run_sums>(); }

  /// Resets control words and sums, then does `queue_work`; both are timed.
  /// @param counts the variant counts work
  /// @return how it ended; the report has its time and, if finished, its counters
  run_status run(const std::function<void()>& queue_work, double time_limit_ms, bool counts, tuner::run_report& report,
                 trace& found);

  /// For work that is queued in several steps: how it stands, after what was queued so far. Waits for it.
  [[nodiscard]] run_status status();

 private:
  backends::backend& device_;
  backends::device_memory control_;
  backends::device_memory sums_;
};

/// Repeats a run with twice the room while it ends as full. @param grow makes more room; false: there is no more.
/// It may throw backends::out_of_device_memory @param full what was full, for a person
[[nodiscard]] tuner::run_report run_with_room(const std::function<run_status(tuner::run_report&)>& run_once,
                                              const std::function<bool()>& grow,
                                              const std::function<std::string()>& full, double time_limit_ms);

/// Blocks of a grid that is resident as a whole. @param per_multiprocessor 0: as many as fit
/// @throws backends::launch_error when not even one fits, or fewer than asked for
[[nodiscard]] unsigned resident_grid(const backends::backend& device, const backends::kernel& compiled,
                                     std::size_t shared_bytes, unsigned per_multiprocessor);

}  // namespace mlmq::phold
