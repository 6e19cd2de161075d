// SPDX-License-Identifier: Apache-2.0
// The values of `range: {from, to, step}` and `range: {from, to, factor}`.
#pragma once

#include <vector>

#include "tuner/value.hpp"

namespace mlmq::tuner {

/// from, from + step, … up to and including `to`. Integers when all three are; otherwise reals,
/// each computed from its position and rounded to the decimals that the range can have, so 0.1 to
/// 0.5 by 0.1 gives 0.3 and not 0.30…04.
/// @throws input_error when `to` is below `from`, the step is not positive, a number is none, or
/// there are more than a million values
[[nodiscard]] std::vector<value> arithmetic_range(const value& from, const value& to, const value& step);

/// from, from·factor, from·factor², … up to and including `to`. Integers when all three are.
/// @throws input_error like arithmetic_range, and when `from` is not positive or the factor not
/// above 1
[[nodiscard]] std::vector<value> geometric_range(const value& from, const value& to, const value& factor);

}  // namespace mlmq::tuner
