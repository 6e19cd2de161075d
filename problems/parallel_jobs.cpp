// SPDX-License-Identifier: Apache-2.0
#include "problems/parallel_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mlmq::problems {

parallel_jobs::parallel_jobs(unsigned threads)
    : threads_(threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency())) {}

void parallel_jobs::run(std::uint64_t count, const job& work, const observer& progress) {
  std::atomic<std::uint64_t> next = 0;
  std::atomic<std::uint64_t> done = 0;
  std::mutex mutex;
  std::condition_variable ended;
  unsigned running = threads_;
  std::exception_ptr error;
  std::vector<std::jthread> threads;
  for (unsigned worker = 0; worker < threads_; ++worker) {
    threads.emplace_back([&, worker] {
      try {
        while (!stop_) {
          const std::uint64_t index = next++;
          if (index >= count) break;
          work(index, worker);
          ++done;
        }
      } catch (...) {
        stop_ = true;
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      --running;
      ended.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
    lock.unlock();
    if (progress) progress(done, count);
    lock.lock();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace mlmq::problems
