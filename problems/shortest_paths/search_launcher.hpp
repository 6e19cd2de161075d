// SPDX-License-Identifier: Apache-2.0
// One run of a search kernel: what a query resets, the watchdog, the status and the work counters.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "backends/backend.hpp"
#include "problems/shortest_paths/counters.hpp"
#include "problems/shortest_paths/solver.hpp"
#include "search_abi.cuh"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// Owns the control words and the counters of one solver.
class search_launcher {
 public:
  /// @param control_bytes of the kernel's control words; the first is its run_status
  /// @param abort_offset bytes from the first control word to the one that the host sets to stop the run
  search_launcher(const search_input& input, std::size_t control_bytes, std::size_t abort_offset);

  [[nodiscard]] void* control() const { return control_.address(); }
  /// Where the kernel adds its counts or records its timeline; null unless it does.
  [[nodiscard]] u64* counters(tuner::instrumentation what);

  /// Resets distances, control words and counters, then launches; all of it is timed. With a timeline, again with longer
  /// intervals until the run fits into them.
  /// @param reported the counters that the solver has, if it counts
  run_status run(const backends::kernel& compiled, const backends::launch_spec& spec, double time_limit_ms,
                 tuner::instrumentation what, std::span<const counter> reported, tuner::run_report& report);

 private:
  /// One launch with everything reset. @return milliseconds
  double launch(const backends::kernel& compiled, const backends::launch_spec& spec, tuner::instrumentation what,
                unsigned interval_shift);

  const search_input& input_;
  std::size_t abort_offset_;
  backends::device_memory control_;
  backends::device_memory counters_;
  backends::device_memory timeline_;  // made when it is needed first
};

/// A queue whose capacity a search may turn out to need more of.
struct growing_queue {
  std::size_t& capacity;  ///< that this graph is known to need; enlarged
  std::size_t largest;
  std::function<void(std::size_t)> reserve;                ///< may throw backends::out_of_device_memory
  std::function<std::string(std::size_t)> full;            ///< what was full at this capacity, for a person
  std::function<run_status(tuner::run_report&)> run_once;  ///< with what is reserved
};

/// Runs until the queue is large enough. A full queue is not the configuration's fault: the search is repeated with four
/// times the room, which is remembered.
[[nodiscard]] tuner::run_report run_with_room(const growing_queue& queue, double time_limit_ms);

}  // namespace mlmq::problems
