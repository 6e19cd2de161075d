// SPDX-License-Identifier: Apache-2.0
// Going on in a new process.
#pragma once

#include <string>
#include <vector>

namespace mlmq::cli {

/// Replaces this process, which cannot use its device any more, by the program with these arguments (the first is its
/// name). What lost the device must have been recorded, or this never ends. @throws std::runtime_error when it cannot
[[noreturn]] void start_again(const std::vector<std::string>& arguments);

}  // namespace mlmq::cli
