// SPDX-License-Identifier: Apache-2.0
// The rules of thumb of MLMQ §5.4, to compare a learned selector with.
#pragma once

#include <string_view>

#include "graph/features.hpp"
#include "selector/rule_of_thumb.hpp"

namespace mlmq::problems {

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

/// The rules as a selector. They name queues, not parameters: of the family's candidates the one with the highest mean
/// relative performance is taken. Without the features that the rules need, a graph is taken for a mesh. When the record has
/// nothing of the family: of those with the same L2 queue, else of those with the same L1 queue, else of all. They apply to
/// records of configurations with such queues.
extern const selector::rule_of_thumb paper_rules;

}  // namespace mlmq::problems
