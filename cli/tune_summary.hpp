// SPDX-License-Identifier: Apache-2.0
// What 'mlmq tune' says at the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/tuned_selector.hpp"

namespace mlmq::cli {

enum class install_outcome {
  installed,
  kept,       ///< what is there is as good or better, or nothing could be judged
  overtaken,  ///< another command has installed or removed one in the meantime
  written,    ///< to a file, as was asked for
};

struct installation {
  install_outcome outcome = install_outcome::kept;
  std::filesystem::path file = {};  ///< that has the new selector
  bool is_used = false;             ///< a user's own selector goes before one for everybody
};

struct measured_amounts {
  std::string user = "'mlmq solve'";       ///< the command that uses a selector of the problem and device, in quotes
  std::string noun = "graph";              ///< for a workload
  std::size_t unfit = 0;                   ///< configurations that the device cannot run
  std::size_t sampled = 0;                 ///< configurations around the best ones
  std::size_t graphs = 0;                  ///< requested workloads that can be measured
  std::size_t also_recorded = 0;           ///< of these, with a variant on the record that was learned from
  std::vector<std::string> left_out = {};  ///< files of graphs with negative weights
  bool out_of_time = false;
  bool same_device = false;  ///< whether the record is of this device
};

/// What the selector that was made is called, for a person.
[[nodiscard]] std::string name_of(const tuned_selector& tuned);

/// Which selector `mlmq solve` uses on the device from now on and why: one sentence and a line end.
[[nodiscard]] std::string verdict_text(const tuned_selector& tuned, const std::string& device,
                                       const measured_amounts& amounts, const installation& done);

/// Ends with the sentence that says what `mlmq solve` uses from now on.
[[nodiscard]] std::string summary_text(const tuned_selector& tuned, const selector::time_source& source,
                                       const measured_amounts& amounts, const installation& done);

}  // namespace mlmq::cli
