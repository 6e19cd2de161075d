// SPDX-License-Identifier: Apache-2.0
// The results shipped with the program, for machines without a GPU.
#pragma once

#include <filesystem>
#include <string>

namespace mlmq::reproduce {

/// Finds the recorded results in a folder like experiments/recorded/: `PROBLEM.sqlite.gz` if it exists, else
/// `results.sqlite.gz`. @throws input_error if neither exists, with alternatives
[[nodiscard]] std::filesystem::path recorded_database(const std::filesystem::path& folder, const std::string& problem);

}  // namespace mlmq::reproduce
