// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/batch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "backends/kernel_sources.hpp"
#include "graph/check.hpp"
#include "graph/reduced_graph.hpp"
#include "problems/device_fit.hpp"
#include "problems/graphs/ell_rows.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/multi_source/batch_check.hpp"
#include "problems/multi_source/built_hierarchy.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "problems/multi_source/packed_rows.hpp"
#include "problems/multi_source/placed_graph.hpp"
#include "problems/multi_source/queries.hpp"
#include "problems/team_run.hpp"

namespace mlmq::multi_source {
namespace {

using problems::search_kind;

constexpr std::array counted{
    tuner::named_meaning{"searches", "searches of the query; also recorded with times"},
    tuner::named_meaning{"pops", "vertices expanded, including outdated ones; in a group, once for all its searches"},
    tuner::named_meaning{"stale_pops", "of these: outdated by a shorter distance"},
    tuner::named_meaning{"resplits", "elements of far piles examined when a threshold rose"},
    tuner::named_meaning{"relaxations", "edges examined; in a group, once for all its searches"},
    tuner::named_meaning{"updates", "distances made shorter"},
    tuner::named_meaning{"distance_atomics", "atomic operations on distances"},
    tuner::named_meaning{"queue_atomics", "atomic operations on frontiers in global memory"},
    tuner::named_meaning{"supersteps", "rounds of all searches or groups"},
    tuner::named_meaning{"bucket_switches", "how often thresholds rose"}};

class instance final : public search_instance {
 public:
  instance(backends::backend& device, const graph::csr_graph& graph, std::string name, search_kind kind,
           problems::ring_limits limits, problems::row_store* store,
           std::shared_ptr<graph::lazily_reduced_graphs> reductions)
      : graph_(graph),
        name_(std::move(name)),
        on_device_(device, graph_, name_, kind == search_kind::bfs, store),
        ell_rows_(std::in_place, device, graph_, kind == search_kind::bfs, *on_device_.rows),
        packed_rows_(std::in_place, device, graph_),
        placed_(std::in_place, device, graph_, name_, kind == search_kind::bfs),
        hierarchy_(graph_),
        reductions_(reductions == nullptr ? std::make_shared<graph::lazily_reduced_graphs>() : std::move(reductions)),
        input_{.device = device,
               .graph = graph_,
               .on_device = on_device_,
               .ell_rows = *ell_rows_,
               .packed_rows = *packed_rows_,
               .placed = *placed_,
               .hierarchy = hierarchy_,
               .reductions = *reductions_,
               .average_weight = on_device_.rows->average_weight,
               .kind = kind,
               .limits = limits} {}
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  ~instance() override = default;

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation mode) const override {
    if (mode == tuner::instrumentation::timeline)
      throw backends::launch_error("multi-source searches record no timeline");
    const std::string name = solver_of(chosen);
    const solver_traits& traits = solver_named(name);
    problems::require_device(name, traits.on_grid, input_.device.info());
    if (!traits.on_grid) return problems::team_variant(name, traits.source_hash());
    return kernel_variant(chosen, input_.kind, graph_.weights(), mode == tuner::instrumentation::counters,
                          traits.has_hierarchy && hierarchy_.has_long_paths());
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    // Solvers of earlier configurations remain, because their distances may still be in use.
    const solver_traits& traits = solver_named(solver_of(chosen));
    const solver_maker make = traits.make;
    if (are_rows_old_ && !traits.has_hierarchy) upload_rows();
    auto entry = solvers_.find(make);
    // Made first: a solver that cannot be made leaves no entry.
    if (entry == solvers_.end()) entry = solvers_.emplace(make, make(input_)).first;
    solver_ = entry->second.get();
    solver_->prepare(chosen, std::move(compiled), mode);
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& query, double time_limit_ms) override {
    auto entry = states_.find(query);
    if (entry == states_.end()) {
      search_set set = searches_of(graph_, name_, input_.average_weight, query);
      right_answers right = find_right_answers(graph_, input_.kind, set);
      entry = states_.emplace(query, query_state{.searches = std::move(set), .right = std::move(right)}).first;
    }
    current_ = &entry->second;
    const search_set& set = current_->searches;
    tuner::run_report report =
        search({.sources = set.sources, .targets = set.targets, .cutoff = set.cutoff}, time_limit_ms);
    report.counters.emplace_back("searches", static_cast<double>(set.sources.size()));
    return report;
  }

  [[nodiscard]] tuner::run_report search(const search_request& request, double time_limit_ms) override {
    if (!request.readers.empty() && (request.keep || !request.targets.empty()))
      throw std::logic_error("distances that are read cannot be kept, and have no targets");
    for (distance_reader* const reader : request.readers) reader->begin(request.sources.size());
    tuner::run_report report = solver_->run(request, time_limit_ms);
    answered_ = report.result == db::outcome::ok;
    return report;
  }

