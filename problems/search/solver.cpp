// SPDX-License-Identifier: Apache-2.0
#include "problems/search/solver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "cpu_solvers/search.hpp"
#include "problems/search/adds_solver.hpp"
#include "problems/search/cpu_solver.hpp"
#include "problems/search/frontier_solver.hpp"
#include "problems/search/mlmq_solver.hpp"
#include "problems/search/parameters.hpp"

namespace mlmq::problems {

std::string solver_of(const tuner::configuration& chosen) {
  const tuner::value* const name = chosen.find("solver");
  return name == nullptr ? "mlmq" : std::get<std::string>(*name);
}

std::unique_ptr<solver> make_solver(const std::string& name, const search_input& input) {
  if (name == "mlmq") return make_mlmq_solver(input);
  if (name == "near_far" || name == "bellman_ford") return make_frontier_solver(input, name == "near_far");
  if (name == "adds") return make_adds_solver(input);
  if (is_cpu_solver(name)) return make_cpu_solver(input);
  throw work_error("no solver '" + name + "'");
}

std::string solver_file(const std::string& solver_name, search_kind kind) {
  if (solver_name == "mlmq") return std::string(name_of(kind)) + ".cu";
  return "baselines/" + solver_name + ".cu";
}

backends::kernel_source solver_variant(const tuner::configuration& chosen, const variant_traits& traits) {
  const std::string name = solver_of(chosen);
  if (is_cpu_solver(name)) return cpu_solver_variant(chosen, traits);
  const baseline_numbers common(chosen);
  if (common.threads % 32 != 0) {
    throw backends::launch_error(fmt::format("threads={}: a block consists of whole warps of 32", common.threads));
  }
  const bool is_mlmq = name == "mlmq";
  return {.file = solver_file(name, traits.kind),
          .entry = is_mlmq ? std::string(name_of(traits.kind)) : name,
          .block_threads = common.threads,
          .defines = is_mlmq ? search_configuration(chosen).defines(traits) : common.defines(traits)};
}

void require_fit(const std::string& solver_name, const backends::device_info& device) {
  if (is_cpu_solver(solver_name) == (device.kind == "cpu")) return;
  if (device.kind == "cpu") {
    throw backends::launch_error(fmt::format(
        "solver {} is a kernel for GPUs and the simulator, {} runs {}: choose one of these with solver=, or another "
        "device",
        solver_name, device.selector, fmt::join(cpu::solver_names(), ", ")));
  }
  throw backends::launch_error(fmt::format(
      "solver {} runs on processors, not on {}: choose --device cpu, or solver=mlmq", solver_name, device.selector));
}

}  // namespace mlmq::problems
