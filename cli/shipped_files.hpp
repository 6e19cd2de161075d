// SPDX-License-Identifier: Apache-2.0
// Files that are shipped with the program, in the source tree or installed.
#pragma once

#include <filesystem>

namespace mlmq::cli {

/// Returns the folder with experiments/, plots/, scripts/ and the kernels.
[[nodiscard]] std::filesystem::path shipped_folder();

}  // namespace mlmq::cli
