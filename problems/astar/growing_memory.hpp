// SPDX-License-Identifier: Apache-2.0
// Device memory that is made again where more is asked of it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "backends/backend.hpp"

namespace mlmq::astar {

/// Memory that grows with what is asked of it; its content is lost then.
class growing_memory {
 public:
  growing_memory(backends::backend& device, std::string name) : device_(device), name_(std::move(name)) {}

  /// @return whether it is new memory. @throws backends::out_of_device_memory
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
