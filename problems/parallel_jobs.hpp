// SPDX-License-Identifier: Apache-2.0
// Runs numbered jobs in order on several threads until one of them calls stop().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace mlmq::problems {

class parallel_jobs {
 public:
  /// @param threads 0: one per core
  explicit parallel_jobs(unsigned threads);

  [[nodiscard]] unsigned threads() const { return threads_; }

  /// Runs job 0 … count - 1; `worker` is the index of the thread.
  using job = std::function<void(std::uint64_t index, unsigned worker)>;
  /// Called periodically in the thread that called run().
  using observer = std::function<void(std::uint64_t done, std::uint64_t total)>;
  /// Starts the jobs in order, as many at a time as there are threads, and none after stop(). Rethrows the first
  /// exception of a job.
  void run(std::uint64_t count, const job& work, const observer& progress = {});

  /// Prevents further jobs from starting. May be called by jobs. Jobs that have begun continue; these include all jobs
  /// before the calling one.
  void stop() { stop_ = true; }

 private:
  unsigned threads_;
  std::atomic<bool> stop_ = false;
};

}  // namespace mlmq::problems
