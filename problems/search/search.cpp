// SPDX-License-Identifier: Apache-2.0
#include "problems/search/search.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/kernel_sources.hpp"
#include "cpu_solvers/search.hpp"
#include "graph/check.hpp"
#include "problems/search/answer_check.hpp"
#include "problems/search/cpu_solver.hpp"
#include "problems/search/device_features.hpp"
#include "problems/search/parameters.hpp"
#include "problems/search/resident_graph.hpp"
#include "problems/search/rows_in_place.hpp"
#include "problems/search/solver.hpp"

namespace mlmq::problems {
namespace {

class search_instance final : public tuner::problem_instance {
 public:
  search_instance(backends::backend& device, const graph::csr_graph& graph, const std::string& name, search_kind kind,
                  ring_limits limits)
      : graph_(graph),
        name_(name),
        on_device_(device, graph, name, kind == search_kind::bfs),
        rows_in_place_(device, graph_, kind == search_kind::bfs),
        input_{.device = device,
               .graph = graph_,
               .on_device = on_device_,
               .rows_in_place = rows_in_place_,
               .average_weight = average_weight(graph),
               .kind = kind,
               .limits = limits},
        check_(device, graph, on_device_.distances, answer_check::best_place(device.info())) {}
  search_instance(const search_instance&) = delete;
  search_instance& operator=(const search_instance&) = delete;
  /// The watchdog pokes a solver's memory.
  ~search_instance() override { input_.device.set_watchdog({}); }

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation what) const override {
    require_fit(solver_of(chosen), input_.device.info());
    return solver_variant(chosen, {.kind = input_.kind,
                                   .weights = graph_.weights(),
                                   .wide_offsets = on_device_.wide_offsets,
                                   .counters = what == tuner::instrumentation::counters,
                                   .timeline = what == tuner::instrumentation::timeline});
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation what) override {
    rows_in_place_.place(0);  // those of before are nobody's until someone asks for them
    if (const std::string wanted = solver_of(chosen); wanted != solver_name_) {
      // One solver's queues at a time: whether another one's fit must not depend on what was measured before.
      input_.device.set_watchdog({});
      solver_.reset();
      solver_name_.clear();
      rows_in_place_.with_room([&] { solver_ = make_solver(wanted, input_); });
      solver_name_ = wanted;
    }
    rows_in_place_.with_room([&] { solver_->prepare(chosen, compiled, what); });
  }

  /// Processors read the graph where it is anyway.
  [[nodiscard]] std::optional<tuner::device_features> features() override {
    if (input_.device.info().kind == "cpu") return std::nullopt;
    return find_features(input_.device, graph_, on_device_, input_.kind == search_kind::bfs);
  }

  [[nodiscard]] tuner::run_report run(graph::vertex_id source, double time_limit_ms) override {
    source_ = source;
    return solver_->run(source, time_limit_ms);
  }

  [[nodiscard]] std::string check() override { return check_(source_); }

  [[nodiscard]] std::string beyond_range() override {
    return check_.has_saturated() ? name_ + ": " + graph::saturated_message : "";
  }

  [[nodiscard]] std::vector<graph::distance_bits> distances() override { return check_.download(); }

 private:
  graph::csr_graph graph_;
  std::string name_;
  resident_graph on_device_;
  placed_rows rows_in_place_;
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
  if (is_cpu_solver(solver_of(chosen))) return std::string(cpu::solver_source_hash());
  const std::string file = solver_file(solver_of(chosen), kind_);
  std::string& hash = source_hashes_[file];
  if (hash.empty()) hash = backends::kernel_sources::load(backends::kernel_folder(), file).code_hash();
  return hash;
}

std::unique_ptr<tuner::problem_instance> search::load(backends::backend& device, const graph::csr_graph& graph,
                                                      const std::string& graph_name) const {
  return std::make_unique<search_instance>(device, kind_ == search_kind::bfs ? graph::with_unit_weights(graph) : graph,
                                           graph_name, kind_, limits_);
}

}  // namespace mlmq::problems
