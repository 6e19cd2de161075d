// SPDX-License-Identifier: Apache-2.0
// From a training set to a model.
#pragma once

#include <vector>

#include "selector/encoding.hpp"
#include "selector/model_file.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

/// Learns the relative performance of each candidate from the features of the workloads; failed trials count as 0, pairs
/// that were not measured and workloads that no candidate solved are left out. (MLMQ §3.5.) The order of the set's records
/// does not matter: the model's candidates are in the order of their labels. It asks for those features that it looks at.
/// @throws input_error when the set is not valid (validate()) or the settings make no sense.
[[nodiscard]] model train_model(const training_set& set, const learning& learned, const time_source& source);

/// Which of the inputs a kernel fit looks at: features by name, or all where it knows none of them, and kernel_ratios.
[[nodiscard]] std::vector<bool> inputs_of_kernel(const input_encoding& offered);

}  // namespace mlmq::selector
