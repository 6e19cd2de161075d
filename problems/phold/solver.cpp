// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/solver.hpp"

#include <array>
#include <string_view>

#include "base/error.hpp"
#include "problems/phold/cluster_solver.hpp"
#include "problems/phold/phold.hpp"
#include "problems/small_queues/small_queues.hpp"

namespace mlmq::phold {
namespace {

/// A solver for GPUs.
struct grid_solver {
  std::string_view name;
  std::string_view file;
  std::string_view entry;
  std::unique_ptr<solver> (*make)(const solver_input&);
};

constexpr std::array grid_solvers{
    grid_solver{"calendar", "phold/calendar.cu", "phold_calendar", make_calendar_solver},
    grid_solver{"one_block", "phold/one_block.cu", "phold_one_block", make_one_block_solver},
    grid_solver{"cluster", "phold/cluster.cu", "phold_cluster", make_cluster_solver},
    grid_solver{"queues", "phold/queues.cu", "phold_queues", make_queue_solver},
    grid_solver{"parallel_heap", "phold/parallel_heap.cu", "phold_parallel_heap", make_parallel_heap_solver}};

const grid_solver& find(std::string_view name) {
  for (const grid_solver& entry : grid_solvers) {
    if (entry.name == name) return entry;
  }
  throw work_error("phold has no kernel for solver '" + std::string(name) + "'");
}

}  // namespace

std::string solver_of(const tuner::configuration& chosen) {
  return tuner::parameter_values(phold_declarations(), chosen).text("solver");
}

bool is_on_processors(const std::string& solver_name) { return solver_name.starts_with("cpu_"); }

std::unique_ptr<solver> make_solver(const std::string& name, const solver_input& input) {
  return is_on_processors(name) ? make_cpu_solver(name, input) : find(name).make(input);
}

std::string kernel_file(const std::string& solver_name) { return std::string(find(solver_name).file); }

backends::kernel_source solver_variant(const tuner::configuration& chosen, tuner::instrumentation mode) {
  if (mode == tuner::instrumentation::timeline) throw backends::launch_error("phold records no timeline");
  const std::string name = solver_of(chosen);
  if (is_on_processors(name)) return cpu_solver_variant(name);
  const grid_solver& entry = find(name);
  const tuner::parameter_values values(phold_declarations(), chosen);
  backends::kernel_source source{.file = std::string(entry.file),
                                 .entry = std::string(entry.entry),
                                 .block_threads = values.whole("threads"),
                                 .defines = values.macros(std::string(entry.entry))};
  if (name == "queues") {
    // A block that owns a queue has as many threads as the queue has lanes.
    const problems::small_queue_choice choice(values);
    if (choice.lanes > simt::warp_size) source.block_threads = choice.lanes;
  }
  source.defines.emplace("MLMQ_PHOLD_COUNTERS", mode == tuner::instrumentation::counters ? "1" : "0");
  return source;
}

}  // namespace mlmq::phold
