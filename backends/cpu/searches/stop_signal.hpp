// SPDX-License-Identifier: Apache-2.0
// Stops a run on the CPU early: at its time limit or on an abort request.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "backends/cpu/searches/search.hpp"

namespace mlmq::cpu {

/// Stop signal shared by the threads of one run.
class stop_signal {
 public:
  /// Creates a signal without a limit or an abort word.
  stop_signal() noexcept : stop_signal(nullptr, ~std::uint64_t{0}) {}
  /// @param abort_word     the run ends soon after another thread sets it; null: none
  /// @param time_limit_ns  counted from now
  stop_signal(const std::uint32_t* abort_word, std::uint64_t time_limit_ns) noexcept
      : abort_word_(abort_word), limit_ns_(time_limit_ns), start_(clock::now()) {}
  explicit stop_signal(const search_request& request) noexcept
      : stop_signal(request.abort_word, request.time_limit_ns) {}

  /// Returns whether a poll() of any thread has found a reason to stop. Cheap.
  [[nodiscard]] bool is_set() const noexcept { return reason_.load(std::memory_order_relaxed) != run_status::finished; }

  /// Stops all threads, such as after an error in one.
  void stop() noexcept { set(run_status::aborted); }

  /// Checks the abort word and the clock (about 30 ns). Call it every few microseconds of work.
  bool poll() noexcept {
    if (is_set()) return true;
    if (abort_word_ != nullptr) {
      // A plain word of the caller, which another thread writes.
      const std::atomic_ref word(*const_cast<std::uint32_t*>(abort_word_));
      if (word.load(std::memory_order_relaxed) != 0) return set(run_status::aborted);
    }
    const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start_).count();
    return static_cast<std::uint64_t>(passed) >= limit_ns_ && set(run_status::timed_out);
  }

  /// Returns the reason to stop; `finished` if there is none.
  [[nodiscard]] run_status status() const noexcept { return reason_.load(std::memory_order_relaxed); }

 private:
  using clock = std::chrono::steady_clock;

  bool set(run_status reason) noexcept {
    run_status none = run_status::finished;
    reason_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
    return true;
  }

  const std::uint32_t* abort_word_;
  std::uint64_t limit_ns_;
  clock::time_point start_;
  std::atomic<run_status> reason_ = run_status::finished;
};

}  // namespace mlmq::cpu
