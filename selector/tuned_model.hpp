// SPDX-License-Identifier: Apache-2.0
// Putting models together: trees of one model for the candidates of another, and only the inputs that are looked at.
#pragma once

#include <cstddef>
#include <span>

#include "selector/model_file.hpp"

namespace mlmq::selector {

/// Gives `to` the trees of `from`, and adds its starts.
/// @param to has all inputs of `from`, and no trees
/// @param columns for each candidate of `to` the one of `from` whose numbers it gets
/// @throws input_error for an input that `to` does not have, or a column that `from` does not have
void add_trees_of(model& to, const model& from, std::span<const std::size_t> columns);

/// The same model with no other inputs than those that its trees and its kernel look at (at least one). Their shares are
/// those of the trees, or without trees of the kernel.
[[nodiscard]] model with_used_inputs(model all);

}  // namespace mlmq::selector
