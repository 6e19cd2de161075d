// SPDX-License-Identifier: Apache-2.0
// Registers betweenness.
#include "problems/betweenness/betweenness.hpp"
#include "problems/betweenness/recommendation.hpp"
#include "problems/betweenness/schedule_check.hpp"
#include "problems/checks.hpp"
#include "problems/registry.hpp"

namespace {

using namespace mlmq;

bool runs_on(const tuner::configuration& configuration, const backends::device_traits& device) {
  return betweenness::is_kernel(betweenness::solver_of(configuration)) == device.grid;
}

std::unique_ptr<tuner::problem> make(problems::search_kind kind) {
  return std::make_unique<betweenness::betweenness>(kind);
}

}  // namespace

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_betweenness;
const mlmq::problems::problem_registration mlmq_registers_betweenness(
    {{.name = "sssp_betweenness",
      .description = "the share of all shortest paths that pass through each vertex of a graph, from many sources",
      .make = [] { return make(mlmq::problems::search_kind::sssp); },
      .comparison = {.competitor_parameter = "solver", .runs_on = runs_on},
      .recommendation = &mlmq::betweenness::recommendation},
     {.name = "bfs_betweenness",
      .description =
          "the share of all paths with the fewest edges that pass through each vertex of a graph, from many sources",
      .make = [] { return make(mlmq::problems::search_kind::bfs); },
      .comparison = {.competitor_parameter = "solver", .runs_on = runs_on},
      .recommendation = &mlmq::betweenness::recommendation}});
}

namespace {
const mlmq::problems::check_registration registered_check(
    {{.name = "betweenness",
      .description = "the kernel of betweenness on small graphs, against Brandes' sums on processors",
      .subjects = mlmq::betweenness::checked_betweenness,
      .run = mlmq::betweenness::check_betweenness}});
}  // namespace
