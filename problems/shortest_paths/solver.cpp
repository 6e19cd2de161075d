// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "cpu_solvers/search.hpp"
#include "problems/shortest_paths/adds_solver.hpp"
#include "problems/shortest_paths/cpu_solver.hpp"
#include "problems/shortest_paths/frontier_solver.hpp"
#include "problems/shortest_paths/mlmq_solver.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/partitioned_solver.hpp"
#include "problems/shortest_paths/push_pull_solver.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::problems {

std::string solver_of(const tuner::configuration& chosen) {
  const tuner::value* const name = chosen.find("solver");
  return name == nullptr ? "mlmq" : std::get<std::string>(*name);
}

std::unique_ptr<solver> make_solver(const std::string& name, const search_input& input) {
  if (name == "mlmq") return make_mlmq_solver(input);
  if (name == "near_far" || name == "bellman_ford") return make_frontier_solver(input, name == "near_far");
  if (name == "adds") return make_adds_solver(input);
  if (name == "partitioned") return make_partitioned_solver(input);
  if (name == "push_pull") return make_push_pull_solver(input);
  if (is_cpu_solver(name)) return make_cpu_solver(input);
  throw work_error("no solver '" + name + "'");
}

std::string solver_file(const std::string& solver_name, search_kind kind) {
  if (solver_name == "mlmq") return std::string(name_of(kind)) + ".cu";
  if (solver_name == "partitioned") return "partitioned/partitioned.cu";
  if (solver_name == "push_pull") return "push_pull/push_pull.cu";
  return "baselines/" + solver_name + ".cu";
}

bool supports_weight_type(const std::string& solver_name, graph::weight_type weights) {
  return weights != graph::weight_type::float64 ||
         (solver_name != "mlmq" && solver_name != "adds" && solver_name != "partitioned");
}

void require_weight_type(const std::string& solver_name, graph::weight_type weights) {
  if (supports_weight_type(solver_name, weights)) return;
  throw backends::launch_error(
      fmt::format("solver {} has distances of 4 bytes, and the weights are {}: choose solver=near_far or "
                  "solver=bellman_ford, or weights of 4 bytes",
                  solver_name, graph::name_of(weights)));
}

bool needs_unit_weights(const std::string& solver_name) {
  return solver_name == "push_pull" || (is_cpu_solver(solver_name) && cpu::needs_unit_weights(solver_name));
}

void require_kind(const std::string& solver_name, search_kind kind) {
  if (kind == search_kind::bfs || !needs_unit_weights(solver_name)) return;
  throw backends::launch_error("solver " + solver_name + " ignores weights: it belongs to the problem bfs");
}

backends::kernel_source solver_variant(const tuner::configuration& chosen, const variant_traits& traits) {
  const std::string name = solver_of(chosen);
  require_weight_type(name, traits.weights);
  require_kind(name, traits.kind);
  if (is_cpu_solver(name)) return cpu_solver_variant(chosen, traits);
  const unsigned threads = tuner::parameter_values(search_declarations(), chosen).whole("threads");
  return {.file = solver_file(name, traits.kind),
          .entry = name == "mlmq" ? std::string(name_of(traits.kind)) : name,
          .block_threads = threads,
          .defines = defines_of(chosen, traits)};
}

void require_fit(const std::string& solver_name, const backends::device_info& device) {
  if (is_cpu_solver(solver_name) != device.grid) return;
  if (!device.grid) {
    throw backends::launch_error(fmt::format(
        "solver {} is a kernel for GPUs and the simulator, {} runs {}: choose one of these with solver=, or another "
        "device",
        solver_name, device.selector, fmt::join(cpu::solver_names(), ", ")));
  }
  throw backends::launch_error(
      fmt::format("solver {} runs on processors, not on {}: choose --device {}, or solver=mlmq", solver_name,
                  device.selector, backends::processors_selector()));
}

}  // namespace mlmq::problems
