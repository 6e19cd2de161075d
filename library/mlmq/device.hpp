// SPDX-License-Identifier: Apache-2.0
// Devices: GPUs, the processors of this machine, the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "mlmq/error.hpp"

namespace mlmq {

namespace detail {
struct access;
struct device_data;
}  // namespace detail

/// What a device is.
struct device_facts {
  std::string selector;   ///< "cuda:0", "simt", "cpu:4"
  std::string kind;       ///< "cuda", "simt" or "cpu"
  std::string name;       ///< "NVIDIA H200"
  bool modelled = false;  ///< its times are computed, not measured
  /// What it takes to bring data there, measured when the device was opened: for each array, and for each byte.
  /// Zeros where times are modelled.
  double array_ms = 0;
  double byte_ms = 0;
};

/// A device that is open, until the last copy and the last of its solvers are gone.
class MLMQ_API device {
 public:
  /// @param selector "cuda:0", "cuda:1", … a GPU; "cpu" all processors, "cpu:N" with N threads; "simt" the simulator;
  ///   "auto" the first GPU, or else the processors
  /// @throws input_error for a device that is unknown or absent, saying what there is
  explicit device(const std::string& selector = "auto");

  [[nodiscard]] const device_facts& facts() const noexcept;

  /// Memory on the device, for those who have no other way to get some; aligned for any number. It keeps the device open, and
  /// is freed with the last copy. Of the simulator this is host memory that its kernels can reach.
  /// @throws input_error for processors; memory_error, device_error
  [[nodiscard]] std::shared_ptr<void> allocate(std::size_t bytes) const;
  /// Copies from host memory to that of the device, from whomever it is, and waits for it.
  /// @throws input_error when it is not memory of this device; device_error
  void write(void* to, const void* from, std::size_t bytes) const;
  /// Copies from the memory of the device to that of the host, and waits for it. @throws as write()
  void read(void* to, const void* from, std::size_t bytes) const;

  /// The schedule of the simulator; of no effect on other devices.
  void set_seed(std::uint64_t seed);

 private:
  friend struct detail::access;
  explicit device(std::shared_ptr<detail::device_data> data) : data_(std::move(data)) {}
  std::shared_ptr<detail::device_data> data_;
};

}  // namespace mlmq
