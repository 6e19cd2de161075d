// SPDX-License-Identifier: Apache-2.0
// The rules of thumb of MLMQ §5.4, to compare a learned selector with.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "graph/features.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

/// A queue per warp above a queue of the grid, named as the parameters l1 and l2.
struct queue_family {
  std::string_view l1;
  std::string_view l2;

  friend bool operator==(const queue_family&, const queue_family&) = default;
};

/// What the paper found best: road networks by size (L1V-L2V for small, L1NF-L2V for medium, L1V-L2DQ for large ones),
/// L1FQ-L2V for meshes and circuits, L1SLF-L2DQ for power-law workloads. It gives no limits: small is below 2^19 vertices,
/// between its road networks NY and FLA, large from 2^22 on, between E and W. The kind of workload is told from the degrees
/// (workload/classify.hpp).
[[nodiscard]] queue_family paper_family(const graph::graph_features& features);

/// Whether there is something for the rules to name: configurations with such queues.
[[nodiscard]] bool has_queues(const training_set& set);

struct paper_choice {
  std::size_t candidate = 0;
  bool exact = true;  ///< false: nothing of the family is on record; the nearest that is, was taken
};

/// The rules name queues, not parameters: of the family's candidates the one with the highest mean relative performance.
/// `features`: one per training.features; without those that the rules need, a workload is taken for a mesh.
/// When the record has none: of those with the same L2 queue, else of those with the same L1 queue, else of all.
[[nodiscard]] paper_choice choose_by_paper(const training_set& training, const performance_matrix& performance,
                                           const feature_values& features);

}  // namespace mlmq::selector
