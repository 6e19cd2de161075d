// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/search.hpp"

#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "backends/kernel_sources.hpp"
#include "backends/registry.hpp"
#include "graph/check.hpp"
#include "problems/graphs/device_features.hpp"
#include "problems/graphs/ell_rows.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/graphs/sources.hpp"
#include "problems/shortest_paths/checks/answer_check.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/graph_parts.hpp"
#include "problems/shortest_paths/solvers/reverse_rows.hpp"
#include "problems/shortest_paths/solvers/search_launcher.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::problems {
namespace {

class search_instance final : public graph_instance {
 public:
  search_instance(backends::backend& device, const graph::csr_graph& graph, const std::string& name, search_kind kind,
                  ring_limits limits, row_store* store)
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
               .answer = answer_},
        check_(device, graph, on_device_.distances, answer_check::best_place(device.info())) {}
  search_instance(const search_instance&) = delete;
  search_instance& operator=(const search_instance&) = delete;
  /// Stops the watchdog, which writes to a solver's memory.
  ~search_instance() override { input_.device.set_watchdog({}); }

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation mode) const override {
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

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
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

  /// Returns nothing for processors, which read the graph in host memory, and for weights of 8 bytes, which the kernel
  /// does not support.
  [[nodiscard]] std::optional<device_features> features() override {
    if (!input_.device.info().grid || graph_.weights() == graph::weight_type::float64) return std::nullopt;
    return find_features(input_.device, graph_, on_device_, input_.kind == search_kind::bfs);
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& query, double time_limit_ms) override {
    return run_from(source_of(graph_, query, name_), time_limit_ms);
  }

  [[nodiscard]] tuner::run_report run_from(graph::vertex_id source, double time_limit_ms) override {
    source_ = source;
    if (on_device_.distances.bytes() == 0) {
      on_device_.distances =
          input_.device.allocate(resident_graph::distance_bytes(graph_), "the distances of " + name_);
    }
    return solver_->run(source, time_limit_ms);
  }

  [[nodiscard]] std::pair<tuner::run_report, bool> run_from(graph::vertex_id source, double time_limit_ms,
                                                            std::span<std::byte> destination) override {
    // Even after an exception, no later run writes to `destination`.
    struct forget_room {
      answer_copy& room;
      ~forget_room() { room = {}; }
    } const at_the_end{answer_};
    answer_ = {.destination = destination};
    tuner::run_report report = run_from(source, time_limit_ms);
    return {std::move(report), answer_.is_there};
  }

  [[nodiscard]] std::string check() override { return check_(source_); }

  [[nodiscard]] std::string beyond_range() override {
    return check_.has_saturated() ? name_ + ": " + graph::saturated_message(graph_.weights()) : "";
  }

  [[nodiscard]] graph::distance_array all_distances() override { return check_.download(); }

  [[nodiscard]] const backends::device_memory& device_distances() const override { return on_device_.distances; }
  [[nodiscard]] backends::device_memory take_distances(backends::device_memory spare) override {
    return std::exchange(on_device_.distances, std::move(spare));
  }

 private:
  /// Runs `work`, which allocates device memory. If memory is short, frees what other solvers have left and runs it
  /// again.
  template <class Work>
  void with_room(const Work& work) {
    try {
      return ell_rows_.with_room(work);
    } catch (const backends::out_of_device_memory&) {
      if (!reversed_.drop_unused()) throw;
    }
    work();
  }

  graph::csr_graph graph_;
  std::string name_;
  resident_graph on_device_;
  resident_ell ell_rows_;
  mutable part_store parts_;
  resident_reverse reversed_;
  answer_copy answer_;
  search_input input_;
  std::unique_ptr<solver> solver_;
  std::string solver_name_;

  graph::vertex_id source_ = 0;
  answer_check check_;
};

}  // namespace

std::string_view name_of(search_kind kind) { return kind == search_kind::sssp ? "sssp" : "bfs"; }

std::span<const tuner::parameter_declaration> search::declarations() const { return search_declarations(); }

std::string search::source_hash(const tuner::configuration& chosen) const {
  const bool on_processors = is_cpu_solver(solver_of(chosen));
  const std::string file = on_processors ? "" : solver_file(solver_of(chosen), kind_);
  std::string& hash = source_hashes_[file];
  if (hash.empty()) {
    hash = on_processors ? std::string(cpu::solver_source_hash())
                         : backends::kernel_sources::load(backends::kernel_folder(), file).code_hash();
  }
  return hash;
}

std::string search::unfit_reason(const tuner::configuration& chosen, const backends::device_info& device) const {
  const std::string name = solver_of(chosen);
  try {
    require_fit(name, device);
    require_kind(name, kind_);
    if (!device.grid) return "";
    const unsigned threads = tuner::parameter_values(search_declarations(), chosen).whole("threads");
    std::string reason = backends::unfit_block_reason(threads, device);
    const auto require_grid = solver_named(name).require_grid;
    if (reason.empty() && require_grid != nullptr) require_grid(chosen, device);
    return reason;
  } catch (const backends::launch_error& error) {
    return error.what();
  }
}

const tuner::workload_kind& search::workloads() const { return graph_kind(); }

std::span<const tuner::named_meaning> search::query_settings() const { return source_settings(); }

std::span<const tuner::named_meaning> search::counters() const { return counter_meanings(); }

std::uint64_t search::count_queries(const tuner::query_rules& rules) const {
  const std::vector<source_rule> source_rules = source_rules_of(rules);
  return std::accumulate(source_rules.begin(), source_rules.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const source_rule& rule) { return sum + rule.count; });
}

std::vector<tuner::query> search::choose_queries(const tuner::workload& workload,
                                                 const tuner::query_rules& rules) const {
  const graph::csr_graph& graph = graph_of(workload);
  std::vector<tuner::query> queries;
  for (const graph::vertex_id source : choose_sources(graph, source_rules_of(rules), workload.record.name)) {
    queries.push_back(query_of(graph, source));
  }
  return queries;
}

std::unique_ptr<tuner::problem_instance> search::load(backends::backend& device,
                                                      const tuner::workload& workload) const {
  return load_graph(device, graph_of(workload), workload.record.name);
}

std::unique_ptr<graph_instance> search::load_graph(backends::backend& device, const graph::csr_graph& graph,
                                                   const std::string& graph_name, row_store* store) const {
  return std::make_unique<search_instance>(device, kind_ == search_kind::bfs ? graph::with_unit_weights(graph) : graph,
                                           graph_name, kind_, limits_, store);
}

}  // namespace mlmq::problems
