// SPDX-License-Identifier: Apache-2.0
// Random configurations of the multi-level queue for tests of answers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::problems::tests {

/// Values to draw from, for every parameter but the queues themselves.
[[nodiscard]] const std::map<std::string, std::vector<std::string>>& drawn_values();

/// @throws std::logic_error when there is no parameter of this name
[[nodiscard]] const tuner::parameter_declaration& declaration_of(const std::string& name);

/// `label` with a drawn value for every parameter of this binding that its queues have and that it does not name.
[[nodiscard]] std::string draw(std::string label, tuner::binding bind, random_stream& random);

}  // namespace mlmq::problems::tests
