// SPDX-License-Identifier: Apache-2.0
#include "problems/registry.hpp"

#include "base/error.hpp"
#include "problems/sssp/sssp.hpp"

namespace mlmq::problems {

std::unique_ptr<tuner::problem> make_problem(const std::string& name) {
  if (name == "sssp") return std::make_unique<sssp>();
  throw input_error("unknown problem '" + name + "'; known is sssp");
}

}  // namespace mlmq::problems
