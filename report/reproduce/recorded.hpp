// SPDX-License-Identifier: Apache-2.0
// The results shipped with the program, for machines without a GPU.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mlmq::reproduce {

/// Returns the databases of a folder like experiments/recorded/ that may have the trials of a figure, the one to prefer
/// first: `figures.sqlite.gz`, then `PROBLEM.sqlite.gz`, or else `results.sqlite.gz`. At least one.
/// @throws input_error if none exists, with alternatives
[[nodiscard]] std::vector<std::filesystem::path> recorded_databases(const std::filesystem::path& folder,
                                                                    const std::string& problem);

}  // namespace mlmq::reproduce
