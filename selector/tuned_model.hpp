// SPDX-License-Identifier: Apache-2.0
// Combines models: copies the trees of one model to the candidates of another, and drops unused inputs.
#pragma once

#include <cstddef>
#include <span>

#include "selector/model_file.hpp"

namespace mlmq::selector {

/// Copies the trees of `source` into `target`, and adds its starts.
/// @param target has all inputs of `source`, and no trees
/// @param columns for each candidate of `target`, the candidate of `source` whose numbers it gets
/// @throws input_error for an input that `target` lacks, or a column that `source` lacks
void add_trees_of(model& target, const model& source, std::span<const std::size_t> columns);

/// Returns the model with only the inputs that its trees and its kernel use (at least one). The importance is that of
/// the trees or, without trees, of the kernel.
[[nodiscard]] model with_used_inputs(model trained);

}  // namespace mlmq::selector
