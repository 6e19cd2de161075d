// SPDX-License-Identifier: Apache-2.0
// Durations on the command line.
#pragma once

#include <string>

namespace mlmq::cli {

/// Seconds of "30", "1.5" (minutes), "90s", "2min" or "1h". @throws input_error for anything else, and unless it is above 0
[[nodiscard]] double seconds_of(const std::string& text);

}  // namespace mlmq::cli
