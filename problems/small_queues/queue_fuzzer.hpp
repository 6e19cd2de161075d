// SPDX-License-Identifier: Apache-2.0
// Fuzzing of the small queues with random scripts and schedules of the simulator, against a sequential model.
#pragma once

#include <string>

#include "problems/small_queues/fuzzed_queue.hpp"
#include "problems/small_queues/small_queues.hpp"

namespace mlmq::problems {

/// One configuration of a small queue.
class small_queue_fuzzer final : public fuzzed_queue {
 public:
  /// @param label a configuration of small_queue_declarations()
  /// @param element_bits 32 or 64
  small_queue_fuzzer(const std::string& label, unsigned element_bits);

  [[nodiscard]] backends::kernel_source variant() const override;
  [[nodiscard]] outcome run(backends::simulator::simt_backend& device, const backends::kernel& compiled,
                            std::uint64_t seed) const override;

 private:
  template <class Element>
  [[nodiscard]] outcome run_with(backends::simulator::simt_backend& device, const backends::kernel& compiled,
                                 std::uint64_t seed) const;

  tuner::configuration chosen_;
  unsigned element_bits_;
  unsigned lanes_;
  bool orders_keys_;
};

}  // namespace mlmq::problems
