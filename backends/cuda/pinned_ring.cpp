// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/pinned_ring.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>

#include "backends/cuda/driver.hpp"
#include "base/thread_team.hpp"

namespace mlmq::backends {
namespace {

constexpr std::size_t piece_bytes = std::size_t{2} << 20;
constexpr std::size_t page_bytes = 4096;

/// With fewer pieces than this, the GPU would wait for the threads; more threads do not copy faster.
unsigned piece_count() { return std::clamp(std::thread::hardware_concurrency(), 4U, 16U); }

}  // namespace

std::unique_ptr<pinned_ring> pinned_ring::create(CUcontext context, error_check check) {
  std::unique_ptr<pinned_ring> ring(new pinned_ring(context, std::move(check)));
  const unsigned count = piece_count();
  void* pinned = nullptr;
  if (ring->cuda_.mem_host_alloc(&pinned, count * piece_bytes, CU_MEMHOSTALLOC_PORTABLE) != CUDA_SUCCESS)
    return nullptr;
  ring->memory_ = static_cast<std::byte*>(pinned);
  ring->slots_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    slot& piece = ring->slots_[i];
    piece.memory = ring->memory_ + i * piece_bytes;
    if (ring->cuda_.stream_create(&piece.stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
        ring->cuda_.event_create(&piece.copied, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
      return nullptr;
    }
  }
  return ring;
}

pinned_ring::pinned_ring(CUcontext context, error_check check)
    : cuda_(cuda_driver::get()), context_(context), check_(std::move(check)) {}

pinned_ring::~pinned_ring() {
  for (const slot& used : slots_) {
    if (used.copied != nullptr) cuda_.event_destroy(used.copied);
    if (used.stream != nullptr) cuda_.stream_destroy(used.stream);
  }
  if (memory_ != nullptr) cuda_.mem_free_host(memory_);
}

template <class Copy>
void pinned_ring::for_each_piece(std::size_t bytes, const Copy& copy) {
  std::atomic<std::size_t> next = 0;
  const std::size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  thread_team(static_cast<unsigned>(slots_.size())).run(slots_.size(), [&](std::size_t index) {
    check_(cuda_.ctx_set_current(context_), "using the GPU");
    for (std::size_t piece = next++; piece < pieces; piece = next++) {
      const std::size_t first = piece * piece_bytes;
      copy(slots_[index], first, std::min(piece_bytes, bytes - first));
    }
    wait_for_copy(slots_[index]);
  });
}

/// Sleeps between queries, because other threads need the core.
void pinned_ring::wait_for_copy(const slot& used) const {
  for (;;) {
    const CUresult code = cuda_.event_query(used.copied);
    if (code == CUDA_SUCCESS) return;
    if (code != CUDA_ERROR_NOT_READY) check_(code, "copying large arrays");
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  }
}

void pinned_ring::upload(CUdeviceptr target, std::size_t bytes, const piece_writer& write) {
  for_each_piece(bytes, [&](const slot& used, std::size_t first, std::size_t count) {
    wait_for_copy(used);
    write(first, std::span(used.memory, count));
    check_(cuda_.memcpy_host_to_device_async(target + first, used.memory, count, used.stream), "copying to the GPU");
    check_(cuda_.event_record(used.copied, used.stream), "copying to the GPU");
  });
}

void pinned_ring::download(std::byte* target, CUdeviceptr source, std::size_t bytes) {
  // Fresh memory is slower to touch than to copy to. Huge pages are only a hint to the system.
  const auto page = reinterpret_cast<std::uintptr_t>(target) / page_bytes * page_bytes;
  ::madvise(reinterpret_cast<void*>(page), reinterpret_cast<std::uintptr_t>(target) + bytes - page, MADV_HUGEPAGE);
  for_each_piece(bytes, [&](const slot& used, std::size_t first, std::size_t count) {
    check_(cuda_.memcpy_device_to_host_async(used.memory, source + first, count, used.stream), "copying from the GPU");
    check_(cuda_.event_record(used.copied, used.stream), "copying from the GPU");
    wait_for_copy(used);
    std::memcpy(target + first, used.memory, count);
  });
}

}  // namespace mlmq::backends
