// SPDX-License-Identifier: Apache-2.0
// A way to search a resident graph: the multi-level queue, or one of its competitors. The value of the parameter
// `solver` names it; what its other parameters mean is its own affair.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/shortest_paths/resident_graph.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tuner/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

class resident_ell;
class part_store;
class resident_reverse;

/// Where the distances are wanted in host memory as soon as a search has found them.
struct answer_copy {
  std::span<std::byte> to = {};  ///< empty: nowhere
  bool is_there = false;         ///< the last run copied them
};

/// What all solvers of one instance work on. Belongs to the instance, which outlives its solvers.
struct search_input {
  backends::backend& device;
  const graph::csr_graph& graph;
  const resident_graph& on_device;
  resident_ell& ell_rows;  ///< one solver at a time uses them: what it asked for last is there
  part_store& parts;
  resident_reverse& reversed;
  double average_weight;  ///< unit of lengths in configurations
  search_kind kind;
  ring_limits limits;
  answer_copy& answer;
};

/// The functions are those of tuner::problem_instance. A solver keeps its queue memory, and what it learnt about the
/// capacity that the graph needs, from one run to the next.
class solver {
 public:
  virtual ~solver() = default;

  /// @throws backends::launch_error when it cannot run on this device
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation what) = 0;

  /// Writes the distances from `source` to search_input::on_device.
  /// @throws backends::kernel_fault, backends::out_of_device_memory
  [[nodiscard]] virtual tuner::run_report run(graph::vertex_id source, double time_limit_ms) = 0;
};

/// The value of the parameter `solver`.
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);

/// @param name a value of the parameter `solver`
[[nodiscard]] std::unique_ptr<solver> make_solver(const std::string& name, const search_input& input);

/// The file of a solver's kernel, relative to kernels/.
[[nodiscard]] std::string solver_file(const std::string& solver_name, search_kind kind);

/// What a variant depends on besides the configuration.
struct variant_traits {
  search_kind kind = search_kind::sssp;
  graph::weight_type weights = graph::weight_type::uint32;
  bool wide_offsets = false;
  bool counters = false;
  bool timeline = false;
  unsigned slots_per_thread = 0;  ///< of the partitioned search
  bool has_exact_sums = false;    ///< likewise: graph_parts
};

/// The variant that a configuration needs. @throws backends::launch_error when no variant can run it
[[nodiscard]] backends::kernel_source solver_variant(const tuner::configuration& chosen, const variant_traits& traits);

/// Whether a solver finds distances of weights of this type. Those of 8 bytes do not fit into the elements of queues that take
/// in what other blocks write at the same time.
[[nodiscard]] bool can_hold(const std::string& solver_name, graph::weight_type weights);
/// @throws backends::launch_error when it does not, saying what does
void require_hold(const std::string& solver_name, graph::weight_type weights);

/// Whether a solver knows no weights: it answers breadth-first search only.
[[nodiscard]] bool needs_unit_weights(const std::string& solver_name);
/// @throws backends::launch_error when it is asked about weights
void require_kind(const std::string& solver_name, search_kind kind);

/// @throws backends::launch_error when the solver is for devices of another kind, saying what there is
void require_fit(const std::string& solver_name, const backends::device_info& device);

}  // namespace mlmq::problems
