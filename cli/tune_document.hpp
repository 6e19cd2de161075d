// SPDX-License-Identifier: Apache-2.0
// What 'mlmq tune' says at the end, for a program: docs/reference/json.md, mlmq/tune.
#pragma once

#include <filesystem>
#include <string>

#include "cli/json_output.hpp"
#include "cli/tune_summary.hpp"

namespace mlmq::cli {

/// @param folder of --folder, with the files that every run writes
[[nodiscard]] json_document tune_document(const tuned_selector& tuned, const selector::time_source& source,
                                          const measured_amounts& amounts, const installation& done,
                                          const std::filesystem::path& folder);

}  // namespace mlmq::cli
