// SPDX-License-Identifier: Apache-2.0
// Shared by the tests on a GPU. They are skipped on machines without one (main.cpp).
//
// $MLMQ_TEST_DEVICE names the device [cuda:0]. With the simulator's name the tests without the tag [cuda] run on it:
// that tries the tests, not a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::gpu_tests {

[[nodiscard]] std::string device_selector();
[[nodiscard]] std::unique_ptr<backends::backend> open_device();

/// A copy of the program's kernels in a temporary folder, with one file changed or added, that every compilation sees
/// while the object lives.
class planted_kernel {
 public:
  /// @param file relative to the folder of the kernels, "sssp.cu"
  planted_kernel(const std::string& file, const std::string& text);
  planted_kernel(const planted_kernel&) = delete;
  planted_kernel& operator=(const planted_kernel&) = delete;
  ~planted_kernel();

 private:
  std::string folder_;
  std::string before_;  ///< $MLMQ_KERNELS as it was
  bool was_set_;
};

/// A small kernel of the test's own, and four words of device memory that are 0 at first. Not for the simulator, which
/// knows its folder of kernels from when it was opened.
class probe {
 public:
  static constexpr unsigned block_threads = 64;

  /// @param body C++ for every thread. It may use everything of namespace simt, `words` (u32*, the device memory), and
  ///   `end`: the time, by clock_ns(), at which each loop must stop, so that no test can leave a kernel behind.
  /// @param seconds from the launch to `end`
  probe(backends::backend& device, const std::string& body, double seconds = 15);

  /// Compiles it again, or takes it from the cache. @return the kernel's properties
  [[nodiscard]] backends::kernel_properties compile_again();
  /// Returns the machine code for another GPU architecture, for example "sm_75".
  [[nodiscard]] std::string machine_code(const std::string& architecture) const;
  /// Runs it with `blocks` blocks. @return milliseconds
  double run(unsigned blocks = 1, bool together = true, std::size_t shared_bytes = 0);
  [[nodiscard]] std::vector<std::uint32_t> words();
  [[nodiscard]] const backends::kernel& kernel() const { return *kernel_; }
  [[nodiscard]] const backends::device_memory& memory() const { return memory_; }

 private:
  void compile();

  backends::backend& device_;
  std::string body_;
  std::shared_ptr<const backends::kernel> kernel_;
  backends::device_memory memory_;
  std::uint64_t limit_ns_;
};

}  // namespace mlmq::gpu_tests
