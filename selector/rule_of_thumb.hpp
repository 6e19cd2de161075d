// SPDX-License-Identifier: Apache-2.0
// A published rule of thumb, as a reference for learned selectors.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "selector/training_set.hpp"

namespace mlmq::selector {

struct rule_choice {
  std::size_t candidate = 0;  ///< index into the candidates of the training set
  bool exact = true;          ///< false: the rule's choice is not on record, and the nearest recorded one replaces it
};

struct rule_of_thumb {
  std::string_view name;
  std::string_view names;  ///< plural noun for its choices, for messages: "queues"
  /// Returns whether the rule can choose a candidate.
  bool (*covers)(const candidate& entry) = nullptr;
  /// @param features of the workload, one per name of training.features
  rule_choice (*choose)(const training_set& training, const performance_matrix& performance,
                        const feature_values& features) = nullptr;

  /// Returns the indices of the candidates that the rule can choose.
  [[nodiscard]] std::vector<std::size_t> covered(const training_set& set) const {
    std::vector<std::size_t> result;
    for (std::size_t c = 0; c < set.candidates.size(); ++c) {
      if (covers(set.candidates[c])) result.push_back(c);
    }
    return result;
  }
};

}  // namespace mlmq::selector
