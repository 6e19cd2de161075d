// SPDX-License-Identifier: Apache-2.0
// Expected times of the classes of algorithms for many searches, from recorded times of an NVIDIA H200 and the 16
// processors of its host.
#pragma once

#include <limits>
#include <optional>

namespace mlmq::multi_source {

enum class search_class {
  one_at_a_time,  ///< one search after another, by the solvers of single searches
  block,
  group,
  hierarchy,
  supernode,
  cpu_dijkstra,
  cpu_hierarchy,
};

/// Returns whether searches sweep over an elimination hierarchy: they take the same time with a cutoff as without.
[[nodiscard]] bool has_hierarchy(search_class kind);

/// Returns which part of the time of a complete search another one takes that reaches a share of the vertices: in
/// proportion, but not less than clearing and reading all distances takes. Sweeps and single searches have no cutoff.
[[nodiscard]] double time_share(search_class kind, double reached_share);

/// The features that expected times depend on. NaN: unknown.
struct cost_features {
  double vertices;
  double edges;
  double longest_row;
  double hops;
  double arc_bound = std::numeric_limits<double>::quiet_NaN();  ///< graph::arc_bound()
};

/// Processors of the machines of the record.
inline constexpr double recorded_processors = 16;

/// The expected time of N searches in one call is preparation + first + N × each. Each further call takes another
/// `first`.
struct expected_cost {
  double preparation_ms = 0;
  double first_ms = 0;
  double each_ms = 0;

  [[nodiscard]] double milliseconds(double searches) const { return preparation_ms + first_ms + searches * each_ms; }

  /// Returns the cost of searches that take a share of the time each.
  [[nodiscard]] expected_cost of_share(double share) const;

  /// Returns the cost on this many processors, if the present one is on recorded_processors.
  [[nodiscard]] expected_cost on_processors(double processors) const;

  /// Returns the cost if a call makes this many searches, so that further calls are part of the time of each search.
  [[nodiscard]] expected_cost in_calls_of(double searches) const;
};

/// Returns whether a hierarchy of the graph is expected to have few arcs. False if a feature except `arc_bound` is
/// unknown.
[[nodiscard]] bool suits_hierarchy(const cost_features& features);

/// Returns whether suits_hierarchy() depends on `arc_bound`.
[[nodiscard]] bool needs_arc_bound(const cost_features& features);

/// Returns whether computing graph::arc_bound() takes little time compared with the searches, and less than a hierarchy
/// may save.
/// @param others_ms expected time without a hierarchy
/// @param hierarchies_ms expected time with the best hierarchy, if the graph suits it
[[nodiscard]] bool pays_arc_bound(const cost_features& features, double others_ms, double hierarchies_ms);

/// Where the order of a hierarchy comes from. Computing it is a large part of the preparation.
enum class order_source { computed, cache_folder };

/// Returns nothing if the graph does not suit the class, a feature is unknown, or no times of the class are on record.
[[nodiscard]] std::optional<expected_cost> expected_cost_of(search_class kind, const cost_features& features,
                                                            order_source order = order_source::computed);

/// Returns the number of searches from which `other` is expected to take less time than `chosen`; nothing: it never is.
[[nodiscard]] std::optional<double> searches_to_pay(const expected_cost& chosen, const expected_cost& other);

}  // namespace mlmq::multi_source
