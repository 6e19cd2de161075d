// SPDX-License-Identifier: Apache-2.0
// The Python that draws.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"

namespace mlmq::reproduce {

/// What a script is to draw has not been measured.
class not_on_record : public work_error {
 public:
  using work_error::work_error;
};

/// A Python with numpy and matplotlib: $MLMQ_PYTHON, or else Debian's, or else the first of PATH.
/// @throws input_error when none has them, saying what to install
[[nodiscard]] std::string find_python();

/// Runs a plot script on a request. @return what it printed
/// @throws work_error with what the script said when it fails, not_on_record when it misses what it is to draw
[[nodiscard]] std::string run_script(const std::string& python, const std::filesystem::path& script,
                                     const std::filesystem::path& request);

}  // namespace mlmq::reproduce
