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
#include "library/labelled_configuration.hpp"
#include "problems/shortest_paths/cpu_solver.hpp"
#include "problems/shortest_paths/instance.hpp"
#include "problems/shortest_paths/solver.hpp"

namespace mlmq::detail {

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

[[nodiscard]] inline bool is_for_processors(const tuner::configuration& chosen) {
  return problems::is_cpu_solver(problems::solver_of(chosen));
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

/// A candidate of a model, as this program understands it.
struct candidate {
  labelled_configuration configuration;
  std::optional<double> predicted = std::nullopt;
  bool for_processors = false;
};

/// Something to try.
struct attempt {
  labelled_configuration configuration;
  bool on_host = false;  ///< on the processors beside the solver's device
  choice::chooser by = choice::chooser::caller;
  std::optional<double> predicted;
  std::string reason;
};

/// Several, first things first. Shared: who chooses keeps them from one search to the next.
using attempt_list = std::vector<std::shared_ptr<const attempt>>;

/// A model in terms of this program, whatever the graph.
struct known_model {
  std::shared_ptr<const model_data> of;
  std::vector<candidate> candidates;              ///< as ranked when nothing is known of a graph
  std::vector<labelled_configuration> searchers;  ///< one for each of model_data::searchers()
};

}  // namespace mlmq::detail
