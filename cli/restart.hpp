// SPDX-License-Identifier: Apache-2.0
// Continues in a new process.
#pragma once

#include <string>
#include <vector>

namespace mlmq::cli {

/// Replaces this process, which has lost its device, by a new instance of the program with these arguments (the first
/// one is the name). The trial that lost the device must have been recorded, or the program would restart forever.
/// @throws std::runtime_error if the program cannot be started
[[noreturn]] void start_again(const std::vector<std::string>& arguments);

}  // namespace mlmq::cli
