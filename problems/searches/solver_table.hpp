// SPDX-License-Identifier: Apache-2.0
// The solvers that a plan considers: which searches each is for, in which configurations, and at which expected cost.
#pragma once

#ifndef MLMQ_PLANS_SEARCHES
#error "only the plan of searches reads the table of solvers; ask it (problems/searches/plan.hpp)"
#endif

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/csr.hpp"
#include "problems/recommendation_hook.hpp"
#include "problems/searches/cost_model.hpp"
#include "problems/searches/plan.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::problems {

/// The properties of a graph on which searches on processors depend. Computing features would take longer than a search
/// of a small graph.
struct graph_shape {
  double vertices = 1;  ///< at least 1
  double edges = 0;
  bool has_equal_weights = false;  ///< see has_equal_weights()
  bool has_wide_hubs = false;      ///< see has_wide_hubs()

  [[nodiscard]] double items() const { return vertices + edges; }
};

/// The searches of a plan: from one source each, or from many sources of one graph together.
struct planned_searches {
  search_kind kind;
  bool many = false;
  const recommendation_question& question;
  std::span<const recommended_configuration> ranked = {};  ///< candidates of a model, best first
  const graph::csr_graph* graph = nullptr;                 ///< null if it is not loaded
  cost_features features = {};                             ///< of the graph
  graph_shape shape = {};                                  ///< of the graph, for processors
  std::optional<expected_reduction> reduction = {};        ///< of the graph, for searches from many vertices

  [[nodiscard]] double searches() const { return static_cast<double>(question.request.searches); }
  [[nodiscard]] double calls() const { return std::max(1.0, static_cast<double>(question.request.calls)); }
  /// Returns the expected time of all searches; infinity: unknown.
  [[nodiscard]] double expected_ms(const std::optional<expected_cost>& cost) const {
    return cost ? cost->milliseconds(searches(), calls()) : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] bool on_grid() const { return question.device.grid; }
  [[nodiscard]] bool is_simulated() const { return question.device.grid && question.device.modelled; }
  /// Returns whether distances are sums of integers.
  [[nodiscard]] bool adds_integers() const;
  /// Returns whether a few vertices have most of the edges, so that searches of a group meet there.
  [[nodiscard]] bool has_hubs() const;
};

/// When a plan considers a solver.
enum class plan_order {
  before_model,  ///< before the candidates of a model
  after_model,   ///< after them, or instead of them: by expected cost, those without one last
};

/// A row of the table.
struct planned_solver {
  std::string_view name;  ///< a value of the parameter `solver`
  bool many = false;      ///< for many sources; otherwise for one
  bool on_grid = true;    ///< for GPUs and the simulator; otherwise for processors
  plan_order order = plan_order::after_model;
  bool for_hubs = false;  ///< precedes others on graphs with hubs, and otherwise follows them, if costs are unknown
  bool of_core = false;   ///< searches the core of the reduced graph, where that is expected to pay

  /// Returns whether the solver is for such searches; null: always.
  bool (*suits)(const planned_searches& planned) = nullptr;
  /// Returns configurations, best first; none: the solver is not for such searches.
  std::vector<named_candidate> (*configurations)(const planned_searches& planned) = nullptr;
  /// Returns a configuration for searches from one vertex at a time, of a graph that is prepared once; null: it is not
  /// for that.
  std::string (*for_one_source)(double vertices) = nullptr;
  /// Returns the expected cost; null, or nothing: unknown.
  std::optional<expected_cost> (*cost)(const planned_searches& planned, std::string_view name,
                                       order_source order) = nullptr;
};

[[nodiscard]] std::span<const planned_solver> planned_solvers();

/// Returns what a row of the table is called for users, and in recommendation_request::measured.
[[nodiscard]] std::string name_of_trials(std::string_view solver, bool of_core);

/// Returns the cost of searches of the whole graph; nothing if it is unknown, as on a simulator.
/// @param solver of many searches, or one_at_a_time
[[nodiscard]] std::optional<expected_cost> cost_of_many(const planned_searches& planned, std::string_view solver,
                                                        order_source order = order_source::computed);

/// Returns a search by levels, as the parameters that differ from the defaults; nothing if queues are faster, or if the
/// number of edges or the longest row is unknown.
[[nodiscard]] std::optional<std::string> level_search_for(const cost_features& features);

/// Returns whether all weights of the graph are equal; false, without a check, for weights of 8 bytes. Stops at the
/// first weight that differs.
[[nodiscard]] bool has_equal_weights(const graph::csr_graph& graph);

/// Returns whether a vertex has more than 32 times the average degree, as in circuits. Stops at the first such vertex.
/// False, without a check, for graphs that few threads search or that have many edges per vertex: there it changes
/// nothing.
[[nodiscard]] bool has_wide_hubs(const graph::csr_graph& graph);
/// @param largest_ratio largest / average degree
[[nodiscard]] bool has_wide_hubs(double largest_ratio);

}  // namespace mlmq::problems
