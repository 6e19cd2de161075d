// SPDX-License-Identifier: Apache-2.0
// Selects the features of a workload that a model receives. Ratios of features are computed inside the model
// (encoding.hpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/workload_features.hpp"

namespace mlmq::selector {

using tuner::named_features;

/// Returns one value per name; NaN for features that models do not receive, even if they are known.
/// @param kind feature definitions of the kind of workload
/// @param workload its name, for the error message
/// @throws input_error naming the workload if a feature that models receive is unknown: the choice would be a guess
[[nodiscard]] std::vector<double> select_model_inputs(const named_features& known_features,
                                                      std::span<const std::string_view> names,
                                                      const tuner::workload_features& kind, std::string_view workload);

/// Expands a list of features to distinct names. An entry is either a word of `kind.lists()`, which stands for its
/// features that are in `known_names`; or `standard` or `all`, which every kind has and which also stand for known
/// features that the kind does not define; or the name of a feature, known or not.
[[nodiscard]] std::vector<std::string> expand_feature_list(std::span<const std::string> list,
                                                           std::span<const std::string> known_names,
                                                           const tuner::workload_features& kind);

/// Orders names as in models: first the features that the kind defines, in its order, then the others by name.
[[nodiscard]] std::vector<std::string> sort_features(std::span<const std::string> names,
                                                     const tuner::workload_features& kind);

}  // namespace mlmq::selector
