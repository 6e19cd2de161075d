// SPDX-License-Identifier: Apache-2.0
// Computes betweenness on a device: draws sources, searches from them in batches, and scales the sums.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graph/csr.hpp"
#include "library/workload_runner.hpp"
#include "mlmq/solver.hpp"
#include "multi_source/betweenness_abi.cuh"
#include "problems/betweenness/betweenness.hpp"

namespace mlmq::detail {

/// @throws input_error for invalid options
void check_betweenness(const betweenness_options& options);

/// Not thread-safe: the caller must have locked and entered the device, except for the destructor.
class betweenness_runner {
 public:
  betweenness_runner(std::shared_ptr<device_data> device, const digraph& graph, problem kind);

  /// @param options  must have passed check_betweenness()
  [[nodiscard]] betweenness_scores run(const betweenness_options& options, const follow_betweenness& follow);

 private:
  /// Searches from a batch of sources and adds to the sums. @return seconds, excluding preparation
  double add_up(std::span<const vertex> sources, const betweenness_options& options, const score_units& units,
                std::vector<fixed_score>& sums, betweenness_scores& scores);
  void check(std::span<const vertex> sources, const betweenness_options& options, std::span<const double> scores);
  /// Determines which pairs are counted. @return factor that turns sums over sources into scores
  [[nodiscard]] double scale(const betweenness_options& options, betweenness_scores& scores);

  digraph graph_;
  graph::csr_graph simple_;
  std::optional<bool> undirected_;  ///< computed when first needed
  problem kind_;
  workload_runner runner_;
};

}  // namespace mlmq::detail
