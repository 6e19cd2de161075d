// SPDX-License-Identifier: Apache-2.0
// What the strategy `model` learns with: boosted trees, as the selector itself.
#pragma once

#include "tuner/strategy.hpp"

namespace mlmq::selector {

/// Few and shallow trees: a search has tens of results to learn from, and learns again after each.
[[nodiscard]] tuner::regression boosted_trees();

}  // namespace mlmq::selector
