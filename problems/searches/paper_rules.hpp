// SPDX-License-Identifier: Apache-2.0
// The rules of thumb of MLMQ §5.4 and of its authors' program, as baselines for learned selectors.
#pragma once

#include <string_view>

#include "graph/features.hpp"
#include "selector/rule_of_thumb.hpp"

namespace mlmq::problems {

/// A queue per warp above a queue of the grid, as values of the parameters l1 and l2.
struct queue_family {
  std::string_view l1;
  std::string_view l2;

  friend bool operator==(const queue_family&, const queue_family&) = default;
};

/// Returns the queues that the paper found best: for road networks by size (L1V-L2V for small, L1NF-L2V for medium,
/// L1V-L2DQ for large ones), L1FQ-L2V for meshes and circuits, L1SLF-L2DQ for power-law workloads. The paper gives no
/// limits; here small means below 2^19 vertices, between its road networks NY and FLA, and large means 2^22 or more,
/// between E and W. The kind of workload follows from the degrees (graph::graph_class()).
[[nodiscard]] queue_family paper_family(const graph::graph_features& features);

/// Returns the queues that the authors' program is reported to choose: L1V-L2DQ for degrees with a standard deviation
/// above 10, else L1V-L2V for a mean degree above 3, else L1NF-L2V.
[[nodiscard]] queue_family program_family(const graph::graph_features& features);

/// The rules as a selector. They name queues, not parameters: the selector chooses the candidate of the family with the
/// highest mean relative performance. If the record has no candidate of the family, it chooses among those with the
/// same L2 queue, otherwise among those with the same L1 queue, otherwise among all. A graph that lacks the required
/// features counts as a mesh. The rules apply to records of configurations with such queues.
extern const selector::rule_of_thumb paper_rules;
/// Rules like paper_rules, which choose the queues of program_family().
extern const selector::rule_of_thumb program_rules;

}  // namespace mlmq::problems
