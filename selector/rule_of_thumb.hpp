// SPDX-License-Identifier: Apache-2.0
// A published rule of thumb, as a reference for learned selectors.
#pragma once

#include <cstddef>
#include <string_view>

#include "selector/training_set.hpp"

namespace mlmq::selector {

struct rule_choice {
  std::size_t candidate = 0;  ///< index into the candidates of the training set
  bool exact = true;          ///< false: the rule's choice is not on record, and the nearest recorded one replaces it
};

struct rule_of_thumb {
  std::string_view name;
  std::string_view names;  ///< plural noun for its choices, for messages: "queues"
  /// Returns whether the record has any candidate that the rule can choose.
  bool (*applies_to)(const training_set& set) = nullptr;
  /// @param features of the workload, one per name of training.features
  rule_choice (*choose)(const training_set& training, const performance_matrix& performance,
                        const feature_values& features) = nullptr;
};

}  // namespace mlmq::selector
