// SPDX-License-Identifier: Apache-2.0
// Informs AddressSanitizer and ThreadSanitizer about switches between stacks, which they cannot detect themselves.
// Without sanitizers all functions are empty.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MLMQ_FIBERS_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define MLMQ_FIBERS_TSAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MLMQ_FIBERS_ASAN
#endif
#if defined(__SANITIZE_THREAD__)
#define MLMQ_FIBERS_TSAN
#endif

#ifdef MLMQ_FIBERS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef MLMQ_FIBERS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace mlmq::backends::simulator {

/// One stack: that of a lane, or that of the thread that runs the simulator. A switch is `here.leave_for(there);`, the
/// jump, and on the other stack, first of all, `there.arrive();`. All functions are inlined, because ThreadSanitizer
/// reports a function that is entered on one stack and left on another.
class annotated_stack {
 public:
#if defined(MLMQ_FIBERS_ASAN) || defined(MLMQ_FIBERS_TSAN)
  annotated_stack() = default;
  annotated_stack(const annotated_stack&) = delete;
  annotated_stack& operator=(const annotated_stack&) = delete;
#endif

  /// Sets the address range of a lane's stack, before anything runs on the stack.
  [[gnu::always_inline]] void set_range([[maybe_unused]] const std::byte* lowest, [[maybe_unused]] std::size_t bytes) {
#ifdef MLMQ_FIBERS_ASAN
    lowest_ = lowest;
    bytes_ = bytes;
#endif
#ifdef MLMQ_FIBERS_TSAN
    fiber_ = __tsan_create_fiber(0);
#endif
  }

  /// Announces a switch to `other`, from which execution returns later.
  [[gnu::always_inline]] void leave_for([[maybe_unused]] annotated_stack& other) {
#ifdef MLMQ_FIBERS_ASAN
    other.previous_ = this;
    __sanitizer_start_switch_fiber(&frames_, other.lowest_, other.bytes_);
#endif
#ifdef MLMQ_FIBERS_TSAN
    switch_to(other);
#endif
  }

  /// Announces that execution has arrived on this stack.
  [[gnu::always_inline]] void arrive() {
#ifdef MLMQ_FIBERS_ASAN
    // The address range of a thread's stack becomes known when execution leaves it.
    __sanitizer_finish_switch_fiber(frames_, &previous_->lowest_, &previous_->bytes_);
#endif
  }

  /// Called before and after the construction of the fiber on `other`: Boost enters its first function there and
  /// returns.
  [[gnu::always_inline]] void begin_construction([[maybe_unused]] annotated_stack& other) {
#ifdef MLMQ_FIBERS_TSAN
    switch_to(other);
#endif
  }
  [[gnu::always_inline]] void end_construction([[maybe_unused]] annotated_stack& other) {
#ifdef MLMQ_FIBERS_TSAN
    other.switch_to(*this);
#endif
  }

  /// Announces that a lane's stack will not be used again. Nothing may run on it.
  [[gnu::always_inline]] void end() {
#ifdef MLMQ_FIBERS_ASAN
    __asan_unpoison_memory_region(lowest_, bytes_);  // the next mapping at this address must not inherit the poisoned
                                                     // frames
#endif
#ifdef MLMQ_FIBERS_TSAN
    __tsan_destroy_fiber(fiber_);
#endif
  }

 private:
#ifdef MLMQ_FIBERS_ASAN
  annotated_stack* previous_ = nullptr;  // stack that execution came from
  const void* lowest_ = nullptr;
  std::size_t bytes_ = 0;
  void* frames_ = nullptr;  // AddressSanitizer's frames outside of the stack, if that option is set
#endif
#ifdef MLMQ_FIBERS_TSAN
  [[gnu::always_inline]] void switch_to(const annotated_stack& other) {
    fiber_ = __tsan_get_current_fiber();  // a later launch may run on another thread
    __tsan_switch_to_fiber(other.fiber_, 0);
  }
  void* fiber_ = nullptr;
#endif
};

}  // namespace mlmq::backends::simulator
