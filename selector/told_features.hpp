// SPDX-License-Identifier: Apache-2.0
// What selectors are told of a workload: features by name. The ratios of them that a model looks at besides are its own
// matter (encoding.hpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/workload_features.hpp"

namespace mlmq::selector {

using tuner::named_features;

/// One value for each name: NaN, unknown, for what selectors are not told, whether it is known or not.
/// @param kind what the kind of workload says about its features
/// @param workload its name, for the message
/// @throws input_error naming the workload for a feature that is told and not known: a choice without would be a guess
[[nodiscard]] std::vector<double> told_features(const named_features& known, std::span<const std::string_view> names,
                                                const tuner::workload_features& kind, std::string_view workload);

/// The names that a list stands for, each once. An entry is a word of `kind.lists()`, of which those count that are
/// `known`; `standard` or `all`, which belong to every kind and also stand for what is known and not defined by it; or the
/// name of a feature, known or not.
[[nodiscard]] std::vector<std::string> named_by(std::span<const std::string> list, std::span<const std::string> known,
                                                const tuner::workload_features& kind);

/// These names in the order in which models have them: those that the kind defines first, others by name.
[[nodiscard]] std::vector<std::string> in_order(std::span<const std::string> names,
                                                const tuner::workload_features& kind);

}  // namespace mlmq::selector
