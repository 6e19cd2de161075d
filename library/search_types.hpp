// SPDX-License-Identifier: Apache-2.0
// Types that the classes of a solver share: attempts, and the state of a graph on a device.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "library/impl.hpp"
#include "problems/shortest_paths/cpu_solver.hpp"
#include "problems/shortest_paths/instance.hpp"
#include "problems/shortest_paths/solver.hpp"
#include "tuner/labelled_configuration.hpp"

namespace mlmq::detail {

using tuner::labelled_configuration;

/// Converts the points of all curves to one entry per interval.
[[nodiscard]] inline std::vector<timeline_interval> intervals_of(const std::vector<db::timeline_point>& points) {
  std::map<double, timeline_interval> intervals;
  for (const db::timeline_point& point : points) {
    timeline_interval& interval = intervals[point.time_ms];
    interval.start_ms = point.time_ms;
    if (point.name == "vertices") interval.vertices = point.value;
    if (point.name == "active_warps") interval.active_warps = point.value;
  }
  std::vector<timeline_interval> result;
  for (const auto& [start_ms, interval] : intervals) result.push_back(interval);
  return result;
}

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

/// A configuration to try.
struct attempt {
  labelled_configuration configuration;
  bool on_host = false;  ///< on the processors of this machine, not the solver's device
  choice::chooser by = choice::chooser::caller;
  std::optional<double> predicted;
  std::string reason;
};

/// Converts the origin of a candidate to its public name.
[[nodiscard]] constexpr choice::chooser chooser_of(problems::candidate_origin origin) noexcept {
  switch (origin) {
    case problems::candidate_origin::model:
      return choice::chooser::model;
    case problems::candidate_origin::rule:
      return choice::chooser::rule;
    case problems::candidate_origin::standard:
      break;
  }
  return choice::chooser::standard;
}

/// Makes an attempt on the solver's device from a recommendation.
[[nodiscard]] inline attempt attempt_of(problems::recommended_configuration recommended) {
  return {.configuration = std::move(recommended.configuration),
          .on_host = false,
          .by = chooser_of(recommended.origin),
          .predicted = recommended.predicted,
          .reason = std::move(recommended.reason)};
}

/// Attempts in the order to try them. Shared, because the chooser keeps them from one search to the next.
using attempt_list = std::vector<std::shared_ptr<const attempt>>;

}  // namespace mlmq::detail
