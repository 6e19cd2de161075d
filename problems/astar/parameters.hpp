// SPDX-License-Identifier: Apache-2.0
// The tuning parameters of path finding, and their values for host code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "problems/small_queues/small_queues.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::astar {

[[nodiscard]] std::span<const tuner::parameter_declaration> declared_parameters();

/// Returns the value of `solver`.
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);
/// Returns whether the solver of this name is a kernel; the others run on processors.
[[nodiscard]] bool is_kernel(const std::string& solver);
/// Names of the solver in two phases, and of that with one heap for all searches.
inline constexpr std::string_view phases_solver = "phases";
inline constexpr std::string_view heap_solver = "parallel_heap";

/// The parameters of the kernel that host code uses.
struct kernel_numbers {
  /// @throws backends::launch_error for an unsupported small queue
  explicit kernel_numbers(const tuner::configuration& chosen);

  bool jumps = false;  ///< jump point search
  bool exact = true;
  bool paths = false;
  bool table_in_shared = false;
  bool moves_in_shared = false;
  unsigned threads = 0;
  unsigned blocks = 0;       ///< maximum per multiprocessor; 0: as many as fit
  unsigned concurrency = 0;  ///< searches at a time; 0: as many as the solver can run
  unsigned cells = 0;        ///< expanded together
  unsigned node_items = 0;   ///< of a parallel heap
  bool has_ring = true;      ///< open lists are rings of buckets; otherwise small queues, see `queue`
  problems::small_queue_choice queue;
  unsigned buckets = 0;     ///< buckets per open list
  unsigned near_items = 0;  ///< items per bucket in shared memory
  std::map<std::string, std::string> macros = {};

  [[nodiscard]] unsigned warps() const { return threads / 32; }
  /// Returns the number of searches at a time; 0: as many as the solver can run.
  /// @param of_query that of the query; 0: it says none
  /// @throws backends::launch_error if query and configuration contradict each other
  [[nodiscard]] std::uint64_t concurrency_for(std::uint64_t of_query) const;
  /// Returns the shared memory of a ring of buckets; 0 for small queues.
  [[nodiscard]] std::size_t ring_bytes(unsigned item_bytes) const;
  /// Returns the shared memory of the open lists of all warps of a block.
  [[nodiscard]] std::size_t open_bytes(unsigned item_bytes) const;

 private:
  explicit kernel_numbers(const tuner::parameter_values& values);
};

}  // namespace mlmq::astar
