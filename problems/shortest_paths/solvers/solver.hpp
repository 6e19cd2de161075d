// SPDX-License-Identifier: Apache-2.0
// The interface of solvers that search a resident graph: the multi-level queue or one of its competitors. The parameter
// `solver` names one; each solver interprets the other parameters itself. Properties of solvers are in the table of
// solvers.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "graph/reduced_graph.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tuner/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

class resident_ell;
class part_store;
class resident_reverse;

/// Work on the distances of a run. A solver that launches one kernel queues it behind the kernel, so that the
/// host waits once; resident_search::run() does what the solver has not done.
struct follow_up {
  std::function<void()> queue_work = {};            ///< queues work that reads the distances; empty: none
  const backends::device_memory* answer = nullptr;  ///< what is copied; null: the distances
  std::span<std::byte> destination = {};            ///< host memory to which it is copied; empty: no copy
  bool is_queued = false;                           ///< whether the solver has queued the work
  bool is_copied = false;                           ///< whether the solver has copied the answer
};

/// Input of all solvers of one instance. The instance owns it and outlives its solvers.
struct search_input {
  backends::backend& device;
  const graph::csr_graph& graph;
  const resident_graph& on_device;
  resident_ell& ell_rows;  ///< used by one solver at a time
  part_store& parts;
  resident_reverse& reversed;
  double average_weight;  ///< unit of lengths in configurations
  search_kind kind;
  ring_limits limits;
  follow_up& next;
};

/// The functions correspond to those of tuner::problem_instance. A solver keeps its queue memory, and the capacity that
/// the graph needs, from run to run.
class solver {
 public:
  virtual ~solver() = default;

  /// @throws backends::launch_error if the solver cannot run on this device
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation mode) = 0;

  /// Writes the distances from the seeds to search_input::on_device.
  /// @param seeds a vertex with the distance 0; if solver_traits::several_seeds, perhaps another one with any distance
  /// @throws backends::kernel_fault, backends::out_of_device_memory
  [[nodiscard]] virtual tuner::run_report run(std::span<const graph::seed_vertex> seeds, double time_limit_ms) = 0;
};

/// Returns the value of the parameter `solver`.
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);

/// Returns whether a solver runs on processors.
[[nodiscard]] bool is_cpu_solver(const std::string& name);

/// Returns whether a solver for processors uses all threads of the device, not only one.
[[nodiscard]] bool takes_all_threads(const std::string& name);

/// Makes a solver. @param name a value of the parameter `solver`
[[nodiscard]] std::unique_ptr<solver> make_solver(const std::string& name, const search_input& input);

/// Returns the file of a solver's kernel, relative to kernels/.
[[nodiscard]] std::string solver_file(const std::string& solver_name, search_kind kind);

/// Properties of a variant in addition to the configuration.
struct variant_traits {
  search_kind kind = search_kind::sssp;
  graph::weight_type weights = graph::weight_type::uint32;
  bool wide_offsets = false;
  bool counters = false;
  bool timeline = false;
  unsigned slots_per_thread = 0;  ///< for the partitioned search
  bool has_exact_sums = false;    ///< for the partitioned search: graph_parts::has_exact_sums()
};

/// Returns the variant of a configuration. @throws backends::launch_error if no variant can run it
[[nodiscard]] backends::kernel_source solver_variant(const tuner::configuration& chosen, const variant_traits& traits);

/// Returns whether a solver supports weights of this type.
[[nodiscard]] bool supports_weight_type(const std::string& solver_name, graph::weight_type weights);
/// @throws backends::launch_error if it does not; the message names solvers that do
void require_weight_type(const std::string& solver_name, graph::weight_type weights);

/// Returns whether a solver ignores weights and only supports breadth-first search.
[[nodiscard]] bool needs_unit_weights(const std::string& solver_name);
/// @throws backends::launch_error if the solver ignores weights and the problem has weights
void require_kind(const std::string& solver_name, search_kind kind);

/// @throws backends::launch_error if the solver does not run on this kind of device; the message names those that do
void require_fit(const std::string& solver_name, const backends::device_info& device);

/// @throws backends::launch_error if the configuration reduces the graph, but searches of this kind cannot
void require_reducible(const tuner::configuration& chosen, search_kind kind);

/// @throws backends::launch_error if the weights are not integers
void require_reducible_weights(const graph::csr_graph& graph, graph::reduction_extent extent);

// The solvers, each in a file of its name.
[[nodiscard]] std::unique_ptr<solver> make_adds_solver(const search_input& input);

/// @param has_far Near-Far; otherwise Bellman-Ford
[[nodiscard]] std::unique_ptr<solver> make_frontier_solver(const search_input& input, bool has_far);

[[nodiscard]] std::unique_ptr<solver> make_near_pull_solver(const search_input& input);

/// @param input its kind must be search_kind::bfs
[[nodiscard]] std::unique_ptr<solver> make_push_pull_solver(const search_input& input);

[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(const search_input& input);

/// Makes the variant of a configuration. The traits identify it in records; the solvers read the graph itself.
[[nodiscard]] backends::kernel_source cpu_solver_variant(const tuner::configuration& chosen,
                                                         const variant_traits& traits);

}  // namespace mlmq::problems
