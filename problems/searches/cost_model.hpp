// SPDX-License-Identifier: Apache-2.0
// Expected times of searches and preparations, from recorded times of an NVIDIA H200 and the 16 processors of its host.
// The numbers are in costs.json, which the scripts write that fit them.
#pragma once

#ifndef MLMQ_PLANS_SEARCHES
#error "only the plan of searches reads their costs; ask it (problems/searches/plan.hpp)"
#endif

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

namespace mlmq::problems {

/// The features that expected times depend on. NaN: unknown.
struct cost_features {
  double vertices;
  double edges;
  double longest_row;
  double hops;
  double arc_bound = std::numeric_limits<double>::quiet_NaN();  ///< graph::arc_bound()

  [[nodiscard]] double degree() const { return edges / (vertices > 1 ? vertices : 1); }
};

/// The expected time of searches.
struct expected_cost {
  double preparation_ms = 0;
  double first_ms = 0;  ///< of each call
  double each_ms = 0;

  [[nodiscard]] double milliseconds(double searches, double calls = 1) const {
    return preparation_ms + calls * first_ms + searches * each_ms;
  }

  /// Returns the cost of searches that take a share of the time each.
  [[nodiscard]] expected_cost of_share(double share) const;

  /// Returns the cost if this many searches in one call have taken the time, without preparation.
  [[nodiscard]] expected_cost measured(double searches, double milliseconds) const;

  /// Returns the cost on this many processors, if the present one is on those of the record. 0: on as many.
  [[nodiscard]] expected_cost on_processors(double processors) const;

  /// Returns the cost if a call makes this many searches, so that further calls are part of the time of each search.
  [[nodiscard]] expected_cost in_calls_of(double searches) const;
};

/// Processors of the machines of the record.
[[nodiscard]] double recorded_processors();

/// The solver of expected_cost_of() for searches from one source after another, by the solvers of single searches.
inline constexpr std::string_view one_at_a_time = "one_at_a_time";

/// Where the order of a hierarchy comes from. Computing it is a large part of the preparation.
enum class order_source { computed, cache_folder };

/// Returns the cost of many searches.
/// @param solver one_at_a_time, or a solver of many searches
/// @return nothing if the graph does not suit the solver, a feature is unknown, or no times of the solver are on record
[[nodiscard]] std::optional<expected_cost> expected_cost_of(std::string_view solver, const cost_features& features,
                                                            order_source order = order_source::computed);

/// Returns the number of searches from which `other` is expected to take less time than `chosen`; nothing: it never is.
[[nodiscard]] std::optional<double> searches_to_pay(const expected_cost& chosen, const expected_cost& other);

/// Returns whether many searches with this solver sweep over an elimination hierarchy: they take the same time with a
/// cutoff as without.
[[nodiscard]] bool sweeps_hierarchy(std::string_view solver);

/// Returns which part of the time of a complete search another one takes that reaches a share of the vertices: in
/// proportion, but not less than clearing and reading all distances takes. Sweeps and single searches have no
/// cutoff: 1.
[[nodiscard]] double time_share(std::string_view solver, double reached_share);

/// Returns whether a hierarchy of the graph is expected to have few arcs. False if a feature except `arc_bound` is
/// unknown.
[[nodiscard]] bool suits_hierarchy(const cost_features& features);

/// Returns how many times as fast as others a solver of many searches must be expected to be, because the graph may
/// have no hierarchy, which is known only when most of it has been computed.
[[nodiscard]] double risk_of(std::string_view solver, const cost_features& features);

/// Returns whether the choice between a hierarchy and other solvers depends on `arc_bound`, which is unknown.
/// @param others_ms expected time without a hierarchy
/// @param hierarchies_ms expected time with the best hierarchy; infinity: unknown
[[nodiscard]] bool needs_arc_bound(const cost_features& features, double others_ms, double hierarchies_ms);

/// Returns whether computing graph::arc_bound() takes little time compared with the searches, and less than a hierarchy
/// may save.
/// @param hierarchies_ms expected time with the best hierarchy, if it has few arcs
[[nodiscard]] bool pays_arc_bound(const cost_features& features, double others_ms, double hierarchies_ms);

/// Returns the number of searches of the next trial of a solver of many searches; nothing: there is none.
/// @param trials number of trials so far
[[nodiscard]] std::optional<std::size_t> trial_searches(std::string_view solver, std::size_t trials);

/// Expected milliseconds.
struct trial_costs {
  std::size_t searches;
  double trial_ms;   ///< of the next trial of a solver
  double solver_ms;  ///< of all searches by this solver
  double others_ms;  ///< of all searches by the best of the others
  double best_ms;    ///< of all searches
};
/// Returns whether the trial takes a small share of the time.
[[nodiscard]] bool is_short(const trial_costs& costs);
/// Returns whether it also may change which solver is the best.
/// @param trials number of trials of the solver so far
[[nodiscard]] bool is_worth_trying(const trial_costs& costs, std::size_t trials);

/// How searches from one source after another compare with solvers of many searches.
struct one_by_one_costs {
  double row_ms_per_vertex;  ///< to copy the distances of a search to the host and read them there
  double least_gain;         ///< ratio of the expected times from which on they are preferred: these err by as much
};
[[nodiscard]] const one_by_one_costs& costs_of_one_by_one();

/// Returns the milliseconds that the host needs to split a graph into parts.
/// @param items vertices and edges
/// @param threads of the host, at least 1
[[nodiscard]] double expected_split_ms(double items, bool has_hubs, double threads);

/// Returns the milliseconds that a GPU, or processors, need to remove leaves and chains from a graph.
/// @param items vertices and edges
/// @param threads of the processors, at least 1
[[nodiscard]] double expected_reduction_ms(double items, bool on_gpu, double threads);
/// Returns the milliseconds that processors, for a GPU or themselves, need to remove vertices of low degree from a
/// graph without leaves and chains; nothing if it has more edges per vertex than a road network.
/// @param threads of the processors, at least 1
[[nodiscard]] std::optional<double> expected_low_degree_ms(double vertices, double edges, bool on_gpu, double threads);
/// Returns the share of the time of one of many searches that is left without vertices of low degree.
[[nodiscard]] double search_share_without_low_degrees();
/// Returns the share of the time of a search that filling in the distances of eliminated vertices takes.
[[nodiscard]] double share_to_fill_in();
/// Returns the least share of the vertices and edges from which on removing them is considered.
[[nodiscard]] double least_share_to_reduce();

/// Which times of single searches on processors apply.
enum class processor_weights {
  any,
  equal,           ///< also for breadth-first search
  equal_few_edges  ///< of roads, triangulations and grids: with equal weights, their buckets are small levels
};

/// Returns the milliseconds that a single search takes on processors.
/// @param solver dijkstra, delta_stepping, or bfs with equal weights
/// @param gain by how much threads speed the search up, at least 1
[[nodiscard]] double expected_processor_ms(std::string_view solver, processor_weights weights, double vertices,
                                           double edges, double gain);

/// The gain of a search on processors by its threads.
struct thread_gain {
  double useful;   ///< equivalent number of threads that never wait for cache lines written by others
  double speedup;  ///< time of one thread / time of all
};
/// @param threads of the device, at least 1
[[nodiscard]] thread_gain gain_of_threads(double items, unsigned threads, processor_weights weights);

/// Returns whether a graph is so small that two threads gain nothing.
[[nodiscard]] bool is_for_one_thread(double items);

}  // namespace mlmq::problems
