// SPDX-License-Identifier: Apache-2.0
// Random configurations of the multi-level queue for tests of answers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::problems::tests {

/// Returns the values to draw from, for every parameter except those that name the queues.
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& drawn_values();

/// @throws std::logic_error if no parameter has this name
[[nodiscard]] const tuner::parameter_declaration& declaration_of(const std::string& name);

/// Returns `label` with a drawn value added for each parameter of this binding that its queues have and `label` does
/// not set.
[[nodiscard]] std::string draw(std::string label, tuner::binding bind, random_stream& random);

}  // namespace mlmq::problems::tests
