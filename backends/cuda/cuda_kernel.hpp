// SPDX-License-Identifier: Apache-2.0
// Machine code that the driver has loaded.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cuda/compiler.hpp"
#include "backends/cuda/driver.hpp"

namespace mlmq::backends {

class cuda_kernel final : public kernel {
 public:
  /// @param lost  set when the context is lost; unloading would then wait forever for its kernels
  cuda_kernel(const compiled_variant& variant, unsigned threads, unsigned multiprocessors,
              std::shared_ptr<const std::atomic<bool>> lost);
  cuda_kernel(const cuda_kernel&) = delete;
  cuda_kernel& operator=(const cuda_kernel&) = delete;
  ~cuda_kernel() override;

  /// Returns whether the device accepts the machine code. It may reject code for another driver, toolkit or GPU.
  [[nodiscard]] bool load(const compiled_variant& variant, const std::string& entry);

  [[nodiscard]] function_properties properties_of(std::size_t function) const override;
  [[nodiscard]] unsigned blocks_per_multiprocessor(std::size_t function, unsigned block_threads,
                                                   std::size_t shared_bytes) const override;

  /// Returns a __constant__ or __device__ variable. @throws input_error  if there is none of this name
  [[nodiscard]] device_memory variable(const std::string& name) const;

  [[nodiscard]] const kernel_properties& properties() const override { return properties_; }
  [[nodiscard]] unsigned resident_blocks(std::size_t shared_bytes) const override;
  [[nodiscard]] unsigned resident_clusters(unsigned cluster_blocks, std::size_t shared_bytes) const override;

  /// Enables clusters of more than 8 blocks if necessary. Returns false if the device does not support this cluster
  /// size.
  [[nodiscard]] bool allow_cluster(unsigned cluster_blocks) const;

  [[nodiscard]] static CUlaunchAttribute cluster_attribute(unsigned cluster_blocks);

  /// Enables more than 48 KiB of dynamic shared memory if necessary. Returns false if the device does not support this
  /// size.
  [[nodiscard]] bool allow_shared(std::size_t shared_bytes) const;

  /// Returns a function of a variant in plain CUDA C++.
  [[nodiscard]] CUfunction function(std::size_t index) const { return functions_.at(index); }
  [[nodiscard]] CUfunction function() const { return function_; }
  [[nodiscard]] unsigned threads() const { return threads_; }

 private:
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  std::vector<CUfunction> functions_;
  std::vector<std::string> signatures_;  ///< those of a variant in plain CUDA C++
  unsigned threads_;
  unsigned multiprocessors_;
  mutable std::atomic<std::size_t> allowed_bytes_ = 0;  ///< dynamic shared memory that has been enabled
  std::shared_ptr<const std::atomic<bool>> lost_;
  kernel_properties properties_;
};

}  // namespace mlmq::backends
