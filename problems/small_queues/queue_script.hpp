// SPDX-License-Identifier: Apache-2.0
// Scripts of random operations for many small queues, and their expected results from a sequential model.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kernels/queues/small/check_abi.cuh"

namespace mlmq::problems {

/// The operations of each queue in each step.
struct queue_script {
  std::uint32_t queues = 0;
  std::uint32_t width = 1;  ///< lanes per group
  std::uint32_t steps = 0;
  std::uint32_t capacity = 0;
  std::vector<std::uint32_t> operations;  ///< [step][queue]: small_step
  std::vector<u64> operands;              ///< [step][queue][width]
  std::vector<std::uint32_t> refused;     ///< [step][queue]: 1 if an insertion does not fit

  [[nodiscard]] std::size_t index_of(std::uint32_t step, std::uint32_t queue) const {
    return static_cast<std::size_t>(step) * queues + queue;
  }
};

/// The parameters of a script in addition to its seed.
struct script_limits {
  std::uint32_t queues = 0;
  std::uint32_t groups_per_block = 0;  ///< groups per block; each has a queue, except in the last block
  std::uint32_t width = 1;
  std::uint32_t capacity = 0;
  std::uint32_t steps = 0;          ///< steps before the queues are emptied
  std::uint32_t element_bits = 64;  ///< or 32
  std::uint32_t send_every = 1;     ///< distance of steps in which queues send
  /// 0: elements are arbitrary words. Otherwise the queue only compares the upper half, and this many adjacent keys are
  /// drawn per step.
  std::uint32_t keys = 0;
  bool keys_move = false;  ///< whether the window of these keys moves by 1 per step
};

/// Makes a script. The same arguments yield the same script on every machine.
[[nodiscard]] queue_script make_script(const script_limits& limits, std::uint64_t seed);

/// The record of a run, like in small_check_arguments.
struct script_record {
  std::vector<u64> results;
  std::vector<u64> leasts;
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint32_t> refused;
};

/// Compares a record with the sequential model.
/// @param key_shift lowest bit of an element that the queue compares
/// @return "" or a description of the first difference
[[nodiscard]] std::string first_difference(const queue_script& script, std::uint32_t groups_per_block,
                                           std::uint32_t key_shift, const script_record& record);

}  // namespace mlmq::problems