  void update_weights(const graph::csr_graph& graph,
                      std::shared_ptr<const problems::resident_weights> on_device) override {
    if (input_.kind == search_kind::bfs) return;
    graph_ = graph;
    reductions_->forget_weights();
    states_.clear();
    current_ = nullptr;
    answered_ = false;
    solver_ = nullptr;
    are_rows_old_ = true;
    weights_on_device_ = std::move(on_device);
    input_.weights_on_device = weights_on_device_.get();
    if (weights_on_device_ != nullptr) {
      input_.average_weight = weights_on_device_->average;
      hierarchy_.forget_weights(weights_on_device_->heaviest_bits);
    } else {
      input_.average_weight = problems::average_weight(graph_);
      hierarchy_.forget_weights();
    }
    // After an exception, no solver with former weights remains.
    std::map<solver_maker, std::unique_ptr<solver>> former = std::exchange(solvers_, {});
    for (auto& [make, prepared] : former) {
      if (prepared->adopt_weights()) solvers_.emplace(make, std::move(prepared));
    }
  }

  [[nodiscard]] solver& active_solver() override { return *solver_; }
  [[nodiscard]] const problems::resident_graph& on_device() const override { return on_device_; }

  [[nodiscard]] std::string check() override {
    if (!answered_ || current_ == nullptr) return "there is no answer to check";
    const bool has_targets = !current_->searches.targets.empty();
    return find_error(graph_, current_->searches, current_->right,
                      has_targets ? std::vector<multi_source_answer>() : solver_->answers(),
                      has_targets ? target_distances_of(*solver_, graph_) : target_distance_array());
  }

  [[nodiscard]] std::string beyond_range() override {
    if (graph_.weights() != graph::weight_type::uint32) return "";
    const auto saturated = [](const multi_source_answer& answer) {
      return answer.farthest == graph::saturated_distance;
    };
    const bool beyond =
        std::ranges::any_of(current_->right.answers, saturated) ||
        graph::has_saturated(graph_.weights(),
                             std::get<std::vector<graph::distance_bits>>(current_->right.target_distances));
    return beyond ? name_ + ": " + graph::saturated_message(graph_.weights()) : "";
  }

 private:
  using solver_maker = std::unique_ptr<solver> (*)(const solver_input&);

  /// Replaces the rows by those with the graph's weights.
  void upload_rows() {
    backends::backend& device = input_.device;
    const bool has_unit_weights = input_.kind == search_kind::bfs;
    ell_rows_.reset();
    on_device_ = problems::resident_graph(device, graph_, name_, has_unit_weights);
    ell_rows_.emplace(device, graph_, has_unit_weights, *on_device_.rows);
    packed_rows_.emplace(device, graph_);
    placed_.emplace(device, graph_, name_, has_unit_weights);
    are_rows_old_ = false;
  }

  struct query_state {
    search_set searches;
    right_answers right;
  };

  graph::csr_graph graph_;
  std::string name_;
  problems::resident_graph on_device_;
  // Made again in place for new weights, since solver_input refers to them.
  std::optional<problems::resident_ell> ell_rows_;
  std::optional<resident_packed_rows> packed_rows_;
  std::optional<lazily_placed_graph> placed_;
  std::shared_ptr<const problems::resident_weights> weights_on_device_;
  bool are_rows_old_ = false;                 // whether the rows on the device have former weights
  mutable lazily_built_hierarchy hierarchy_;  // finds out about long paths on first use
  std::shared_ptr<graph::lazily_reduced_graphs> reductions_;
  solver_input input_;
  std::map<solver_maker, std::unique_ptr<solver>> solvers_;
  solver* solver_ = nullptr;
  std::map<tuner::query, query_state> states_;
  const query_state* current_ = nullptr;
  bool answered_ = false;
};

}  // namespace

search_problem::search_problem(search_kind kind, problems::ring_limits limits)
    : multi_source_problem(kind, {.name = "batch",
                                  .parameters = declared_parameters(),
                                  .query_settings = declared_settings(),
                                  .counters = counted}),
      limits_(limits) {}

std::string search_problem::code_hash(const std::string& solver) const {
  const solver_traits& traits = solver_named(solver);
  if (!traits.on_grid) return traits.source_hash();
  return backends::kernel_sources::load(backends::kernel_folder(), kernel_file(traits)).code_hash();
}

std::unique_ptr<tuner::problem_instance> search_problem::load(backends::backend& device,
                                                              const tuner::workload& workload) const {
  return load_graph(device, problems::graph_of(workload), workload.record.name, problems::rows_of(workload),
                    dynamic_cast<const problems::graph_workload&>(workload).reductions);
}

std::unique_ptr<search_instance> search_problem::load_graph(
    backends::backend& device, const graph::csr_graph& graph, const std::string& name, problems::row_store* store,
    std::shared_ptr<graph::lazily_reduced_graphs> reductions) const {
  return std::make_unique<instance>(device, kind() == search_kind::bfs ? graph::with_unit_weights(graph) : graph, name,
                                    kind(), limits_, store, std::move(reductions));
}

}  // namespace mlmq::multi_source
