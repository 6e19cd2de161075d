// SPDX-License-Identifier: Apache-2.0
// Device memory that grows on demand.
#pragma once

#include <cstddef>
#include <string>

#include "backends/backend.hpp"

namespace mlmq::problems {

/// Device memory that grows on demand, losing its content.
class growing_memory {
 public:
  /// @return whether new memory was allocated
  /// @throws backends::out_of_device_memory
  bool reserve(backends::backend& device, std::size_t bytes, const std::string& name) {
    if (memory_.bytes() >= bytes) return false;
    memory_ = backends::device_memory();
    memory_ = device.allocate(bytes, name);
    return true;
  }
  void release() { memory_ = backends::device_memory(); }
  [[nodiscard]] const backends::device_memory& memory() const { return memory_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return memory_.as<T>();
  }

 private:
  backends::device_memory memory_;
};

}  // namespace mlmq::problems
