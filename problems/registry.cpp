// SPDX-License-Identifier: Apache-2.0
#include "problems/registry.hpp"

#include "base/error.hpp"
#include "problems/search/search.hpp"

namespace mlmq::problems {

std::unique_ptr<tuner::problem> make_problem(const std::string& name) {
  for (const search_kind kind : {search_kind::sssp, search_kind::bfs}) {
    if (name == name_of(kind)) return std::make_unique<search>(kind);
  }
  throw input_error("unknown problem '" + name + "'; known are sssp and bfs");
}

}  // namespace mlmq::problems
