// SPDX-License-Identifier: Apache-2.0
// Device memory that grows on demand.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "backends/backend.hpp"

namespace mlmq::astar {

/// Device memory that grows on demand, losing its content.
class growing_memory {
 public:
  growing_memory(backends::backend& device, std::string name) : device_(device), name_(std::move(name)) {}

  /// @return whether new memory was allocated
  /// @throws backends::out_of_device_memory
  bool reserve(std::size_t bytes) {
    if (memory_.bytes() >= bytes) return false;
    memory_ = backends::device_memory();
    memory_ = device_.allocate(bytes, name_);
    return true;
  }
  [[nodiscard]] const backends::device_memory& memory() const { return memory_; }

 private:
  backends::backend& device_;
  std::string name_;
  backends::device_memory memory_;
};

}  // namespace mlmq::astar
