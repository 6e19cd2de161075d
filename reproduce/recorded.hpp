// SPDX-License-Identifier: Apache-2.0
// The results that come with the program, for machines without a GPU.
#pragma once

#include <filesystem>

namespace mlmq::reproduce {

/// `results.sqlite.gz` in a folder such as experiments/recorded/.
/// @throws input_error when it is not there, saying what to do instead
[[nodiscard]] std::filesystem::path recorded_database(const std::filesystem::path& folder);

}  // namespace mlmq::reproduce
