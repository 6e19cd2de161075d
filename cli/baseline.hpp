// SPDX-License-Identifier: Apache-2.0
// The configurations that `mlmq solve` chooses before tuning: a newly tuned selector is compared with them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "problems/registry.hpp"
#include "selector/training_set.hpp"

namespace mlmq::cli {

/// The recommendations of one model.
struct baseline {
  std::string name;           ///< to print: "shipped selector"
  bool is_installed = false;  ///< by an earlier `mlmq tune` for the same problem
  /// Complete labels of the recommended configurations, best first.
  std::function<std::vector<std::string>(const selector::workload_example&)> recommended;
  /// For each workload that the model learned from: the choices of a model trained without it (selector::tuned_about).
  std::map<std::string, std::vector<std::string>> held_out = {};

  /// Whether the model learned from the workload, so that it is judged by held_out.
  [[nodiscard]] bool knows(const selector::workload_example& workload) const;
  /// The labels that the baseline may be judged by: all of held_out, or else the first of these that the device runs.
  [[nodiscard]] std::vector<std::string> candidates(const selector::workload_example& workload) const;
  /// The labels that the baseline is judged by on a workload; at least one.
  /// @param runs whether the device runs a configuration; `solve` passes over those that it does not run
  [[nodiscard]] std::vector<std::string> choices(const selector::workload_example& workload,
                                                 const std::function<bool(const std::string&)>& runs) const;
};

/// The baselines on a device: that of `solve` first, that of the program without an installed selector last.
/// @param entry copied
/// @param features names of the values that workloads have
[[nodiscard]] std::vector<baseline> baselines(const problems::problem_entry& entry, const backends::device_info& device,
                                              const std::vector<std::string>& features);

}  // namespace mlmq::cli
