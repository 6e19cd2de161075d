// SPDX-License-Identifier: Apache-2.0
// What `mlmq solve` would choose for workloads, as things are: what a newly tuned selector is compared with.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "selector/training_set.hpp"
#include "tuner/parameter.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::cli {

/// A way to choose that is there.
struct present_way {
  std::string name;           ///< for a person: "shipped selector"
  bool is_installed = false;  ///< by an earlier `mlmq tune`; such a one is used before the others
  /// Complete labels of configurations, best first.
  std::function<std::vector<std::string>(const selector::workload_example&)> ranked;
  /// Of workloads that it learned from: what was chosen without knowing them (selector::tuned_about).
  std::map<std::string, std::vector<std::string>> held_out = {};

  /// Whether it learned from the workload, so that it is judged by held_out.
  [[nodiscard]] bool knows(const selector::workload_example& workload) const;
  /// What it may be judged by: all of held_out, or else the first of these that the device can run.
  [[nodiscard]] std::vector<std::string> favourites(const selector::workload_example& workload) const;
  /// What it is judged by on a workload: at least one label.
  /// @param runs whether the device can run a configuration; what it cannot run, `solve` passes over
  [[nodiscard]] std::vector<std::string> choices(const selector::workload_example& workload,
                                                 const std::function<bool(const std::string&)>& runs) const;
};

/// What there is on a device, the one that is used first. The last is always what is part of the program. An installed
/// selector that cannot be used is left out, with a warning on standard error.
/// @param features names of the values that workloads have
[[nodiscard]] std::vector<present_way> present_ways(const std::string& problem, const backends::device_info& device,
                                                    const tuner::parameter_set& parameters,
                                                    const std::vector<std::string>& features,
                                                    const tuner::workload_features& kind);

}  // namespace mlmq::cli
