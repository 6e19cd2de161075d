// SPDX-License-Identifier: Apache-2.0
// The state of a graph on a device.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "backends/backend.hpp"
#include "problems/shortest_paths/instance.hpp"
#include "tuner/problem.hpp"

namespace mlmq::detail {

/// A graph on one device, with its compiled kernels and measured times.
struct resident {
  std::unique_ptr<problems::graph_instance> instance;
  std::map<std::pair<std::string, tuner::instrumentation>, std::shared_ptr<const backends::kernel>> kernels;
  std::pair<std::string, tuner::instrumentation> prepared{"", tuner::instrumentation::none};
  bool is_prepared = false;

  struct mean {
    double sum = 0;
    unsigned count = 0;
  };
  std::map<std::string, mean> solve_ms;                            ///< by configuration, without counters
  std::set<std::pair<std::string, tuner::instrumentation>> unfit;  ///< configurations that the device failed to run

  [[nodiscard]] std::optional<double> measured(const std::string& configuration) const {
    const auto entry = solve_ms.find(configuration);
    if (entry == solve_ms.end()) return std::nullopt;
    return entry->second.sum / entry->second.count;
  }
};

}  // namespace mlmq::detail
