// SPDX-License-Identifier: Apache-2.0
// Threads that stay: a search of two milliseconds cannot afford to start sixteen of them, nor to sleep at a barrier.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace mlmq::cpu {

/// Memory that two threads write side by side must be this far apart (two lines: the prefetcher loads pairs).
inline constexpr std::size_t separation = 128;

/// A fixed number of threads, the caller's among them, that run one function at a time together.
class thread_team {
 public:
  /// Starts `size` - 1 threads. @throws std::system_error when the system refuses them
  explicit thread_team(unsigned size);
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;
  ~thread_team();

  [[nodiscard]] unsigned size() const noexcept { return size_; }

  /// Calls work(rank) for rank 0 (on the calling thread) to size() - 1, all at the same time, and returns when all have
  /// returned. The first exception of a rank is thrown here; work that meets at barriers must not throw.
  void run(const std::function<void(unsigned rank)>& work);

  /// Wakes sleeping threads, so that a run() that follows within a millisecond finds them ready.
  void wake() noexcept;

  /// A moment's waiting inside a loop.
  static void pause() noexcept;

  /// Returns when every thread of the team has called it, and makes what they wrote before visible. Only inside run().
  void barrier() noexcept;

  /// The part of 0 … count-1 that belongs to `rank`, in pieces of whole cache lines of `item_bytes` each.
  struct slice {
    std::size_t first = 0;
    std::size_t last = 0;  ///< one past the end
  };
  [[nodiscard]] slice slice_of(unsigned rank, std::size_t count, std::size_t item_bytes) const noexcept;

 private:
  void serve(unsigned rank) noexcept;
  /// Stays awake for a millisecond to see the job after number `done`: runs of a series follow each other closely.
  [[nodiscard]] bool is_called_soon(std::uint32_t done) const noexcept;
  void call(unsigned rank) noexcept;

  unsigned size_;
  unsigned spins_;  // none where threads outnumber processors
  const std::function<void(unsigned)>* work_ = nullptr;
  std::exception_ptr failure_;
  std::atomic<bool> failed_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint32_t> job_ = 0;                          // counts calls of run()
  alignas(separation) std::atomic<std::uint32_t> alarm_ = 0;    // changes when sleepers shall get up
  alignas(separation) std::atomic<std::uint32_t> arrived_ = 0;  // at the present barrier
  alignas(separation) std::atomic<std::uint32_t> passed_ = 0;   // barriers
  std::vector<std::thread> threads_;
};

}  // namespace mlmq::cpu
