// SPDX-License-Identifier: Apache-2.0
// The threads of a check: numbered jobs, taken in their order, until one says to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace mlmq::problems {

class parallel_jobs {
 public:
  /// @param threads 0: one for each core
  explicit parallel_jobs(unsigned threads);

  [[nodiscard]] unsigned threads() const { return threads_; }

  /// Job 0 … count - 1; `worker` is the number of the thread.
  using job = std::function<void(std::uint64_t index, unsigned worker)>;
  /// Called now and then by the thread that called run().
  using observer = std::function<void(std::uint64_t done, std::uint64_t total)>;
  /// Runs jobs in this order up to the number of threads, and begins no more after stop(). Throws what a job threw first.
  void run(std::uint64_t count, const job& work, const observer& progress = {});

  /// May be called by jobs: those that have begun end. Jobs before one that calls it have all begun.
  void stop() { stop_ = true; }

 private:
  unsigned threads_;
  std::atomic<bool> stop_ = false;
};

}  // namespace mlmq::problems
