// SPDX-License-Identifier: Apache-2.0
// Reads the selector that `mlmq tune` has installed for a device.
#pragma once

#include <memory>
#include <string_view>

#include "selector/ranking_model.hpp"
#include "tuner/parameter.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::problems {

/// Reads the selector installed for a device and a problem; a file that has not changed is read once per process.
///
/// A selector that cannot be used is reported on standard error once, with the way to replace it.
/// @param parameters of the problem, which must understand the configurations that the selector chooses from
/// @param kind of the problem's workloads, which must define the features that the selector reads
/// @return null if there is none, or if it cannot be used
[[nodiscard]] std::shared_ptr<const selector::ranking_model> installed_model(std::string_view device,
                                                                             std::string_view problem,
                                                                             const tuner::parameter_set& parameters,
                                                                             const tuner::workload_features& kind);

/// @throws input_error if the model reads features that a kind which defines its features does not have
void require_known_features(const selector::ranking_model& model, const tuner::workload_features& kind);

}  // namespace mlmq::problems
