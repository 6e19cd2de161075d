// SPDX-License-Identifier: Apache-2.0
// The regression of the strategy `model`: boosted trees, like the selector.
#pragma once

#include "tuner/strategy.hpp"

namespace mlmq::selector {

/// Few and shallow trees, because a search learns from tens of results and is retrained after each one.
[[nodiscard]] tuner::regression boosted_trees();

}  // namespace mlmq::selector
