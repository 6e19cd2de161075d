// SPDX-License-Identifier: Apache-2.0
// Shared by the tests on a GPU. They are skipped on machines without one (main.cpp).
//
// $MLMQ_TEST_DEVICE names the device [cuda:0]. If it names the simulator, the tests without the tag [cuda] run there:
// this checks the tests themselves, not a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::gpu_tests {

[[nodiscard]] std::string device_selector();
/// Returns false if the tests run on the simulator.
[[nodiscard]] bool is_gpu();
[[nodiscard]] std::unique_ptr<backends::backend> open_device();

/// A copy of the program's kernels in a temporary folder, with one file changed or added. Every compilation uses the
/// copy while the object lives.
class planted_kernel {
 public:
  /// @param file path relative to the folder of the kernels, for example "sssp.cu"
  planted_kernel(const std::string& file, const std::string& text);
  planted_kernel(const planted_kernel&) = delete;
  planted_kernel& operator=(const planted_kernel&) = delete;
  ~planted_kernel();

 private:
  std::string folder_;
  std::string before_;  ///< value of $MLMQ_KERNELS before the object was made
  bool was_set_;
};

/// A small kernel written by a test, and four words of device memory that are 0 at first. It cannot be used with the
/// simulator, which fixes its folder of kernels when it is opened.
class probe {
 public:
  static constexpr unsigned block_threads = 64;

  /// @param body C++ code that every thread runs. It may use everything in namespace simt, `words` (u32*, the device
  ///   memory), and `end`: the time, by clock_ns(), at which each loop must stop, so that no test leaves a running
  ///   kernel behind.
  /// @param seconds time from the launch to `end`
  probe(backends::backend& device, const std::string& body, double seconds = 15);

  /// Compiles the kernel again, or takes it from the cache. @return the kernel's properties
  [[nodiscard]] backends::kernel_properties compile_again();
  /// Returns the machine code for another GPU architecture, for example "sm_75".
  [[nodiscard]] std::string machine_code(const std::string& architecture) const;
  /// Runs the kernel with `blocks` blocks. @return milliseconds
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
