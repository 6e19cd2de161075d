// SPDX-License-Identifier: Apache-2.0
// Scripts of random operations for many small queues, and what a sequential model says must come of them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kernels/queues/small/check_abi.cuh"

namespace mlmq::problems {

/// What the fuzzer of the small queues lets each queue do.
struct queue_script {
  std::uint32_t queues = 0;
  std::uint32_t width = 1;  ///< lanes of a group
  std::uint32_t steps = 0;
  std::uint32_t capacity = 0;
  std::vector<std::uint32_t> what;     ///< [step][queue]: small_step
  std::vector<u64> operands;           ///< [step][queue][width]
  std::vector<std::uint32_t> refused;  ///< [step][queue]: 1 where something does not fit

  [[nodiscard]] std::size_t at(std::uint32_t step, std::uint32_t queue) const {
    return static_cast<std::size_t>(step) * queues + queue;
  }
};

/// What decides a script besides its seed.
struct script_limits {
  std::uint32_t queues = 0;
  std::uint32_t groups_a_block = 0;  ///< of which each has a queue but in the last block
  std::uint32_t width = 1;
  std::uint32_t capacity = 0;
  std::uint32_t steps = 0;          ///< before the queues are emptied
  std::uint32_t element_bits = 64;  ///< or 32
  std::uint32_t send_every = 1;     ///< steps between two in which queues send
  /// 0: elements are any words. Else the queue orders by the upper half alone, and so many neighbouring keys are drawn in
  /// a step.
  std::uint32_t keys = 0;
  bool keys_move = false;  ///< the window of these keys moves by 1 a step, or stays
};

/// The same script for the same arguments, on every machine.
[[nodiscard]] queue_script make_script(const script_limits& limits, std::uint64_t seed);

/// What a run of a script recorded, as in small_check_arguments.
struct script_record {
  std::vector<u64> results;
  std::vector<u64> leasts;
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint32_t> refused;
};

/// "" or the first thing that differs from the sequential model.
/// @param key_shift the queue orders by the bits of an element from this one on
[[nodiscard]] std::string first_difference(const queue_script& script, std::uint32_t groups_a_block,
                                           std::uint32_t key_shift, const script_record& found);

}  // namespace mlmq::problems
