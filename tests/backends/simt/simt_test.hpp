// SPDX-License-Identifier: Apache-2.0
// Shared by the simulator's tests: a small device over the folder of test kernels, typed memory, and launches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/simt/simt_backend.hpp"

namespace mlmq::backends::simulator::tests {

/// Settings that find the test kernels and the program's own kernels.
[[nodiscard]] simulator_settings test_settings();

/// Returns the place of the line of `file` that is marked with "// [name]", as "file:line".
[[nodiscard]] std::string marked_line(const std::string& file, const std::string& name);

/// A device with the helpers of these tests. Launches have 2 blocks of 64 threads and 1 KiB of shared memory.
class test_device {
 public:
  explicit test_device(const simulator_settings& settings = test_settings(), const std::string& selector = "simt:2x4")
      : backend_(selector, settings) {}

  static constexpr unsigned blocks = 2;
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned threads = blocks * block_threads;

  [[nodiscard]] simt_backend& operator*() { return backend_; }
  [[nodiscard]] simt_backend* operator->() { return &backend_; }

  template <class T>
  [[nodiscard]] device_memory make(const std::vector<T>& content, const std::string& name = "content") {
    device_memory memory = backend_.allocate(content.size() * sizeof(T), name);
    backend_.upload(memory, content.data(), content.size() * sizeof(T));
    return memory;
  }
  template <class T>
  [[nodiscard]] std::vector<T> read(const device_memory& memory) {
    std::vector<T> content(memory.bytes() / sizeof(T));
    backend_.download(content.data(), memory, memory.bytes());
    return content;
  }
  [[nodiscard]] std::shared_ptr<const kernel> compile(const std::string& file, const std::string& entry,
                                                      std::map<std::string, std::string> defines = {}) {
    return backend_.compile({file, entry, block_threads, std::move(defines)});
  }
  /// @return modelled milliseconds
  template <class Arguments>
  double run(const kernel& variant, const Arguments& arguments, unsigned grid_blocks = blocks,
             std::size_t shared_bytes = 1024) {
    return backend_.measure([&] {
      backend_.launch(variant, {.grid_blocks = grid_blocks,
                                .shared_bytes = shared_bytes,
                                .arguments = &arguments,
                                .argument_bytes = sizeof arguments});
    });
  }
  template <class Arguments>
  double run(const std::string& file, const std::string& entry, const Arguments& arguments) {
    return run(*compile(file, entry), arguments);
  }

 private:
  simt_backend backend_;
};

/// Returns the finding that stops the launch, or "" if it completes.
template <class Arguments>
[[nodiscard]] std::string finding(test_device& device, const kernel& variant, const Arguments& arguments,
                                  unsigned grid_blocks = test_device::blocks,
                                  std::size_t shared_bytes = test_device::block_threads * 4) {
  try {
    device.run(variant, arguments, grid_blocks, shared_bytes);
  } catch (const kernel_fault& fault) {
    return fault.what();
  }
  return {};
}

}  // namespace mlmq::backends::simulator::tests
