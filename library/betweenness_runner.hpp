// SPDX-License-Identifier: Apache-2.0
// Computes betweenness on a device: draws sources, searches from them in batches, and scales the sums.
#pragma once

#include <cstddef>
#include <functional>
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

/// Adds to the sums of all vertices.
void add(std::vector<fixed_score>& sums, std::span<const fixed_score> scores);

/// Not thread-safe: the caller must have locked and entered the device, except for the destructor.
class betweenness_runner {
 public:
  betweenness_runner(std::shared_ptr<device_data> device, const digraph& graph, problem kind);

  /// Searches from a batch of sources, adds to the sums of all vertices, and to the times of the scores.
  /// @return seconds, excluding preparation
  using add_batch = std::function<double(std::span<const vertex> sources, const score_units& units,
                                         std::vector<fixed_score>& sums, betweenness_scores& scores)>;

  /// @param options  must have passed check_betweenness()
  /// @param devices  number of devices among which `add` shares a batch
  /// @param add  empty: this device does all
  [[nodiscard]] betweenness_scores run(const betweenness_options& options, const follow_betweenness& follow,
                                       std::size_t devices = 1, const add_batch& add = {});

  /// Does what add_batch does on this device.
  double add_up(std::span<const vertex> sources, const betweenness_options& options, const score_units& units,
                std::vector<fixed_score>& sums, betweenness_scores& scores);

 private:
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
