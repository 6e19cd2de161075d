// SPDX-License-Identifier: Apache-2.0
// The Python that draws.
#pragma once

#include <filesystem>
#include <string>

namespace mlmq::reproduce {

/// A Python with numpy and matplotlib: $MLMQ_PYTHON, or else Debian's, or else the first of PATH.
/// @throws input_error when none has them, saying what to install
[[nodiscard]] std::string find_python();

/// Runs a plot script on a request. @return what it printed
/// @throws work_error with what the script said when it fails
[[nodiscard]] std::string run_script(const std::string& python, const std::filesystem::path& script,
                                     const std::filesystem::path& request);

}  // namespace mlmq::reproduce
