// SPDX-License-Identifier: Apache-2.0
// PHOLD on processors: the baseline for GPUs and the reference for checks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "backends/cpu/searches/thread_team.hpp"
#include "problems/phold/phold_workload.hpp"

namespace mlmq::phold {

/// Conditions for stopping before the end.
struct run_limits {
  const std::uint32_t* abort_word = nullptr;  ///< set by another thread; null: none
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  /// Returns whether to stop. A call takes about 30 ns, so callers check every few microseconds.
  [[nodiscard]] bool reached() const {
    if (abort_word != nullptr) {
      const std::atomic_ref word(*const_cast<std::uint32_t*>(abort_word));
      if (word.load(std::memory_order_relaxed) != 0) return true;
    }
    return deadline != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() >= deadline;
  }
};

/// Summary of the executed events: equal for equal models and ends, independent of the solver.
struct trace {
  std::uint64_t events = 0;
  std::uint64_t hash = 0;
  std::uint64_t windows = 0;  ///< 0 if the simulation has no windows
  bool finished = false;      ///< whether the end was reached

  [[nodiscard]] bool same_events(const trace& other) const { return events == other.events && hash == other.hash; }
};

/// Simulates with one thread and one heap for all events.
[[nodiscard]] trace simulate_one_heap(const model_settings& settings, std::uint64_t end, const run_limits& limits);

/// Simulates with one thread and a heap per entity. A window starts at the least event and is as long as the lookahead.
[[nodiscard]] trace simulate_heaps(const model_settings& settings, std::uint64_t end, const run_limits& limits);

/// Simulates with all threads of the team. Each has a range of entities and a calendar, whose buckets are sorted when
/// they are executed.
/// @param end in ticks, like for the other simulations; events before it are executed
[[nodiscard]] trace simulate_calendar(cpu::thread_team& team, const model_settings& settings, std::uint64_t end,
                                      const run_limits& limits);

}  // namespace mlmq::phold
