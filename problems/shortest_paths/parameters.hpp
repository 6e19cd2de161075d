// SPDX-License-Identifier: Apache-2.0
// The tuning parameters of single-source shortest paths (MLMQ, Table 1 and section 3.4), as numbers for host code and
// as macros for kernels. Only their declarations, in declarations.cpp, contain defaults.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "graph/reduction.hpp"
#include "problems/shortest_paths/solvers/part_shape.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::problems {

[[nodiscard]] std::span<const tuner::parameter_declaration> search_declarations();
/// Returns the pairs of queues as MLMQ's paper organises them.
[[nodiscard]] std::span<const tuner::preset> search_presets();

/// Returns the declaration of the parameter `reduction`, which is active under a condition.
[[nodiscard]] tuner::parameter_declaration declared_reduction(std::string condition);
/// Returns what the parameter `reduction` removes from the graph; nothing if it is none.
[[nodiscard]] std::optional<graph::reduction_extent> reduction_of(const tuner::configuration& chosen);

/// Names of the kernels' classes for distances and edges.
[[nodiscard]] const char* distance_class(graph::weight_type weights);
[[nodiscard]] const char* edge_class(search_kind kind, graph::weight_type weights);

/// Returns the macros that all search kernels have.
[[nodiscard]] std::map<std::string, std::string> common_defines(const variant_traits& traits);

/// Returns all macros of a configuration's kernel. kernels/configuration.cuh and
/// kernels/baselines/baseline_configuration.cuh read them.
[[nodiscard]] std::map<std::string, std::string> defines_of(const tuner::configuration& chosen,
                                                            const variant_traits& traits);

/// The parameters of the multi-level queue that host code uses.
struct search_configuration {
  explicit search_configuration(const tuner::configuration& chosen);

  unsigned threads;
  std::string l1_sharing;
  unsigned l1_capacity;  ///< elements of one L1 queue; 0 if there is none
  double l1_delta;       ///< in average weights, like nf and delta; 0 if the queue has none
  double nf;
  std::string l2;
  std::string l2_reader;
  unsigned bmax;  ///< buckets that exist
  unsigned pnum;
  double delta;
  bool adapts_delta;                   ///< the search changes the width of the buckets
  unsigned split_degree;               ///< 0: rows are never split
  unsigned ell_width;                  ///< edges of a row in ELL layout; 0: none
  unsigned blocks_per_multiprocessor;  ///< 0: as many as fit

  /// Returns the number of rings or heaps of the L2 queue.
  [[nodiscard]] unsigned parts() const;
  /// Returns whether the workers of a block share one L1 queue.
  [[nodiscard]] bool l1_is_shared() const;
  /// Returns the dynamic shared memory per block.
  [[nodiscard]] std::size_t shared_bytes() const;
  /// Returns whether the L2 queue consists of heaps.
  [[nodiscard]] bool has_heaps() const;
  /// Returns whether every warp reads L2 itself.
  [[nodiscard]] bool warps_read_l2() const;
};

/// The parameters of a solver for processors that host code uses. A solver ignores those of other solvers.
struct processor_numbers {
  explicit processor_numbers(const tuner::configuration& chosen);

  double delta;  ///< in average weights
  unsigned lookahead;
  unsigned fusion;
  unsigned chunk;
  unsigned pull;
};

/// The parameters of a competitor of the multi-level queue (kernels/baselines/) that host code uses.
struct baseline_numbers {
  explicit baseline_numbers(const tuner::configuration& chosen);

  unsigned threads;
  unsigned heavy_degree;
  unsigned blocks_per_multiprocessor;  ///< 0: as many as fit
  unsigned one_block;
  bool launches_steps;  ///< each superstep is a launch
  double delta_c;       ///< 0 if Δ is fixed
  double delta_fixed;   ///< in average weights; 0 if Δ follows from the graph
  double adds_load;
  unsigned adds_open;
  bool adapts_open;
  unsigned adds_chunk;
  unsigned adds_least;
  unsigned ell_width;  ///< for ADDS, like search_configuration::ell_width

  /// Returns Δ in units of the weights. The rule of Davidson et al. (2014) is C · warp width · average weight / average
  /// degree.
  [[nodiscard]] double delta(double average_weight, double average_degree) const;
};

/// The parameters of the partitioned search (kernels/partitioned/) that host code uses.
struct partitioned_numbers {
  explicit partitioned_numbers(const tuner::configuration& chosen);

  unsigned threads;
  unsigned parts;  ///< 0: default_part_count()
  part_shape shape;
  double window;  ///< in average weights; only used with part_order=window
};

/// The parameters of push_pull (kernels/push_pull/) that host code uses.
struct push_pull_numbers {
  push_pull_numbers() = default;
  explicit push_pull_numbers(const tuner::configuration& chosen);

  unsigned threads = 0;
  unsigned blocks_per_multiprocessor = 0;  ///< 0: as many as fit
  unsigned one_block = 0;                  ///< pieces
  unsigned one_block_edges = 0;
  unsigned one_block_graph = 0;  ///< edges of a graph that one block searches; 0: none
  unsigned pull_share = 0;       ///< 0: no level is pulled
  unsigned pull_edges = 0;
  unsigned gather = 0;  ///< from this number of vertices on, sets are made in a separate step
  unsigned piece_edges = 1;
  unsigned long_row = 0;  ///< edges
  unsigned read_edges = 0;
};

/// The parameters of near_pull (kernels/near_pull/) that host code uses.
struct near_pull_numbers {
  near_pull_numbers() = default;
  explicit near_pull_numbers(const tuner::configuration& chosen);

  unsigned threads = 0;
  unsigned pull_share = 0;  ///< 0: nothing is pulled
  unsigned piece_edges = 1;
  unsigned long_row = 0;  ///< edges
  double near_limit = 0;  ///< in average weights
};

}  // namespace mlmq::problems
