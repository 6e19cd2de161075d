// SPDX-License-Identifier: Apache-2.0
// Compiles variants in other processes. In one process, NVRTC does not compile faster on more than four threads, and
// a compiler that crashes ends the process.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "backends/backend.hpp"

namespace mlmq::backends {

/// What a compiling process does with a variant: compile it for an architecture. @throws compile_error, work_error
using compilation = std::function<std::string(const kernel_source& variant, const std::string& architecture)>;

/// Longest time for a variant. The largest of ours takes two seconds.
inline constexpr std::chrono::milliseconds compile_limit{120'000};

/// Lets compile_elsewhere() compile in processes that `command` starts and that call serve_compilations(). Call it
/// before the first compilation.
void compile_in_processes(std::vector<std::string> command, std::chrono::milliseconds limit = compile_limit);
[[nodiscard]] bool compiles_in_processes();

/// Has a process compile a variant. Starts as many processes as there are calls at a time; each has one variant at a
/// time and is kept for others. Thread-safe.
/// @return what the process's `compilation` returned
/// @throws compile_error  like the compilation, or if the process crashes or takes longer than the limit
/// @throws work_error  like the compilation, or if a process cannot be started
[[nodiscard]] std::string compile_elsewhere(const kernel_source& variant, const std::string& architecture);

/// Compiles what the parent process sends, until it closes standard input. @return exit status
[[nodiscard]] int serve_compilations(const compilation& compile);

}  // namespace mlmq::backends
