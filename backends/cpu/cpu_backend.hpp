// SPDX-License-Identifier: Apache-2.0
// The CPU as a device: runs the compiled-in searches in searches/, timed by the wall clock.
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

/// Value of kernel_source::file that selects a compiled-in solver. The entry is one of cpu::solver_names(), and the
/// arguments of a launch are a cpu::search_call.
inline constexpr const char* cpu_solver_file = "cpu_searches";

/// Opens the CPU as a device.
/// @param selector  "cpu" (one thread per processor that the process may use) or "cpu:N" (N threads)
/// @throws input_error
[[nodiscard]] std::unique_ptr<backend> open_cpu(const std::string& selector);

/// Value of kernel_source::file that selects compiled-in code of a problem. Entry and macros only identify the code in
/// records; the arguments of a launch are a team_work, which is called with the device's threads.
inline constexpr const char* team_work_file = "team_work";
using team_work = std::function<void(cpu::thread_team&)>;

[[nodiscard]] backend_report report_cpu();

}  // namespace mlmq::backends
