// SPDX-License-Identifier: Apache-2.0
// Betweenness of a graph's vertices on a device: draws sources, searches from some at a time, and scales the sums.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "batches/betweenness_abi.cuh"
#include "library/workload_runner.hpp"
#include "mlmq/solver.hpp"
#include "problems/betweenness/betweenness.hpp"

namespace mlmq::detail {

/// @throws input_error for options that cannot be
void check_betweenness(const betweenness_options& options);

/// Not thread-safe: who uses it has locked the device and entered it, except for the destructor.
class betweenness_runner {
 public:
  betweenness_runner(std::shared_ptr<device_data> on, const digraph& searched, problem which);

  /// @param options as check_betweenness() has found them good
  [[nodiscard]] betweenness_scores run(const betweenness_options& options, const follow_betweenness& follow);

 private:
  /// Searches from some sources, and adds to the sums. @return seconds, what it took to get ready left out
  double add_up(std::span<const vertex> sources, const betweenness_options& options, const score_units& units,
                std::vector<fixed_score>& sums, betweenness_scores& found);
  void check(std::span<const vertex> sources, const betweenness_options& options, std::span<const double> found);
  /// Finds out which pairs are meant. @return by what sums over sources become scores
  [[nodiscard]] double scale(const betweenness_options& options, betweenness_scores& found);

  digraph graph_;
  graph::csr_graph simple_;
  std::optional<bool> undirected_;  ///< from the first time on that it matters
  problem kind_;
  workload_runner runs_;
};

}  // namespace mlmq::detail
