// SPDX-License-Identifier: Apache-2.0
// A graph on a device, what solvers have prepared from it, and the solver of one configuration at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/graphs/ell_rows.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/shortest_paths/search.hpp"
#include "problems/shortest_paths/solvers/graph_parts.hpp"
#include "problems/shortest_paths/solvers/reverse_rows.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "tuner/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

class resident_search {
 public:
  /// @param store see graph_instance; only used by the constructor
  resident_search(backends::backend& device, const graph::csr_graph& graph, const std::string& name, search_kind kind,
                  ring_limits limits, row_store* store);
  resident_search(const resident_search&) = delete;
  resident_search& operator=(const resident_search&) = delete;
  /// Stops the watchdog, which writes to a solver's memory.
  ~resident_search() { input_.device.set_watchdog({}); }

  [[nodiscard]] const graph::csr_graph& graph() const { return graph_; }
  [[nodiscard]] resident_graph& on_device() { return on_device_; }
  [[nodiscard]] const resident_graph& on_device() const { return on_device_; }

  /// Like the functions of tuner::problem_instance.
  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen, tuner::instrumentation mode) const;
  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode);

  /// Runs the solver, then the work of `next`, which is part of the time. @param seeds see solver::run()
  /// @return the report, and whether the answer was copied
  [[nodiscard]] std::pair<tuner::run_report, bool> run(std::span<const graph::seed_vertex> seeds, double time_limit_ms,
                                                       follow_up next);

 private:
  /// Runs `work`, which allocates device memory. If memory is short, frees what other solvers have left and runs it
  /// again.
  template <class Work>
  void with_room(const Work& work);

  graph::csr_graph graph_;
  std::string name_;
  resident_graph on_device_;
  resident_ell ell_rows_;
  mutable part_store parts_;
  resident_reverse reversed_;
  follow_up next_;
  search_input input_;
  std::unique_ptr<solver> solver_;
  std::string solver_name_;
};

}  // namespace mlmq::problems
