// SPDX-License-Identifier: Apache-2.0
// Processors as a device: runs the compiled-in searches of searches/, timed by the clock on the wall.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/backend.hpp"

namespace mlmq::cpu {
class thread_team;
}

namespace mlmq::backends {

inline constexpr device_traits cpu_traits{.modelled = false, .grid = false, .timeline = false, .warp_size = 1};

/// The file that a kernel_source names to mean a compiled-in solver; its entry is a name of cpu::solver_names(), and a
/// launch's arguments are a cpu::search_call.
inline constexpr const char* cpu_solver_file = "cpu_searches";

/// @param selector "cpu" (a thread for each processor that the process may use) or "cpu:N" (N threads). @throws
///   input_error
[[nodiscard]] std::unique_ptr<backend> open_cpu(const std::string& selector);

/// The file that a kernel_source names to mean work of a problem's own, compiled in: its entry and its macros say
/// which, for the records, and a launch's arguments are a team_work, which is called with the device's threads.
inline constexpr const char* team_work_file = "team_work";
using team_work = std::function<void(cpu::thread_team&)>;

[[nodiscard]] backend_report report_cpu();

}  // namespace mlmq::backends
