// SPDX-License-Identifier: Apache-2.0
// A persistent thread team: a search of two milliseconds can afford neither to start sixteen threads nor to sleep at a
// barrier.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace mlmq::cpu {

/// Distance in bytes between memory that different threads write (two cache lines, because the prefetcher loads pairs).
inline constexpr std::size_t separation = 128;

/// A fixed number of threads, including the caller, that run one function together at a time.
class thread_team {
 public:
  /// Starts `size` - 1 threads. @throws std::system_error if the system refuses
  explicit thread_team(unsigned size);
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;
  ~thread_team();

  [[nodiscard]] unsigned size() const noexcept { return size_; }

  /// Calls work(rank) for the ranks 0 (on the calling thread) to size() - 1 concurrently, and returns when all have
  /// returned. Rethrows the first exception of a rank; work that uses barriers must not throw.
  void run(const std::function<void(unsigned rank)>& work);

  /// Wakes sleeping threads, so that a run() that follows within a millisecond finds them ready.
  void wake() noexcept;

  /// Pauses briefly inside a spin loop.
  static void pause() noexcept;

  /// Barrier: returns when every thread of the team has called it, and makes the earlier writes of all threads visible.
  /// May be called only inside run().
  void barrier() noexcept;

  /// Part of a range of items that belongs to one rank.
  struct slice {
    std::size_t first = 0;
    std::size_t last = 0;  ///< one past the end
  };
  /// Returns the part of 0 … count-1 that belongs to `rank`, in whole cache lines. @param item_bytes size of an item
  [[nodiscard]] slice slice_of(unsigned rank, std::size_t count, std::size_t item_bytes) const noexcept;

 private:
  void serve(unsigned rank) noexcept;
  /// Spins for up to a millisecond until a job after number `done` starts, because runs of a series follow each other
  /// closely. Returns whether one has started.
  [[nodiscard]] bool wait_for_job(std::uint32_t done) const noexcept;
  void call(unsigned rank) noexcept;

  unsigned size_;
  unsigned spins_;  // 0 if threads outnumber processors
  const std::function<void(unsigned)>* work_ = nullptr;
  std::exception_ptr failure_;
  std::atomic<bool> failed_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint32_t> job_ = 0;                          // counts calls of run()
  alignas(separation) std::atomic<std::uint32_t> alarm_ = 0;    // changes to wake sleepers
  alignas(separation) std::atomic<std::uint32_t> arrived_ = 0;  // threads at the current barrier
  alignas(separation) std::atomic<std::uint32_t> passed_ = 0;   // number of completed barriers
  std::vector<std::thread> threads_;
};

}  // namespace mlmq::cpu
