// SPDX-License-Identifier: Apache-2.0
// Stubs of the functions that the table of solvers refers to. The fuzz targets read names and declarations only and
// never call them, so the solvers need not be compiled.
#include <cstdlib>

#include "problems/shortest_paths/solvers/mlmq_solver.hpp"
#include "problems/shortest_paths/solvers/partitioned_solver.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {

std::unique_ptr<solver> make_adds_solver(const search_input&) { std::abort(); }
std::unique_ptr<solver> make_cpu_solver(const search_input&) { std::abort(); }
std::unique_ptr<solver> make_frontier_solver(const search_input&, bool) { std::abort(); }
std::unique_ptr<solver> make_mlmq_solver(const search_input&) { std::abort(); }
std::unique_ptr<solver> make_near_pull_solver(const search_input&) { std::abort(); }
std::unique_ptr<solver> make_partitioned_solver(const search_input&) { std::abort(); }
std::unique_ptr<solver> make_push_pull_solver(const search_input&) { std::abort(); }
void add_part_macros(const variant_traits&, std::map<std::string, std::string>&) { std::abort(); }
void require_mlmq_grid(const tuner::configuration&, const backends::device_info&) { std::abort(); }
void set_part_traits(const tuner::configuration&, const search_input&, variant_traits&) { std::abort(); }

}  // namespace mlmq::problems
