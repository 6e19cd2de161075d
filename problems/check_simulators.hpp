// SPDX-License-Identifier: Apache-2.0
// The simulated devices of the checks of `mlmq check`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/simt/simt_backend.hpp"

namespace mlmq::problems {

/// The simulators of one thread, with and without stalling warps.
class check_simulators {
 public:
  /// @param kernels  folder of the kernel sources; empty: backends::kernel_folder()
  explicit check_simulators(const std::string& kernels, std::uint64_t memory_bytes = std::uint64_t{1} << 28) {
    // Two multiprocessors of 8 warps: room for several blocks of every size, yet fast to simulate.
    constexpr const char* shape = "simt:2x8";
    // Delay after which a relaxed store is visible to all warps: longer than the path from a worker's write over a
    // stalling dispatcher to the manager's read.
    constexpr unsigned longest_delay_cycles = 40'000;
    backends::simulator::simulator_settings settings;
    settings.kernels = kernels;
    settings.includes = kernels;
    settings.memory_bytes = memory_bytes;
    settings.weak_memory_cycles = longest_delay_cycles;
    steady_ = std::make_unique<backends::simulator::simt_backend>(shape, settings);
    settings.stall_every = 50;
    stalling_ = std::make_unique<backends::simulator::simt_backend>(shape, settings);
  }
  [[nodiscard]] backends::simulator::simt_backend& get(bool stalls) { return stalls ? *stalling_ : *steady_; }
  /// Every third seed has stalling warps.
  [[nodiscard]] backends::simulator::simt_backend& for_seed(std::uint64_t seed) { return get(seed % 3 == 0); }

 private:
  std::unique_ptr<backends::simulator::simt_backend> steady_;
  std::unique_ptr<backends::simulator::simt_backend> stalling_;
};

}  // namespace mlmq::problems
