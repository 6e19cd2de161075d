// SPDX-License-Identifier: Apache-2.0
// Runs the process of a peer.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "db/records.hpp"

namespace mlmq::compare {

/// Returns the end of a program's output, on one line.
[[nodiscard]] std::string end_of_output(std::string_view output);

/// Returns N of "cuda:N"; 0 for processors, whose selector names a number of threads.
[[nodiscard]] unsigned device_number(const backends::device_info& device);

/// Runs a peer and measures the time of its process (measure_ms).
/// @param result receives the outcome and its message if the peer fails: launch_error (it cannot be started), timeout
///   (the process group is killed), crashed (a signal or an exit status, with the end of the output)
/// @return the output of a peer that ends with status 0
[[nodiscard]] std::optional<std::string> run_peer_process(const std::vector<std::string>& arguments,
                                                          std::chrono::milliseconds time_limit,
                                                          db::trial_result& result);

}  // namespace mlmq::compare
