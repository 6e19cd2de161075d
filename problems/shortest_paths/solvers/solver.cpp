// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/solver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "backends/cpu/searches/thread_team.hpp"
#include "backends/registry.hpp"
#include "base/error.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::problems {
namespace {

/// Returns the name of a solver's kernel, which is also that of its file.
std::string entry_of(const std::string& solver_name, search_kind kind) {
  return solver_named(solver_name).kernel_per_problem ? std::string(name_of(kind)) : solver_name;
}

}  // namespace

std::string solver_of(const tuner::configuration& chosen) {
  const tuner::value* const name = chosen.find("solver");
  return name == nullptr ? std::string(default_solver) : std::get<std::string>(*name);
}

std::unique_ptr<solver> make_solver(const std::string& name, const search_input& input) {
  const solver_traits& row = solver_named(name);
  if (row.make == nullptr) throw work_error("no solver '" + name + "'");
  return row.make(input);
}

bool is_cpu_solver(const std::string& name) { return !solver_named(name).on_grid; }

bool takes_all_threads(const std::string& name) { return solver_named(name).uses_all_threads; }

std::string solver_file(const std::string& solver_name, search_kind kind) {
  return fmt::format("{}{}.cu", solver_named(solver_name).folder, entry_of(solver_name, kind));
}

bool supports_weight_type(const std::string& solver_name, graph::weight_type weights) {
  return weights != graph::weight_type::float64 || solver_named(solver_name).wide_distances;
}

void require_weight_type(const std::string& solver_name, graph::weight_type weights) {
  if (supports_weight_type(solver_name, weights)) return;
  std::vector<std::string> others;
  for (const solver_traits& row : all_solvers()) {
    if (row.on_grid && row.wide_distances && !row.only_levels) others.push_back(fmt::format("solver={}", row.name));
  }
  throw backends::launch_error(
      fmt::format("solver {} has distances of 4 bytes, but the weights are {}: choose {}, or weights of 4 bytes",
                  solver_name, graph::name_of(weights), fmt::join(others, " or ")));
}

bool needs_unit_weights(const std::string& solver_name) { return solver_named(solver_name).only_levels; }

void require_kind(const std::string& solver_name, search_kind kind) {
  if (kind == search_kind::bfs || !needs_unit_weights(solver_name)) return;
  throw backends::launch_error("solver " + solver_name + " ignores weights: use it with the problem bfs");
}

backends::kernel_source solver_variant(const tuner::configuration& chosen, const variant_traits& traits) {
  const std::string name = solver_of(chosen);
  require_weight_type(name, traits.weights);
  require_kind(name, traits.kind);
  if (is_cpu_solver(name)) return cpu_solver_variant(chosen, traits);
  const unsigned threads = tuner::parameter_values(search_declarations(), chosen).whole("threads");
  return {.file = solver_file(name, traits.kind),
          .entry = entry_of(name, traits.kind),
          .block_threads = threads,
          .defines = defines_of(chosen, traits)};
}

void require_fit(const std::string& solver_name, const backends::device_info& device) {
  if (is_cpu_solver(solver_name) != device.grid) return;
  if (!device.grid) {
    throw backends::launch_error(
        fmt::format("solver {} is a kernel for GPUs and the simulator, but {} runs {}: choose one of these with "
                    "solver=, or another "
                    "device",
                    solver_name, device.selector, fmt::join(cpu::solver_names(), ", ")));
  }
  throw backends::launch_error(fmt::format("solver {} runs on processors, not on {}: choose --device {}, or solver={}",
                                           solver_name, device.selector, backends::processors_selector(),
                                           default_solver));
}

void require_reducible_weights(const graph::csr_graph& graph, graph::reduction_extent extent) {
  if (graph.weights() == graph::weight_type::uint32) return;
  throw backends::launch_error(
      fmt::format("reduction={}: the lengths of chains are sums in another order than a search adds them, which "
                  "rounds {} weights differently; choose reduction=none, or whole weights",
                  graph::name_of(extent), graph::name_of(graph.weights())));
}

void require_reducible(const tuner::configuration& chosen, search_kind kind) {
  if (!reduction_of(chosen)) return;
  if (kind == search_kind::bfs) {
    throw backends::launch_error(
        "reduction: edges in place of chains have different lengths, but every edge of bfs has the length 1; use the "
        "problem sssp with weights of 1");
  }
}

}  // namespace mlmq::problems
