// SPDX-License-Identifier: Apache-2.0
#include "problems/checks.hpp"
#include "problems/registry.hpp"
#include "problems/shortest_paths/checks/registered_check.hpp"
#include "problems/shortest_paths/rules/comparison_rules.hpp"
#include "problems/shortest_paths/rules/paper_rules.hpp"
#include "problems/shortest_paths/rules/recommendation.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::problems {
extern "C" {
extern const problem_registration mlmq_registers_shortest_paths;
const problem_registration mlmq_registers_shortest_paths(
    {{.name = "sssp",
      .description = "distances from one vertex of a graph to all others, by the weights of its edges",
      .make = [] { return std::unique_ptr<tuner::problem>(std::make_unique<search>(search_kind::sssp)); },
      .rule = &paper_rules,
      .comparison = comparison_of(search_kind::sssp),
      .recommendation = &recommendation_of(search_kind::sssp)},
     {.name = "bfs",
      .description = "levels of breadth-first search from one vertex of a graph: every edge has length 1",
      .make = [] { return std::unique_ptr<tuner::problem>(std::make_unique<search>(search_kind::bfs)); },
      .rule = &paper_rules,
      .comparison = comparison_of(search_kind::bfs),
      .recommendation = &recommendation_of(search_kind::bfs)}});
}

namespace {
const check_registration registered_check(
    {{.name = "queues",
      .description = "every pair of queues and every competitor on adversarial graphs, against Dijkstra",
      .subjects = queue_pair_names,
      .settings = {"graphs", "problem", "weights"},
      .run = check_queue_pairs}});
}  // namespace

}  // namespace mlmq::problems
