// SPDX-License-Identifier: Apache-2.0
// The state of a graph on a device.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "library/compiled_variants.hpp"
#include "problems/shortest_paths/instance.hpp"

namespace mlmq::detail {

/// A graph on one device, with its compiled kernels and measured times.
struct resident {
  explicit resident(host_copy_clock host_copy_ms) : variants(std::move(host_copy_ms)) {}

  std::unique_ptr<problems::graph_instance> instance;
  compiled_variants variants;

  struct mean {
    double sum = 0;
    unsigned count = 0;
  };
  std::map<std::string, mean> solve_ms;  ///< by configuration, without counters

  [[nodiscard]] std::optional<double> measured(const std::string& configuration) const {
    const auto entry = solve_ms.find(configuration);
    if (entry == solve_ms.end()) return std::nullopt;
    return entry->second.sum / entry->second.count;
  }
};

}  // namespace mlmq::detail
