// SPDX-License-Identifier: Apache-2.0
// A queue as the fuzzer has it: a kernel that drives it by scripts, and what one schedule finds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/simt/simt_backend.hpp"

namespace mlmq::problems {

/// May be used by several threads at a time.
class fuzzed_queue {
 public:
  virtual ~fuzzed_queue() = default;
  [[nodiscard]] virtual backends::kernel_source variant() const = 0;

  /// What one schedule came to.
  struct outcome {
    std::string message;  ///< "", or what is wrong
    std::uint64_t operations = 0;
  };
  /// All follows from the seed. @param compiled variant(), by a device with the same settings
  [[nodiscard]] virtual outcome run(backends::simulator::simt_backend& device, const backends::kernel& compiled,
                                    std::uint64_t seed) const = 0;
};

/// The names of all that is fuzzed, as mlmq check --only takes them: "heap:lanes=8,arity=8,layout=contiguous".
[[nodiscard]] std::vector<std::string> fuzzed_queues();

/// @param name one of fuzzed_queues(), or another queue with parameters
/// @throws input_error, backends::launch_error for parameters that there are not
[[nodiscard]] std::unique_ptr<fuzzed_queue> make_fuzzed_queue(const std::string& name);

}  // namespace mlmq::problems
