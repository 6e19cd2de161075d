// SPDX-License-Identifier: Apache-2.0
// The tuning parameters of single-source shortest paths (MLMQ, Table 1 and section 3.4) and what they mean to the
// kernel.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "problems/search/solver.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::problems {

[[nodiscard]] std::span<const tuner::parameter_declaration> search_declarations();

/// The macros that all search kernels have.
[[nodiscard]] std::map<std::string, std::string> common_defines(const variant_traits& traits);

/// A configuration as numbers.
struct search_configuration {
  explicit search_configuration(const tuner::configuration& chosen);

  unsigned threads;
  std::string l0;
  unsigned l0_depth;
  std::string l1;
  std::string l1_sharing;
  unsigned l1_capacity;  ///< elements of one L1 queue; 0 without
  unsigned l1_batch;
  unsigned wb;
  std::string l1_spill;
  double l1_delta;  ///< in average weights, like nf and delta; 0 where the queue has none
  double nf;
  std::string l2;
  unsigned bnum;
  unsigned pnum;
  unsigned open_buckets;
  unsigned idle_buckets;
  double delta;
  unsigned l2_batch;
  unsigned l2_share;  ///< 0: no limit
  unsigned heavy_degree;
  unsigned split_degree;  ///< 0: rows are never split
  unsigned row_slots;     ///< edges of a row that lie in place; 0: none do
  std::string further_rows;
  bool read_first;
  bool prefetch;
  unsigned courier_pause;              ///< ns
  unsigned blocks_per_multiprocessor;  ///< 0: as many as fit
  double cpu_delta;                    ///< of delta_stepping, like the following; in average weights
  unsigned lookahead;
  unsigned fusion;
  unsigned chunk;
  unsigned pull;  ///< of bfs

  /// Rings or heaps of the L2 queue.
  [[nodiscard]] unsigned parts() const;
  /// Whether the workers of a block have one L1 queue together.
  [[nodiscard]] bool l1_is_shared() const;
  /// Dynamic shared memory of a block.
  [[nodiscard]] std::size_t shared_bytes() const;
  /// Whether the parts of the L2 queue are heaps: their nodes need headers besides the slots.
  [[nodiscard]] bool has_heaps() const;

  /// The macros of kernels/configuration.cuh.
  [[nodiscard]] std::map<std::string, std::string> defines(const variant_traits& traits) const;
};

/// A configuration of a competitor of the multi-level queue (kernels/baselines/) as numbers.
struct baseline_numbers {
  explicit baseline_numbers(const tuner::configuration& chosen);

  std::string solver;
  unsigned threads;
  unsigned heavy_degree;
  unsigned blocks_per_multiprocessor;  ///< 0: as many as fit
  unsigned one_block;
  double delta_c;      ///< 0 where Δ is fixed
  double delta_fixed;  ///< in average weights; 0 where Δ follows from the graph
  unsigned adds_buckets;
  bool adds_dynamic;
  double adds_load;
  unsigned adds_open;
  unsigned adds_chunk;
  unsigned adds_least;
  unsigned row_slots;  ///< of adds, as in search_configuration
  bool read_first;

  /// Δ in units of the weights. The rule of Davidson et al. (2014) is C · warp width · average weight / average degree.
  [[nodiscard]] double delta(double average_weight, double average_degree) const;

  /// The macros of kernels/baselines/baseline_configuration.cuh.
  [[nodiscard]] std::map<std::string, std::string> defines(const variant_traits& traits) const;
};

}  // namespace mlmq::problems
