// SPDX-License-Identifier: Apache-2.0
// Devices: GPUs, the processors of this machine, the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mlmq/error.hpp"

namespace mlmq {

namespace detail {
struct access;
struct device_data;
struct device_group;
}  // namespace detail

/// Properties of a device. Those of several devices are lists, joined by commas.
struct device_facts {
  std::string selector;   ///< "cuda:0", "simt", "cpu:4"
  std::string kind;       ///< "cuda", "simt" or "cpu"
  std::string name;       ///< "NVIDIA H200"
  bool modelled = false;  ///< whether times are computed instead of measured
  /// Measured cost of uploading data, in milliseconds per array and per byte. Zero if times are modelled.
  double array_ms = 0;
  double byte_ms = 0;
};

/// An open device, or several that share the requests of a solver. Devices are closed when the last copy of the handle
/// and the last of its solvers are destroyed.
class MLMQ_API device {
 public:
  /// Opens a device.
  /// @param selector "cuda:0", "cuda:1", … a GPU; "cpu" all processors, "cpu:N" with N threads; "simt" the simulator;
  ///   "auto" the first GPU, or else the processors. "cuda:all" all GPUs, or a list such as "cuda:0,cuda:1": several
  ///   devices, for a solver only
  /// @throws input_error for an unknown or absent device, listing the available ones
  explicit device(const std::string& selector = "auto");

  [[nodiscard]] const device_facts& facts() const noexcept;
  /// Returns a handle of each device, in the order of the selector; one that equals this handle if it is one device.
  [[nodiscard]] std::vector<device> members() const;

  /// Allocates device memory, aligned for any number type, for programs without another way to do so. The memory keeps
  /// the device open and is freed with the last copy. On the simulator it is host memory that kernels can access.
  /// @throws input_error for processors and for several devices; memory_error, device_error
  [[nodiscard]] std::shared_ptr<void> allocate(std::size_t bytes) const;
  /// Copies from host memory to device memory, which need not come from allocate(), and waits for the copy.
  /// @throws input_error if `destination` is not memory of this device; device_error
  void write(void* destination, const void* source, std::size_t bytes) const;
  /// Copies from device memory to host memory, and waits for the copy. @throws like write()
  void read(void* destination, const void* source, std::size_t bytes) const;

  /// Sets the seed of the simulator's schedule; no effect on other devices.
  void set_seed(std::uint64_t seed);

 private:
  friend struct detail::access;
  explicit device(std::shared_ptr<detail::device_data> data) : data_(std::move(data)) {}
  std::shared_ptr<detail::device_data> data_;          ///< the first
  std::shared_ptr<const detail::device_group> group_;  ///< null: one device
};

}  // namespace mlmq
