// SPDX-License-Identifier: Apache-2.0
// The tuning parameters of path finding, and what the host reads of a configuration.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "problems/small_queues/small_queues.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::astar {

[[nodiscard]] std::span<const tuner::parameter_declaration> declared_parameters();

/// The value of `solver`.
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);
/// Whether the solver of this name is a kernel; the others run on processors.
[[nodiscard]] bool is_kernel(const std::string& solver);

/// What the host knows of a configuration of the kernel.
struct kernel_numbers {
  /// @throws backends::launch_error for a small queue that there is not
  explicit kernel_numbers(const tuner::configuration& chosen);

  bool jumps = false;  ///< jump point search
  bool exact = true;
  bool paths = false;
  bool table_in_shared = false;
  bool moves_in_shared = false;
  unsigned threads = 0;
  unsigned blocks = 0;   ///< of a multiprocessor at most; 0: as many as there is room for
  bool has_ring = true;  ///< open lists are rings of buckets, otherwise `queue`
  problems::small_queue_choice queue;
  unsigned buckets = 0;     ///< of an open list
  unsigned near_items = 0;  ///< of a bucket
  std::map<std::string, std::string> macros = {};

  [[nodiscard]] unsigned warps() const { return threads / 32; }
  /// Shared memory of a ring of buckets; 0 for small queues.
  [[nodiscard]] std::size_t ring_bytes(unsigned item_bytes) const;
  /// Shared memory of the open lists of all warps of a block.
  [[nodiscard]] std::size_t open_bytes(unsigned item_bytes) const;

 private:
  explicit kernel_numbers(const tuner::parameter_values& values);
};

}  // namespace mlmq::astar
