// SPDX-License-Identifier: Apache-2.0
// The interface of fuzzed queues: a kernel that runs scripts on the queue, and the outcome of a schedule.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/simt/simt_backend.hpp"

namespace mlmq::problems {

/// A fuzzed queue. Thread-safe.
class fuzzed_queue {
 public:
  virtual ~fuzzed_queue() = default;
  [[nodiscard]] virtual backends::kernel_source variant() const = 0;

  /// The outcome of one schedule.
  struct outcome {
    std::string message;  ///< "" or a description of the error
    std::uint64_t operations = 0;
  };
  /// Runs the schedule that the seed determines. @param compiled variant(), compiled by a device with the same settings
  [[nodiscard]] virtual outcome run(backends::simulator::simt_backend& device, const backends::kernel& compiled,
                                    std::uint64_t seed) const = 0;
};

/// Returns the names of all fuzzed queues, for mlmq check --only: "heap:lanes=8,arity=8,layout=contiguous".
[[nodiscard]] std::vector<std::string> fuzzed_queues();

/// Makes a fuzzed queue.
/// @param name one of fuzzed_queues(), or another queue with parameters
/// @throws input_error, backends::launch_error for unsupported parameters
[[nodiscard]] std::unique_ptr<fuzzed_queue> make_fuzzed_queue(const std::string& name);

}  // namespace mlmq::problems
