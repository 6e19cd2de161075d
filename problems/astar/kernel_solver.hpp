// SPDX-License-Identifier: Apache-2.0
// Searches with the kernels: astar, one warp per search; astar_phases, in the two phases of the paper; and
// astar_parallel_heap, with one heap for all searches.
#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "problems/astar/grid.hpp"
#include "problems/astar/solver.hpp"

namespace mlmq::astar {

inline constexpr const char* warp_kernel_file = "astar/astar.cu";
inline constexpr const char* phases_kernel_file = "astar/phases.cu";
inline constexpr const char* heap_kernel_file = "astar/parallel_heap.cu";

/// Returns the variant of a configuration for a map. @param chosen of solver=warp
[[nodiscard]] backends::kernel_source warp_variant(const grid& map, const tuner::configuration& chosen,
                                                   tuner::instrumentation mode);
/// @param chosen of solver=phases or solver=parallel_heap
[[nodiscard]] backends::kernel_source slot_variant(const grid& map, const tuner::configuration& chosen,
                                                   tuner::instrumentation mode);

/// @param device, map must outlive the solver
[[nodiscard]] std::unique_ptr<solver> make_warp_solver(backends::backend& device, const grid& map);
[[nodiscard]] std::unique_ptr<solver> make_phases_solver(backends::backend& device, const grid& map);
[[nodiscard]] std::unique_ptr<solver> make_heap_solver(backends::backend& device, const grid& map);

/// The counters of a kernel that counts work (astar_count).
class work_counts {
 public:
  /// @param device must outlive the object
  explicit work_counts(backends::backend& device);
  [[nodiscard]] const backends::device_memory& memory() const { return memory_; }
  /// Enqueues the work that sets all counters back.
  void reset() const;
  /// Adds the counters of the last run to a report.
  void add_to(tuner::run_report& report) const;

 private:
  backends::backend& device_;
  backends::device_memory memory_;
};

}  // namespace mlmq::astar
