// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/comparison_rules.hpp"

#include <string>

#include "problems/shortest_paths/cpu_solver.hpp"
#include "problems/shortest_paths/solver.hpp"

namespace mlmq::problems {
namespace {

template <search_kind kind>
bool runs_on(const tuner::configuration& configuration, const backends::device_traits& device) {
  const std::string solver = solver_of(configuration);
  const bool for_processors = is_cpu_solver(solver);
  if (needs_unit_weights(solver) && kind != search_kind::bfs) return false;
  return for_processors != device.grid;
}

template <search_kind kind>
tuner::comparison_rules rules() {
  return {.competitor_parameter = "solver",
          .runs_on = runs_on<kind>,
          .short_list = "good.yaml",
          .competitors = "competitors.yaml"};
}

}  // namespace

tuner::comparison_rules comparison_of(search_kind kind) {
  return kind == search_kind::bfs ? rules<search_kind::bfs>() : rules<search_kind::sssp>();
}

}  // namespace mlmq::problems
