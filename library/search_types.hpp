// SPDX-License-Identifier: Apache-2.0
// What a solver keeps of a place, of a model, and of what it could try.
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

/// One entry for each interval, from the points of all curves.
[[nodiscard]] inline std::vector<timeline_interval> intervals_of(const std::vector<db::timeline_point>& points) {
  std::map<double, timeline_interval> intervals;
  for (const db::timeline_point& point : points) {
    timeline_interval& interval = intervals[point.time_ms];
    interval.start_ms = point.time_ms;
    if (point.name == "vertices") interval.vertices = point.value;
    if (point.name == "active_warps") interval.active_warps = point.value;
  }
  std::vector<timeline_interval> all;
  for (const auto& [start_ms, interval] : intervals) all.push_back(interval);
  return all;
}

/// The graph on one device, with what has been compiled for it and what its searches took.
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
  std::set<std::pair<std::string, tuner::instrumentation>> unfit;  ///< what the device turned out not to be able to run

  [[nodiscard]] std::optional<double> measured(const std::string& configuration) const {
    const auto found = solve_ms.find(configuration);
    if (found == solve_ms.end()) return std::nullopt;
    return found->second.sum / found->second.count;
  }
};

/// Something to try.
struct attempt {
  labelled_configuration configuration;
  bool on_host = false;  ///< on the processors beside the solver's device
  choice::chooser by = choice::chooser::caller;
  std::optional<double> predicted;
  std::string reason;
};

/// The one who chose, in the terms of the public interface.
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

/// A recommended configuration to try on the solver's device.
[[nodiscard]] inline attempt attempt_of(problems::recommended_configuration recommended) {
  return {.configuration = std::move(recommended.configuration),
          .on_host = false,
          .by = chooser_of(recommended.origin),
          .predicted = recommended.predicted,
          .reason = std::move(recommended.reason)};
}

/// Several, first things first. Shared: who chooses keeps them from one search to the next.
using attempt_list = std::vector<std::shared_ptr<const attempt>>;

}  // namespace mlmq::detail
