// SPDX-License-Identifier: Apache-2.0
// Summary of 'mlmq tune', as text and as a JSON document (docs/reference/json.md, mlmq/tune).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/json_output.hpp"
#include "db/status.hpp"
#include "problems/tune/installation.hpp"
#include "problems/tune/tuned_selector.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::cli {

struct measured_amounts {
  std::string user = "'mlmq solve'";  ///< the command that uses a selector of the problem and device, in quotes
  std::string noun = "graph";         ///< for a workload
  std::size_t unfit = 0;              ///< configurations that the device cannot run
  std::size_t sampled = 0;            ///< configurations around the best ones
  std::size_t graphs = 0;             ///< requested workloads that can be measured
  std::vector<tuner::left_out_workload> left_out = {};
  bool out_of_time = false;
  std::vector<db::best_result> best = {};  ///< best configuration of each workload and query, with its metrics
  std::vector<std::string> varied = {};    ///< parameters that labels show even at their defaults
};

/// Returns the name of the new selector for messages.
[[nodiscard]] std::string selector_name(const tune::tuned_selector& tuned);

/// Returns one sentence with a line end: which selector `mlmq solve` uses on the device from now on, and why.
[[nodiscard]] std::string verdict_text(const tune::tuned_selector& tuned, const std::string& device,
                                       const measured_amounts& amounts, const tune::installation& done);

/// Returns the summary, which ends with verdict_text().
[[nodiscard]] std::string summary_text(const tune::tuned_selector& tuned, const selector::time_source& source,
                                       const measured_amounts& amounts, const tune::installation& done);

/// Returns an array with the scores of each strategy: `strategies` of mlmq/tune and of mlmq/selector-list.
[[nodiscard]] json_document scores_document(const std::vector<selector::strategy_evaluation>& strategies);

/// @param folder folder of --folder, with the files that every run writes
[[nodiscard]] json_document tune_document(const tune::tuned_selector& tuned, const selector::time_source& source,
                                          const measured_amounts& amounts, const tune::installation& done,
                                          const std::filesystem::path& folder);

}  // namespace mlmq::cli
