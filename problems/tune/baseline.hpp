// SPDX-License-Identifier: Apache-2.0
// Baselines: the configurations that `mlmq solve` chooses before tuning. A newly tuned selector is compared with them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "problems/registry.hpp"
#include "selector/training_set.hpp"

namespace mlmq::tune {

/// The recommendations of one model.
struct baseline {
  std::string name;           ///< to print: "shipped selector"
  bool is_installed = false;  ///< whether an earlier `mlmq tune` for the same problem installed the model
  /// Complete labels of the recommended configurations, best first.
  std::function<std::vector<std::string>(const selector::workload_example&)> recommended;
  /// For each workload that the model learned from: the choices of a model trained without it (selector::tuned_about).
  std::map<std::string, std::vector<std::string>> held_out = {};

  /// Returns whether the model learned from the workload; it is then judged by held_out.
  [[nodiscard]] bool knows(const selector::workload_example& workload) const;
  /// Returns the labels by which the baseline may be judged: all of held_out, or else the recommended ones, of which
  /// the first that the device runs counts.
  [[nodiscard]] std::vector<std::string> candidates(const selector::workload_example& workload) const;
  /// Returns the labels by which the baseline is judged on a workload; at least one.
  /// @param runs returns whether the device runs a configuration; `solve` skips the others
  [[nodiscard]] std::vector<std::string> choices(const selector::workload_example& workload,
                                                 const std::function<bool(const std::string&)>& runs) const;
};

/// Returns the baselines on a device: first that of `solve`, last that of the program without an installed selector.
/// @param entry copied
/// @param features names of the workload features
[[nodiscard]] std::vector<baseline> baselines(const problems::problem_entry& entry, const backends::device_info& device,
                                              const std::vector<std::string>& features);

}  // namespace mlmq::tune
