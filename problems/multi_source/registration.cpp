// SPDX-License-Identifier: Apache-2.0
// Registers the multi-source searches.
#include "problems/checks.hpp"
#include "problems/multi_source/batch.hpp"
#include "problems/multi_source/recommendation.hpp"
#include "problems/multi_source/schedule_check.hpp"
#include "problems/registry.hpp"

namespace {

using namespace mlmq;

bool runs_on(const tuner::configuration& configuration, const backends::device_traits& device) {
  return multi_source::is_kernel(multi_source::solver_of(configuration)) == device.grid;
}

std::unique_ptr<tuner::problem> make(problems::search_kind kind) {
  return std::make_unique<multi_source::search_problem>(kind);
}

}  // namespace

extern "C" {
extern const mlmq::problems::problem_registration mlmq_registers_multi_source;
const mlmq::problems::problem_registration mlmq_registers_multi_source(
    {{.name = "sssp_batch",
      .description = "distances from many vertices of a graph to all others, many searches at a time",
      .make = [] { return make(mlmq::problems::search_kind::sssp); },
      .comparison = {.competitor_parameter = "solver", .runs_on = runs_on},
      .recommendation = &mlmq::multi_source::distance_recommendation},
     {.name = "bfs_batch",
      .description = "levels of breadth-first search from many vertices of a graph, many searches at a time",
      .make = [] { return make(mlmq::problems::search_kind::bfs); },
      .comparison = {.competitor_parameter = "solver", .runs_on = runs_on},
      .recommendation = &mlmq::multi_source::level_recommendation}});
}

namespace {
const mlmq::problems::check_registration registered_check(
    {{.name = "batch",
      .description = "kernels of many searches on small graphs, against Dijkstra",
      .subjects = mlmq::multi_source::checked_subjects,
      .run = mlmq::multi_source::run_schedule_check}});
}  // namespace
