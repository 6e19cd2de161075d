// SPDX-License-Identifier: Apache-2.0
// Graph rows in device memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "backends/backend.hpp"
#include "library/device_data.hpp"
#include "problems/graphs/device_rows.hpp"

namespace mlmq::detail {

/// The rows of a graph made by digraph::from_device().
struct rows_on_device {
  std::shared_ptr<device_data> device;
  problems::device_rows rows;
  std::shared_ptr<const void> owner;
  std::optional<std::uint32_t> largest_degree;  ///< set if the rows were checked
  mutable std::atomic<double> host_copy_ms = 0;

  /// Returns whether kernels of this device can access the rows.
  [[nodiscard]] bool are_on(const backends::backend& backend) const;
};

}  // namespace mlmq::detail
