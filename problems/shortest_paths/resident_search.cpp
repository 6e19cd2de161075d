// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/resident_search.hpp"

#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::problems {

resident_search::resident_search(backends::backend& device, const graph::csr_graph& graph, const std::string& name,
                                 search_kind kind, ring_limits limits, row_store* store)
    : graph_(graph),
      name_(name),
      on_device_(device, graph, name, kind == search_kind::bfs, store),
      ell_rows_(device, graph_, kind == search_kind::bfs, *on_device_.rows),
      parts_(graph_),
      reversed_(device, graph_, *on_device_.rows, kind == search_kind::bfs),
      input_{.device = device,
             .graph = graph_,
             .on_device = on_device_,
             .ell_rows = ell_rows_,
             .parts = parts_,
             .reversed = reversed_,
             .average_weight = on_device_.rows->average_weight,
             .kind = kind,
             .limits = limits,
             .next = next_} {}

backends::kernel_source resident_search::variant(const tuner::configuration& chosen,
                                                 tuner::instrumentation mode) const {
  const std::string name = solver_of(chosen);
  require_fit(name, input_.device.info());
  require_weight_type(name, graph_.weights());
  variant_traits traits{.kind = input_.kind,
                        .weights = graph_.weights(),
                        .wide_offsets = on_device_.wide_offsets,
                        .counters = mode == tuner::instrumentation::counters,
                        .timeline = mode == tuner::instrumentation::timeline};
  if (const auto set_graph_traits = solver_named(name).set_graph_traits) set_graph_traits(chosen, input_, traits);
  return solver_variant(chosen, traits);
}

template <class Work>
void resident_search::with_room(const Work& work) {
  try {
    return ell_rows_.with_room(work);
  } catch (const backends::out_of_device_memory&) {
    if (!reversed_.drop_unused()) throw;
  }
  work();
}

void resident_search::prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                              tuner::instrumentation mode) {
  ell_rows_.place(0);  // deselects the rows of the previous configuration
  if (const std::string new_name = solver_of(chosen); new_name != solver_name_) {
    // Only one solver's queues exist at a time: whether they fit must not depend on earlier measurements.
    input_.device.set_watchdog({});
    solver_.reset();
    solver_name_.clear();
    with_room([&] { solver_ = make_solver(new_name, input_); });
    solver_name_ = new_name;
  }
  with_room([&] { solver_->prepare(chosen, compiled, mode); });
}

std::pair<tuner::run_report, bool> resident_search::run(std::span<const graph::seed_vertex> seeds, double time_limit_ms,
                                                        follow_up next) {
  // Even after an exception, no later run writes to the destination.
  struct forget_destination {
    follow_up& next;
    ~forget_destination() { next = {}; }
  } const at_the_end{next_};
  next_ = std::move(next);
  if (on_device_.distances.bytes() == 0) {
    on_device_.distances = input_.device.allocate(resident_graph::distance_bytes(graph_), "the distances of " + name_);
  }
  tuner::run_report report = solver_->run(seeds, time_limit_ms);
  if (next_.queue_work && !next_.is_queued && report.result == db::outcome::ok) {
    input_.device.set_watchdog({});
    report.milliseconds += input_.device.measure(next_.queue_work);
  }
  return {std::move(report), next_.is_copied};
}

}  // namespace mlmq::problems
