// SPDX-License-Identifier: Apache-2.0
// Identity of the worker process that runs a trial, and whether that process is alive.
#pragma once

#include <string>
#include <string_view>

namespace mlmq::db {

/// Returns the name of this machine.
[[nodiscard]] std::string host_name();

/// Returns "host:pid:starttime" of this process. The start time (clock ticks since boot, /proc/PID/stat) distinguishes
/// a process from a later one with the same pid.
[[nodiscard]] std::string this_worker();

enum class liveness {
  alive,
  dead,     ///< exited, a zombie, or its pid now belongs to another process
  unknown,  ///< on another host, or not an identity in the form above
};

[[nodiscard]] liveness worker_liveness(std::string_view worker);

}  // namespace mlmq::db
