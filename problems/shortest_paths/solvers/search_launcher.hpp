// SPDX-License-Identifier: Apache-2.0
// Runs a search kernel as a resident grid: resets, watchdog, status and work counters.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "backends/backend.hpp"
#include "problems/graphs/counters.hpp"
#include "problems/shortest_paths/solvers/resident_grid.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "search_abi.cuh"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// Which memory the host resets before a query, and which the kernel.
struct reset_policy {
  bool distances = true;  ///< the host resets the distances; otherwise the kernel does
  /// There are two sets of control words: while a kernel uses one, it resets the other. The host resets both if the
  /// last kernel did not finish.
  bool spare_control = false;
};

/// Owns the kernel, the control words and the counters of one solver.
class search_launcher {
 public:
  /// @param control_bytes size of the kernel's control words, of which the first is its run_status
  /// @param abort_offset bytes from the first control word to the one that the host sets to stop the run
  search_launcher(const search_input& input, std::size_t control_bytes, std::size_t abort_offset,
                  reset_policy policy = {});

  /// Sets the kernel for run(). @throws backends::launch_error like resident_grid()
  void prepare(std::shared_ptr<const backends::kernel> compiled, const grid_bounds& bounds,
               tuner::instrumentation mode);

  [[nodiscard]] unsigned grid_blocks() const { return grid_blocks_; }
  /// The control words of the next run.
  [[nodiscard]] void* control() const { return control_words(active_set_); }
  /// The control words that the next run resets; null if there is only one set.
  [[nodiscard]] void* spare_control() const {
    return reset_policy_.spare_control ? control_words(1 - active_set_) : nullptr;
  }
  /// The memory for counters or the timeline; null if the kernel records neither.
  [[nodiscard]] u64* counters();

  /// Resets distances, control words and counters, then launches; the time includes all of it. With a timeline, repeats
  /// the run with longer intervals until it fits. Then does what search_input::next says.
  /// @param reported the counters of the solver, used if it counts
  /// @param step a member of `arguments` that counts launches. The kernel is then launched until it sets its status,
  /// and
  ///   the host reads that after each launch. Null: one launch.
  template <class Arguments>
  run_status run(const Arguments& arguments, double time_limit_ms, std::span<const counter> reported,
                 tuner::run_report& report, u32* step = nullptr) {
    return run({.grid_blocks = grid_blocks_,
                .shared_bytes = shared_bytes_,
                .arguments = &arguments,
                .argument_bytes = sizeof arguments,
                .together = step == nullptr},
               time_limit_ms, reported, report, step);
  }

 private:
  run_status run(const backends::launch_spec& spec, double time_limit_ms, std::span<const counter> reported,
                 tuner::run_report& report, u32* step);
  /// Resets, launches and copies. @return milliseconds
  double launch(const backends::launch_spec& spec, u32* step, double time_limit_ms, unsigned interval_shift,
                std::span<const backends::host_copy> copies);
  void launch_steps(const backends::launch_spec& spec, u32& step, double time_limit_ms);

  [[nodiscard]] void* control_words(unsigned turn) const { return control_.as<std::byte>() + turn * control_bytes_; }

  const search_input& input_;
  reset_policy reset_policy_;
  std::size_t control_bytes_;  // bytes per set
  unsigned active_set_ = 0;    // set that the next run uses
  bool is_reset_ = false;      // whether that set is reset
  std::shared_ptr<const backends::kernel> kernel_;
  tuner::instrumentation mode_ = tuner::instrumentation::none;
  std::size_t shared_bytes_ = 0;
  unsigned grid_blocks_ = 0;
  std::size_t abort_offset_;
  backends::device_memory control_;
  backends::device_memory counters_;
  backends::device_memory timeline_;  // allocated on first use
};

/// A queue whose capacity grows if a search needs more.
struct growing_queue {
  std::size_t& capacity;  ///< capacity that this graph is known to need; updated
  std::size_t largest;
  std::function<void(std::size_t)> reserve;                ///< may throw backends::out_of_device_memory
  std::function<std::string(std::size_t)> full;            ///< describes the overflow at a capacity
  std::function<run_status(tuner::run_report&)> run_once;  ///< runs with the reserved capacity
};

/// Repeats the search with four times the capacity while the queue is full, and remembers the capacity. A full queue is
/// not a property of the configuration.
[[nodiscard]] tuner::run_report run_with_room(const growing_queue& queue, double time_limit_ms);

/// Runs once, with a capacity that follows from the graph.
/// @param full message in case the capacity does not suffice
[[nodiscard]] tuner::run_report run_in_room(const std::string& full,
                                            const std::function<run_status(tuner::run_report&)>& run_once,
                                            double time_limit_ms);

}  // namespace mlmq::problems
