// SPDX-License-Identifier: Apache-2.0
// Threads that run many short parallel loops one after the other; starting threads for each loop would take longer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mlmq {

/// Threads for parallel loops. The thread that calls run() takes part; the others sleep between loops. Not thread-safe.
class thread_team {
 public:
  using job = std::function<void(std::size_t index)>;

  /// @param threads number of threads with the calling one; 0: one per core
  explicit thread_team(unsigned threads);
  ~thread_team();
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;

  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(others_.size()) + 1; }

  /// Calls work(0) … work(count - 1), in any order and in parallel, and returns when all calls have ended. If calls
  /// throw, the exception of the lowest index is rethrown.
  void run(std::size_t count, const job& work);

  /// Divides 0 … size - 1 into blocks of `block` elements (the last one may be smaller) and calls work(block number,
  /// first, last + 1) for each, like run().
  template <class Work>
  void run_blocks(std::size_t size, std::size_t block, const Work& work) {
    run((size + block - 1) / block,
        [&](std::size_t index) { work(index, index * block, std::min(size, (index + 1) * block)); });
  }

 private:
  void wait_for_loops();
  void take_jobs();

  const job* work_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint32_t> loops_ = 0;    ///< number of loops begun
  std::atomic<std::uint32_t> working_ = 0;  ///< other threads that have not left the loop
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;  ///< protects the next two
  std::exception_ptr error_;
  std::size_t error_index_ = 0;
  std::vector<std::thread> others_;
};

/// Divides 0 … size - 1 into blocks of `block` elements and calls work(block number, first, last + 1) for each, on all
/// cores, like thread_team::run_blocks(). Starts no thread if there is only one block.
/// @param block elements whose work takes longer than starting a thread
template <class Work>
void for_each_block(std::size_t size, std::size_t block, const Work& work) {
  const std::size_t blocks = (size + block - 1) / block;
  thread_team(
      static_cast<unsigned>(std::clamp<std::size_t>(blocks, 1, std::max(1U, std::thread::hardware_concurrency()))))
      .run_blocks(size, block, work);
}

}  // namespace mlmq
