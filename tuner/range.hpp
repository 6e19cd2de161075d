// SPDX-License-Identifier: Apache-2.0
// Values of `range: {from, to, step}` and `range: {from, to, factor}`.
#pragma once

#include <vector>

#include "tuner/value.hpp"

namespace mlmq::tuner {

/// Returns first, first + step, … up to and including `limit`. The values are integers if all arguments are; otherwise
/// they are reals, computed from their position and rounded to the possible decimals: 0.1 to 0.5 by 0.1 gives 0.3, not
/// 0.30…04.
/// @throws input_error if `limit` is below `first`, the step is not positive, an argument is not a number, or there are
/// more than a million values
[[nodiscard]] std::vector<value> arithmetic_range(const value& first, const value& limit, const value& step);

/// Returns first, first·factor, first·factor², … up to and including `limit`; integers if all arguments are.
/// @throws input_error like arithmetic_range, and if `first` is not positive or the factor is not above 1
[[nodiscard]] std::vector<value> geometric_range(const value& first, const value& limit, const value& factor);

}  // namespace mlmq::tuner
