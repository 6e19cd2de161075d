// SPDX-License-Identifier: Apache-2.0
#include "base/thread_team.hpp"

#include <system_error>
#include <utility>

namespace mlmq {

thread_team::thread_team(unsigned threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  others_.reserve(threads);
  try {
    while (others_.size() + 1 < threads) others_.emplace_back([this] { wait_for_loops(); });
  } catch (const std::system_error&) {
    // The system allows no more threads: those that exist suffice.
  }
}

thread_team::~thread_team() {
  ends_ = true;
  ++loops_;
  loops_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void thread_team::run(std::size_t count, const job& work) {
  work_ = &work;
  count_ = count;
  next_ = 0;
  if (count > 1 && !others_.empty()) {
    working_ = static_cast<std::uint32_t>(others_.size());
    ++loops_;
    loops_.notify_all();
  }
  take_jobs();
  for (std::uint32_t working = working_; working != 0; working = working_) working_.wait(working);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void thread_team::wait_for_loops() {
  for (std::uint32_t seen = 0;; ++seen) {
    loops_.wait(seen);
    if (ends_) return;
    take_jobs();
    if (--working_ == 0) working_.notify_one();
  }
}

void thread_team::take_jobs() {
  for (std::size_t index = next_++; index < count_; index = next_++) {
    try {
      (*work_)(index);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_ || index < error_index_) {
        error_ = std::current_exception();
        error_index_ = index;
      }
    }
  }
}

}  // namespace mlmq
