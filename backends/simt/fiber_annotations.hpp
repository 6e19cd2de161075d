// SPDX-License-Identifier: Apache-2.0
// Tells AddressSanitizer and ThreadSanitizer when execution goes from one stack to another, which they cannot see by
// themselves. In a build without them everything here is empty.
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

/// One stack: a lane's, or that of the thread that runs the simulator. A switch is
///   here.leave_for(there); …jump…; and there, as the first thing: there.arrive();
/// All is inlined: for ThreadSanitizer, a function that is entered on one stack and left on another is an error.
class annotated_stack {
 public:
#if defined(MLMQ_FIBERS_ASAN) || defined(MLMQ_FIBERS_TSAN)
  annotated_stack() = default;
  annotated_stack(const annotated_stack&) = delete;
  annotated_stack& operator=(const annotated_stack&) = delete;
#endif

  /// For a lane's stack, before anything runs on it.
  [[gnu::always_inline]] void lies_at([[maybe_unused]] const std::byte* lowest, [[maybe_unused]] std::size_t bytes) {
#ifdef MLMQ_FIBERS_ASAN
    lowest_ = lowest;
    bytes_ = bytes;
#endif
#ifdef MLMQ_FIBERS_TSAN
    fiber_ = __tsan_create_fiber(0);
#endif
  }

  /// Execution goes to `other`, to return later.
  [[gnu::always_inline]] void leave_for([[maybe_unused]] annotated_stack& other) {
#ifdef MLMQ_FIBERS_ASAN
    other.previous_ = this;
    __sanitizer_start_switch_fiber(&frames_, other.lowest_, other.bytes_);
#endif
#ifdef MLMQ_FIBERS_TSAN
    switch_to(other);
#endif
  }

  /// Execution has come here.
  [[gnu::always_inline]] void arrive() {
#ifdef MLMQ_FIBERS_ASAN
    // Where the stack of a thread lies is learned when it is left.
    __sanitizer_finish_switch_fiber(frames_, &previous_->lowest_, &previous_->bytes_);
#endif
  }

  /// Around the construction of the fiber on `other`: Boost enters its first function there and comes back.
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

  /// A lane's stack will not be used again; nothing runs on it.
  [[gnu::always_inline]] void end() {
#ifdef MLMQ_FIBERS_ASAN
    __asan_unpoison_memory_region(lowest_, bytes_);  // what is mapped there next is not to inherit the frames
#endif
#ifdef MLMQ_FIBERS_TSAN
    __tsan_destroy_fiber(fiber_);
#endif
  }

 private:
#ifdef MLMQ_FIBERS_ASAN
  annotated_stack* previous_ = nullptr;  // where execution came from
  const void* lowest_ = nullptr;
  std::size_t bytes_ = 0;
  void* frames_ = nullptr;  // frames that AddressSanitizer keeps outside of the stack, if that option is set
#endif
#ifdef MLMQ_FIBERS_TSAN
  [[gnu::always_inline]] void switch_to(const annotated_stack& other) {
    fiber_ = __tsan_get_current_fiber();  // that of a thread may be another one in the next launch
    __tsan_switch_to_fiber(other.fiber_, 0);
  }
  void* fiber_ = nullptr;
#endif
};

}  // namespace mlmq::backends::simulator
