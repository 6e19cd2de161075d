// SPDX-License-Identifier: Apache-2.0
// Distances that stay in the memory of a device, and the reuse of that memory.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "library/device_data.hpp"

namespace mlmq::detail {

/// Caches the memory of destroyed solutions for later ones of the same solver. Thread-safe.
class spare_memory {
 public:
  /// Returns a cached buffer, or an empty one if there are none.
  [[nodiscard]] backends::device_memory take();
  /// @return whether the cache took ownership; otherwise `memory` is unchanged
  [[nodiscard]] bool keep(backends::device_memory& memory);
  /// Frees all buffers and stops caching. The caller must be using the device.
  void close();

 private:
  std::mutex mutex_;
  std::vector<backends::device_memory> buffers_;
  bool is_closed_ = false;
};

/// Distances that stay in the memory of a device.
struct kept_distances {
  kept_distances(std::shared_ptr<device_data> owner, std::shared_ptr<spare_memory> spare,
                 backends::device_memory filled)
      : device(std::move(owner)), home(spare), memory(std::move(filled)) {}
  kept_distances(const kept_distances&) = delete;
  kept_distances& operator=(const kept_distances&) = delete;
  ~kept_distances();

  std::shared_ptr<device_data> device;
  std::weak_ptr<spare_memory> home;
  backends::device_memory memory;
};

}  // namespace mlmq::detail
