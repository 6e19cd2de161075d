// SPDX-License-Identifier: Apache-2.0
// Runs the Python scripts that draw figures.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"

namespace mlmq::reproduce {

/// The data that a script draws has not been measured.
class not_on_record : public work_error {
 public:
  using work_error::work_error;
};

/// Finds a Python with numpy and matplotlib: $MLMQ_PYTHON if set, else Debian's, else the first in PATH.
/// @throws input_error if none is found, naming the packages to install
[[nodiscard]] std::string find_python();

/// Runs a plot script on a request. @param modules folder of the modules that scripts share @return its output
/// @throws work_error with the script's output if it fails, not_on_record if its data has not been measured
[[nodiscard]] std::string run_script(const std::string& python, const std::filesystem::path& script,
                                     const std::filesystem::path& request, const std::filesystem::path& modules);

}  // namespace mlmq::reproduce
