// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/thread_team.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

namespace mlmq::cpu {
namespace {

/// Waits until `word` differs from `seen`. Waking a thread takes tens of microseconds, in which threads that wait for
/// the sleeper may fall asleep too. Therefore a team with one processor per thread spins for some milliseconds.
void wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t seen, unsigned spins) noexcept {
  const unsigned yields = spins > 0 ? 8192 : 64;
  for (unsigned waited = 0; word.load(std::memory_order_acquire) == seen; ++waited) {
    if (waited < spins) {
      thread_team::pause();
    } else if (waited < spins + yields) {
      std::this_thread::yield();
    } else {
      word.wait(seen, std::memory_order_acquire);
    }
  }
}

}  // namespace

thread_team::thread_team(unsigned size) : size_(std::max(1U, size)) {
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  spins_ = size_ <= processors ? 4000 : 0;
  try {
    for (unsigned rank = 1; rank < size_; ++rank) threads_.emplace_back([this, rank] { serve(rank); });
  } catch (...) {
    stopping_ = true;
    wake();
    for (std::thread& thread : threads_) thread.join();
    throw;
  }
}

thread_team::~thread_team() {
  stopping_ = true;
  wake();
  for (std::thread& thread : threads_) thread.join();
}

void thread_team::pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void thread_team::wake() noexcept {
  alarm_.fetch_add(1, std::memory_order_release);
  alarm_.notify_all();
}

void thread_team::run(const std::function<void(unsigned)>& work) {
  work_ = &work;
  failed_ = false;
  failure_ = nullptr;
  job_.fetch_add(1, std::memory_order_release);
  if (size_ > 1) wake();
  call(0);
  barrier();
  work_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void thread_team::call(unsigned rank) noexcept {
  try {
    (*work_)(rank);
  } catch (...) {
    if (!failed_.exchange(true)) failure_ = std::current_exception();
  }
}

void thread_team::serve(unsigned rank) noexcept {
  for (std::uint32_t done = 0;; ++done) {
    while (job_.load(std::memory_order_acquire) == done) {
      // Read before the last check of job_, so that an alarm in between ends the sleep immediately.
      const std::uint32_t heard = alarm_.load(std::memory_order_acquire);
      if (wait_for_job(done)) break;
      if (stopping_) return;
      alarm_.wait(heard, std::memory_order_acquire);
    }
    call(rank);
    barrier();
  }
}

bool thread_team::wait_for_job(std::uint32_t done) const noexcept {
  using clock = std::chrono::steady_clock;
  const auto bedtime = clock::now() + std::chrono::milliseconds(1);
  do {
    for (unsigned turn = 0; turn < 64; ++turn) {
      if (job_.load(std::memory_order_acquire) != done) return true;
      pause();
    }
    if (stopping_) return false;
    if (spins_ == 0) std::this_thread::yield();
  } while (clock::now() < bedtime);
  return false;
}

void thread_team::barrier() noexcept {
  if (size_ == 1) return;
  const std::uint32_t generation = passed_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    passed_.store(generation + 1, std::memory_order_release);
    passed_.notify_all();
    return;
  }
  wait_for_change(passed_, generation, spins_);
}

thread_team::slice thread_team::slice_of(unsigned rank, std::size_t count, std::size_t item_bytes) const noexcept {
  const std::size_t line = std::max<std::size_t>(1, separation / std::max<std::size_t>(1, item_bytes));
  const std::size_t lines = (count + line - 1) / line;
  const auto border = [&](std::size_t number) { return std::min(count, lines * number / size_ * line); };
  return {.first = border(rank), .last = border(rank + std::size_t{1})};
}

}  // namespace mlmq::cpu
