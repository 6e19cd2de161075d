// SPDX-License-Identifier: Apache-2.0
// Trains a model on a training set.
#pragma once

#include <vector>

#include "selector/encoding.hpp"
#include "selector/model_file.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

/// Learns the relative performance of each candidate from the features of the workloads (MLMQ §3.5). Failed trials
/// count as 0; pairs without a measurement and workloads that no candidate solved are left out. The order of the set's
/// records does not matter: the model's candidates are ordered by label. The model has only the features that it uses.
/// @throws input_error if the set (validate()) or the settings are invalid
[[nodiscard]] model train_model(const training_set& set, const learning& learned, const time_source& source);

/// Returns which inputs a kernel fit to few workloads uses: kernel_ratios, and features that describe the structure of
/// a graph, or all features if there are none of them.
[[nodiscard]] std::vector<bool> inputs_of_kernel(const input_encoding& offered);

}  // namespace mlmq::selector
