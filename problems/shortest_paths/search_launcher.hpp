// SPDX-License-Identifier: Apache-2.0
// Runs of a search kernel as a resident grid: what a query resets, the watchdog, the status and the work counters.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "backends/backend.hpp"
#include "problems/shortest_paths/counters.hpp"
#include "problems/shortest_paths/resident_grid.hpp"
#include "problems/shortest_paths/solver.hpp"
#include "search_abi.cuh"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// Who resets what before a query.
struct resets {
  bool distances = true;  ///< the host; else the kernel does
  /// There are two sets of control words: while a kernel works with one, it resets the other. The host resets both where
  /// the last kernel did not finish.
  bool spare_control = false;
};

/// Owns the kernel, the control words and the counters of one solver.
class search_launcher {
 public:
  /// @param control_bytes of the kernel's control words; the first is its run_status
  /// @param abort_offset bytes from the first control word to the one that the host sets to stop the run
  search_launcher(const search_input& input, std::size_t control_bytes, std::size_t abort_offset, resets by = {});

  /// What run() runs from now on. @throws backends::launch_error as resident_grid()
  void prepare(std::shared_ptr<const backends::kernel> compiled, const grid_bounds& bounds,
               tuner::instrumentation mode);

  [[nodiscard]] unsigned grid_blocks() const { return grid_blocks_; }
  /// Of the next run.
  [[nodiscard]] void* control() const { return control_words(turn_); }
  /// That the next run resets; null unless there are two.
  [[nodiscard]] void* spare_control() const { return by_.spare_control ? control_words(1 - turn_) : nullptr; }
  /// Where the kernel adds its counts or records its timeline; null unless it does.
  [[nodiscard]] u64* counters();

  /// Resets distances, control words and counters, then launches; all of it is timed. With a timeline, again with longer
  /// intervals until the run fits into them. Copies the distances to where search_input::answer says.
  /// @param reported the counters that the solver has, if it counts
  template <class Arguments>
  run_status run(const Arguments& arguments, double time_limit_ms, std::span<const counter> reported,
                 tuner::run_report& report) {
    return run({.grid_blocks = grid_blocks_,
                .shared_bytes = shared_bytes_,
                .arguments = &arguments,
                .argument_bytes = sizeof arguments},
               time_limit_ms, reported, report);
  }

 private:
  run_status run(const backends::launch_spec& spec, double time_limit_ms, std::span<const counter> reported,
                 tuner::run_report& report);
  /// One launch with everything reset, and then the copies. @return milliseconds
  double launch(const backends::launch_spec& spec, unsigned interval_shift,
                std::span<const backends::wanted_copy> wanted);

  [[nodiscard]] void* control_words(unsigned turn) const { return control_.as<std::byte>() + turn * control_bytes_; }

  const search_input& input_;
  resets by_;
  std::size_t control_bytes_;  // of one set
  unsigned turn_ = 0;          // which set the next run works with
  bool is_reset_ = false;      // this set is
  std::shared_ptr<const backends::kernel> kernel_;
  tuner::instrumentation mode_ = tuner::instrumentation::none;
  std::size_t shared_bytes_ = 0;
  unsigned grid_blocks_ = 0;
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

/// Runs once: the room that a search needs follows from the graph.
/// @param full what was full if it does not suffice after all, for a person
[[nodiscard]] tuner::run_report run_in_room(const std::string& full,
                                            const std::function<run_status(tuner::run_report&)>& run_once,
                                            double time_limit_ms);

}  // namespace mlmq::problems
