// SPDX-License-Identifier: Apache-2.0
// Files that come with the program, in the source tree and when installed.
#pragma once

#include <filesystem>

namespace mlmq::cli {

/// The folder that has experiments/, plots/ and scripts/: the kernels are in it too.
[[nodiscard]] std::filesystem::path shipped_folder();

}  // namespace mlmq::cli
