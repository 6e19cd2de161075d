// SPDX-License-Identifier: Apache-2.0
// The registry of problems, with all that problems can do, is no part of the program test_kernel_alone.
#include "problems/registry.hpp"

namespace mlmq::problems {

problem_registration::problem_registration(std::initializer_list<problem_entry>, const char*) {}
problem_registration::~problem_registration() = default;

}  // namespace mlmq::problems
