// SPDX-License-Identifier: Apache-2.0
// PHOLD on processors: the competitors that a GPU has to beat, and the reference that answers are checked against.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "cpu_solvers/thread_team.hpp"
#include "problems/phold/phold_workload.hpp"

namespace mlmq::phold {

/// When to stop before the end.
struct run_limits {
  const std::uint32_t* abort_word = nullptr;  ///< another thread sets it; null: none
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  /// Some 30 ns: to be asked every few microseconds.
  [[nodiscard]] bool reached() const {
    if (abort_word != nullptr) {
      const std::atomic_ref word(*const_cast<std::uint32_t*>(abort_word));
      if (word.load(std::memory_order_relaxed) != 0) return true;
    }
    return deadline != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() >= deadline;
  }
};

/// What was executed: equal for equal models and ends, by whatever means.
struct trace {
  std::uint64_t events = 0;
  std::uint64_t hash = 0;
  std::uint64_t windows = 0;  ///< 0 where there are none
  bool finished = false;      ///< the limits were not reached

  [[nodiscard]] bool same_events(const trace& other) const { return events == other.events && hash == other.hash; }
};

/// One thread, one heap for all events.
[[nodiscard]] trace simulate_one_heap(const model_settings& settings, std::uint64_t end, const run_limits& limits);

/// One thread, a heap for each entity, windows as long as the lookahead from the least event on.
[[nodiscard]] trace simulate_heaps(const model_settings& settings, std::uint64_t end, const run_limits& limits);

/// All threads of the team: each has a range of entities with one calendar, whose buckets are sorted when their time comes.
/// @param end in ticks, as of all of them: events before it are executed
[[nodiscard]] trace simulate_calendar(cpu::thread_team& team, const model_settings& settings, std::uint64_t end,
                                      const run_limits& limits);

}  // namespace mlmq::phold
