// SPDX-License-Identifier: Apache-2.0
// All problems of this program, by name.
#pragma once

#include <memory>
#include <string>

#include "tuner/problem.hpp"

namespace mlmq::problems {

/// @throws input_error for an unknown name, listing the known ones
[[nodiscard]] std::unique_ptr<tuner::problem> make_problem(const std::string& name);

}  // namespace mlmq::problems
