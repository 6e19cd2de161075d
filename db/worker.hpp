// SPDX-License-Identifier: Apache-2.0
// Who is running a trial, and whether that process still lives.
#pragma once

#include <string>
#include <string_view>

namespace mlmq::db {

/// The name of this machine.
[[nodiscard]] std::string host_name();

/// "host:pid:starttime" of this process. The start time (clock ticks since boot, /proc/PID/stat)
/// tells a process from a later one that got the same pid.
[[nodiscard]] std::string this_worker();

enum class liveness {
  alive,
  dead,     ///< gone, a zombie, or its pid now belongs to another process
  unknown,  ///< on another host, or not an identity in the form above
};

[[nodiscard]] liveness worker_liveness(std::string_view worker);

}  // namespace mlmq::db
