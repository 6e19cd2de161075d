// SPDX-License-Identifier: Apache-2.0
// Text summary of 'mlmq tune'.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/tuned_selector.hpp"

namespace mlmq::cli {

enum class install_outcome {
  installed,
  kept,       ///< the current selector is as good or better, or no judgement was possible
  overtaken,  ///< another command has installed or removed a selector in the meantime
  written,    ///< written to the file of --output
};

struct installation {
  install_outcome outcome = install_outcome::kept;
  std::filesystem::path file = {};  ///< file of the new selector
  bool is_used = false;             ///< false if the user's own selector takes precedence
};

struct measured_amounts {
  std::string user = "'mlmq solve'";       ///< the command that uses a selector of the problem and device, in quotes
  std::string noun = "graph";              ///< for a workload
  std::size_t unfit = 0;                   ///< configurations that the device cannot run
  std::size_t sampled = 0;                 ///< configurations around the best ones
  std::size_t graphs = 0;                  ///< requested workloads that can be measured
  std::size_t also_recorded = 0;           ///< of these, workloads with a variant on the record
  std::vector<std::string> left_out = {};  ///< files of graphs with negative weights
  bool out_of_time = false;
  bool same_device = false;  ///< whether the record belongs to this device
};

/// Returns the name of the new selector for messages.
[[nodiscard]] std::string name_of(const tuned_selector& tuned);

/// Returns one sentence with a line end: which selector `mlmq solve` uses on the device from now on, and why.
[[nodiscard]] std::string verdict_text(const tuned_selector& tuned, const std::string& device,
                                       const measured_amounts& amounts, const installation& done);

/// Returns the summary, which ends with verdict_text().
[[nodiscard]] std::string summary_text(const tuned_selector& tuned, const selector::time_source& source,
                                       const measured_amounts& amounts, const installation& done);

}  // namespace mlmq::cli
