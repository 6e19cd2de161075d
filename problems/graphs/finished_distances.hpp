// SPDX-License-Identifier: Apache-2.0
// Converts distances on a device for callers: searches leave all ones at unreached vertices, which as a float is NaN.
#pragma once

#include <cstddef>
#include <memory>

#include "backends/backend.hpp"
#include "graph/csr.hpp"

namespace mlmq::problems {

/// Checks and converts distances on one device. Keeps the compiled kernels.
class finished_distances {
 public:
  struct result {
    bool has_saturated = false;  ///< a distance is too large for its type, like graph::has_saturated()
    double milliseconds = 0;     ///< on the device
    double compile_ms = 0;       ///< time to compile or load the kernel, if this call did
  };

  /// @param device runs kernels; must outlive the object
  explicit finished_distances(backends::backend& device) : device_(device) {}

  /// Checks `count` words for saturation, and replaces the floats of unreached vertices by infinity.
  /// @throws backends::compile_error, backends::kernel_fault, backends::out_of_device_memory
  [[nodiscard]] result finish(const backends::device_memory& words, std::size_t count, graph::weight_type type);
  /// Writes distances of uint32 as doubles, divided by `units`; infinity for unreached vertices.
  /// @param numbers receives `count` doubles
  [[nodiscard]] result write_decimals(const backends::device_memory& words, std::size_t count, double units,
                                      const backends::device_memory& numbers);

 private:
  template <class Arguments>
  void launch(std::shared_ptr<const backends::kernel>& kernel, const char* name, std::size_t count,
              const Arguments& arguments, result& outcome);

  backends::backend& device_;
  std::shared_ptr<const backends::kernel> kernel_;
  std::shared_ptr<const backends::kernel> wide_kernel_;  // for distances of 8 bytes
  std::shared_ptr<const backends::kernel> decimal_kernel_;
  backends::device_memory saturated_flag_;
};

}  // namespace mlmq::problems
