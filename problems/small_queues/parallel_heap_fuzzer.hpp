// SPDX-License-Identifier: Apache-2.0
// Fuzzing of the parallel heap against a sequential model.
#pragma once

#include "problems/small_queues/fuzzed_queue.hpp"

namespace mlmq::problems {

class parallel_heap_fuzzer final : public fuzzed_queue {
 public:
  /// @param by_grid whether all blocks of a grid work on the heap, instead of a single block
  explicit parallel_heap_fuzzer(bool by_grid) : by_grid_(by_grid) {}

  [[nodiscard]] backends::kernel_source variant() const override;
  [[nodiscard]] outcome run(backends::simulator::simt_backend& device, const backends::kernel& compiled,
                            std::uint64_t seed) const override;

 private:
  bool by_grid_;
};

}  // namespace mlmq::problems
