// SPDX-License-Identifier: Apache-2.0
// The tuning parameters of single-source shortest paths (MLMQ, Table 1 and section 3.4) and what they mean to the
// kernel.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "graph/csr.hpp"
#include "tuner/configuration.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::problems {

[[nodiscard]] std::span<const tuner::parameter_declaration> search_declarations();

/// A configuration as numbers.
struct search_configuration {
  explicit search_configuration(const tuner::configuration& chosen);

  unsigned threads;
  std::string l0;
  unsigned l0_depth;
  std::string l1;
  unsigned l1_capacity;  ///< elements per warp; 0 without an L1 queue
  unsigned wb;
  std::string l1_spill;
  double l1_delta;  ///< in average weights, like nf and delta; 0 where the queue has none
  double nf;
  std::string l2;
  unsigned bnum;
  unsigned pnum;
  unsigned open_buckets;
  double delta;
  unsigned l2_batch;
  unsigned heavy_degree;
  unsigned blocks_per_multiprocessor;  ///< 0: as many as fit

  /// Rings or heaps of the L2 queue.
  [[nodiscard]] unsigned parts() const;
  /// Whether the parts of the L2 queue are heaps: their nodes need headers besides the slots.
  [[nodiscard]] bool has_heaps() const;

  /// What a variant depends on besides the configuration.
  struct variant_traits {
    graph::weight_type weights = graph::weight_type::uint32;
    bool unit_weights = false;
    bool wide_offsets = false;
    bool counters = false;
  };

  /// The macros of kernels/configuration.cuh.
  [[nodiscard]] std::map<std::string, std::string> defines(const variant_traits& traits) const;
};

}  // namespace mlmq::problems
