// SPDX-License-Identifier: Apache-2.0
// Rule that selects near_pull (kernels/near_pull/) instead of the queues of the shipped selector.
#pragma once

#include <optional>
#include <string>

namespace mlmq::problems {

/// The features that the rule uses; NaN: unknown.
struct near_rule_features {
  double edges;
  double longest_row;
  double weight_variation;  ///< deviation / average of the weights
};

/// Selects near_pull where its search is expected to take less time than the queue that the selector chooses.
/// @return the parameters that differ from the defaults; nothing if the queue is expected to be faster, or if the
///   number of edges or the longest row is unknown
[[nodiscard]] std::optional<std::string> near_search_for(const near_rule_features& features);

}  // namespace mlmq::problems
