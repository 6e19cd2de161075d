// SPDX-License-Identifier: Apache-2.0
// A rule that somebody has published, to compare what is learned with.
#pragma once

#include <cstddef>
#include <string_view>

#include "selector/training_set.hpp"

namespace mlmq::selector {

struct rule_choice {
  std::size_t candidate = 0;  ///< index into the candidates of the training set
  bool exact = true;          ///< false: what the rule names is not on record; the nearest that is, was taken
};

struct rule_of_thumb {
  std::string_view name;
  std::string_view names;  ///< what it names, for messages: "queues"
  /// Whether there is something on record for the rule to name.
  bool (*applies_to)(const training_set& set) = nullptr;
  /// @param features of the workload, one for each of training.features
  rule_choice (*choose)(const training_set& training, const performance_matrix& performance,
                        const feature_values& features) = nullptr;
};

}  // namespace mlmq::selector
