// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/rules/comparison_rules.hpp"

#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::problems {
namespace {

template <search_kind kind>
bool runs_on(const tuner::configuration& configuration, const backends::device_traits& device) {
  const solver_traits& solver = solver_named(solver_of(configuration));
  return solver.on_grid == device.grid && (kind == search_kind::bfs || !solver.only_levels);
}

template <search_kind kind>
tuner::comparison_rules rules() {
  return {.competitor_parameter = "solver",
          .runs_on = runs_on<kind>,
          .short_list = "short_list.yaml",
          .competitors = "competitors.yaml"};
}

}  // namespace

tuner::comparison_rules comparison_of(search_kind kind) {
  return kind == search_kind::bfs ? rules<search_kind::bfs>() : rules<search_kind::sssp>();
}

}  // namespace mlmq::problems
