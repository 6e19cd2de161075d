// SPDX-License-Identifier: Apache-2.0
// Names of the problems on graphs that the library solves.
#pragma once

#include <string>
#include <vector>

#include "mlmq/mlmq.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::cli {

[[nodiscard]] inline std::string problem_name(problem kind) {
  return std::string(
      problems::name_of(kind == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp));
}

[[nodiscard]] inline std::string default_graph_problem() { return problem_name(problem::sssp); }

[[nodiscard]] inline std::vector<std::string> graph_problem_names() {
  return {problem_name(problem::sssp), problem_name(problem::bfs)};
}

/// @param name one of graph_problem_names()
[[nodiscard]] inline problem graph_problem(const std::string& name) {
  return name == problem_name(problem::bfs) ? problem::bfs : problem::sssp;
}

}  // namespace mlmq::cli
