// SPDX-License-Identifier: Apache-2.0
// JSON document of 'mlmq tune': docs/reference/json.md, mlmq/tune.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/json_output.hpp"
#include "cli/tune_summary.hpp"

namespace mlmq::cli {

/// Returns an array with the scores of each strategy: `strategies` of mlmq/tune and of mlmq/selector-list.
[[nodiscard]] json_document scores_document(const std::vector<selector::strategy_evaluation>& strategies);

/// @param folder folder of --folder, with the files that every run writes
[[nodiscard]] json_document tune_document(const tune::tuned_selector& tuned, const selector::time_source& source,
                                          const measured_amounts& amounts, const tune::installation& done,
                                          const std::filesystem::path& folder);

}  // namespace mlmq::cli
