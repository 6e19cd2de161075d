// SPDX-License-Identifier: Apache-2.0
// Devices: GPUs, the processors of this machine, the simulator.
#pragma once

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
  ///   "auto" the first GPU, or else the simulator
  /// @throws input_error for a device that is unknown or absent, saying what there is
  explicit device(const std::string& selector = "auto");

  [[nodiscard]] const device_facts& facts() const noexcept;

  /// The schedule of the simulator; of no effect on other devices.
  void set_seed(std::uint64_t seed);

 private:
  friend struct detail::access;
  explicit device(std::shared_ptr<detail::device_data> data) : data_(std::move(data)) {}
  std::shared_ptr<detail::device_data> data_;
};

}  // namespace mlmq
