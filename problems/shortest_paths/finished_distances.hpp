// SPDX-License-Identifier: Apache-2.0
// Distances on a device as callers read them: searches leave all ones where no path leads, which is no number as a float.
#pragma once

#include <cstddef>
#include <memory>

#include "backends/backend.hpp"
#include "graph/csr.hpp"

namespace mlmq::problems {

/// Of one device, whose kernels it keeps.
class finished_distances {
 public:
  struct result {
    bool has_saturated = false;  ///< a distance is beyond its type, as graph::has_saturated()
    double milliseconds = 0;     ///< on the device
    double compile_ms = 0;       ///< where the kernel was compiled for it, or loaded
  };

  /// @param device runs kernels, and outlives this
  explicit finished_distances(backends::backend& device) : device_(device) {}

  /// Looks at `count` words, and leaves them as they are.
  /// @throws backends::compile_error, backends::kernel_fault, backends::out_of_device_memory
  [[nodiscard]] result look(const backends::device_memory& words, std::size_t count, graph::weight_type type) {
    return pass(words, count, type, false);
  }
  /// The same, and makes floats infinite where no path leads.
  [[nodiscard]] result finish(const backends::device_memory& words, std::size_t count, graph::weight_type type) {
    return pass(words, count, type, true);
  }

 private:
  [[nodiscard]] result pass(const backends::device_memory& words, std::size_t count, graph::weight_type type,
                            bool writes);
  template <class Arguments>
  void launch(std::shared_ptr<const backends::kernel>& kernel, const char* name, std::size_t count,
              const Arguments& arguments, result& found);

  backends::backend& device_;
  std::shared_ptr<const backends::kernel> kernel_;
  std::shared_ptr<const backends::kernel> wide_kernel_;  // of distances of 8 bytes
  backends::device_memory found_;
};

}  // namespace mlmq::problems
