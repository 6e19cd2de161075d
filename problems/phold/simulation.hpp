// SPDX-License-Identifier: Apache-2.0
// PHOLD on processors: the baseline for GPUs and the reference for checks.
#pragma once

#include <cstdint>

#include "backends/cpu/searches/stop_signal.hpp"
#include "backends/cpu/searches/thread_team.hpp"
#include "problems/phold/phold_workload.hpp"

namespace mlmq::phold {

/// Summary of the executed events: equal for equal models and ends, independent of the solver.
struct trace {
  std::uint64_t events = 0;
  std::uint64_t hash = 0;
  std::uint64_t windows = 0;  ///< 0 if the simulation has no windows
  bool finished = false;      ///< whether the end was reached

  [[nodiscard]] bool same_events(const trace& other) const { return events == other.events && hash == other.hash; }
};

// A simulation ends soon after `stop` is set.

/// Simulates with one thread and one heap for all events.
[[nodiscard]] trace simulate_one_heap(const model_settings& settings, std::uint64_t end, cpu::stop_signal& stop);

/// Simulates with one thread and a heap per entity. A window starts at the least event and is as long as the lookahead.
[[nodiscard]] trace simulate_heaps(const model_settings& settings, std::uint64_t end, cpu::stop_signal& stop);

/// Simulates with all threads of the team. Each has a range of entities and a calendar, whose buckets are sorted when
/// they are executed.
/// @param end in ticks, like for the other simulations; events before it are executed
[[nodiscard]] trace simulate_calendar(cpu::thread_team& team, const model_settings& settings, std::uint64_t end,
                                      cpu::stop_signal& stop);

}  // namespace mlmq::phold
