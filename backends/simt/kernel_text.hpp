// SPDX-License-Identifier: Apache-2.0
// The complete source text of a kernel variant: what its identity and its place in the cache depend on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mlmq::backends::simulator {

/// The hash of `file` and of everything that it includes with quotes, directly or not, wherever it is found: beside the
/// including file or in one of `folders`. Whether an include is compiled or not makes no difference, and what is not
/// found is left to the compiler. @throws input_error when `file` cannot be read
[[nodiscard]] std::string hash_kernel_text(const std::filesystem::path& file,
                                           const std::vector<std::filesystem::path>& folders);

}  // namespace mlmq::backends::simulator
