// SPDX-License-Identifier: Apache-2.0
// Copies large arrays between the host and a GPU at the speed of the bus.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::backends {

class cuda_driver;

/// Pinned host memory, divided into one piece per thread: while the GPU copies one piece, other threads fill or empty
/// theirs. Copying directly from memory that is not pinned has an eighth of the speed of the bus, and pinning a whole
/// array takes longer than copying it. Not thread-safe.
class pinned_ring {
 public:
  /// Reports an error of the driver. @param operation for the message
  using error_check = std::function<void(CUresult code, const char* operation)>;

  /// Returns a ring, or null if there is not enough memory for it. @param context of the GPU
  [[nodiscard]] static std::unique_ptr<pinned_ring> create(CUcontext context, error_check check);
  pinned_ring(const pinned_ring&) = delete;
  pinned_ring& operator=(const pinned_ring&) = delete;
  ~pinned_ring();

  /// Uploads `bytes` bytes. Returns when they have arrived.
  void upload(CUdeviceptr target, std::size_t bytes, const piece_writer& write);
  /// Downloads `bytes` bytes.
  void download(std::byte* target, CUdeviceptr source, std::size_t bytes);

 private:
  /// Memory of one thread, and the stream of its copies.
  struct slot {
    std::byte* memory = nullptr;
    CUstream stream = nullptr;
    CUevent copied = nullptr;
  };

  pinned_ring(CUcontext context, error_check check);
  /// Calls copy(slot, first, bytes) for all pieces of an array, by one thread per slot.
  template <class Copy>
  void for_each_piece(std::size_t bytes, const Copy& copy);
  void wait_for_copy(const slot& used) const;

  const cuda_driver& cuda_;
  CUcontext context_;
  error_check check_;
  std::byte* memory_ = nullptr;
  std::vector<slot> slots_;
};

}  // namespace mlmq::backends
