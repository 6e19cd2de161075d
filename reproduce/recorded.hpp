// SPDX-License-Identifier: Apache-2.0
// The results that come with the program, for machines without a GPU.
#pragma once

#include <filesystem>
#include <string>

namespace mlmq::reproduce {

/// In a folder such as experiments/recorded/: `PROBLEM.sqlite.gz` where the problem has a database of its own, else
/// `results.sqlite.gz`. @throws input_error when it is not there, saying what to do instead
[[nodiscard]] std::filesystem::path recorded_database(const std::filesystem::path& folder, const std::string& problem);

}  // namespace mlmq::reproduce
