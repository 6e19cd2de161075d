// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/betweenness.hpp"

#include <array>
#include <map>
#include <utility>

#include "backends/kernel_sources.hpp"
#include "base/hash.hpp"
#include "problems/betweenness/queries.hpp"
#include "problems/betweenness/reference.hpp"
#include "problems/betweenness/simple_graph.hpp"
#include "problems/device_fit.hpp"
#include "problems/graphs/graph_workload.hpp"

namespace mlmq::betweenness {
namespace {

using problems::search_kind;

constexpr std::array counted{
    tuner::named_meaning{"searches", "sources of the query; also recorded with times"},
    tuner::named_meaning{"pops", "vertices visited, in all passes over them"},
    tuner::named_meaning{"stale_pops", "of these, outdated by a shorter distance; processors only"},
    tuner::named_meaning{"relaxations", "edges examined, in all passes over them"},
    tuner::named_meaning{"updates", "distances made shorter; processors only"},
    tuner::named_meaning{"supersteps", "waves of vertices of all sources"}};

class instance final : public betweenness_instance {
 public:
  instance(backends::backend& device, const graph::csr_graph& graph, std::string name, search_kind kind,
           const multi_source::search_problem& searching)
      : graph_(simple_graph(kind == search_kind::bfs ? graph::with_unit_weights(graph) : graph)),
        name_(std::move(name)),
        searching_(searching),
        searches_(searching_.load_graph(device, graph_, name_)),
        input_{.device = device,
               .graph = graph_,
               .name = name_,
               .searching = searching_,
               .searches = *searches_,
               .kind = kind} {}
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  ~instance() override = default;

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation mode) const override {
    if (mode == tuner::instrumentation::timeline) throw backends::launch_error("betweenness records no timeline");
    if (graph_.weights() == graph::weight_type::float64) {
      throw backends::launch_error(std::string(no_float64));
    }
    const std::string solver = solver_of(chosen);
    problems::require_device(solver, is_kernel(solver), input_.device.info());
    if (!is_kernel(solver)) return cpu_variant(solver);
    return kernel_variant(chosen, input_.kind, graph_.weights(), mode == tuner::instrumentation::counters);
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    if (solver_ == nullptr) solver_ = input_.device.info().grid ? make_kernel_solver(input_) : make_cpu_solver(input_);
    solver_->prepare(chosen, std::move(compiled), mode);
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& query, double time_limit_ms) override {
    current_ = &state_of(query);
    units_ = units_for(graph_.vertex_count(), current_->sources.size());
    tuner::run_report report = add_up({.sources = current_->sources, .units = units_}, time_limit_ms);
    report.counters.emplace_back("searches", static_cast<double>(current_->sources.size()));
    return report;
  }

  [[nodiscard]] tuner::run_report add_up(const betweenness_request& request, double time_limit_ms) override {
    answered_ = false;
    tuner::run_report report = solver_->run(request, time_limit_ms);
    answered_ = report.result == db::outcome::ok;
    return report;
  }

  [[nodiscard]] std::vector<fixed_score> scores() override { return solver_->scores(); }

  [[nodiscard]] std::string check() override {
    if (!answered_ || current_ == nullptr) return "there is no answer to check";
    if (current_->right.empty()) current_->right = reference_scores(graph_, input_.kind, current_->sources, false);
    std::vector<double> values;
    for (const fixed_score& sum : solver_->scores()) values.push_back(value_of(sum, units_));
    return find_error(graph_, values, current_->right);
  }

 private:
  struct query_state {
    std::vector<graph::vertex_id> sources;
    std::vector<double> right;  ///< computed by the first check
  };

  query_state& state_of(const tuner::query& query) {
    auto entry = states_.find(query);
    if (entry == states_.end()) {
      entry = states_.emplace(query, query_state{.sources = sources_of(graph_, name_, query), .right = {}}).first;
    }
    return entry->second;
  }

  graph::csr_graph graph_;
  std::string name_;
  multi_source::search_problem searching_;
  std::unique_ptr<multi_source::search_instance> searches_;
  betweenness_input input_;
  std::unique_ptr<solver> solver_;
  std::map<tuner::query, query_state> states_;
  query_state* current_ = nullptr;
  score_units units_{};
  bool answered_ = false;
};

}  // namespace

betweenness::betweenness(search_kind kind)
    : multi_source_problem(kind, {.name = "betweenness",
                                  .parameters = declared_parameters(),
                                  .query_settings = declared_settings(),
                                  .counters = counted}),
      searching_(kind) {}

std::string betweenness::code_hash(const std::string& solver) const {
  if (!is_kernel(solver)) return cpu_source_hash();
  // The measured time includes the searches.
  content_hash combined;
  for (const std::string& file :
       {std::string(kernel_file), multi_source::kernel_file(multi_source::solver_named("block")),
        multi_source::kernel_file(multi_source::solver_named("group"))}) {
    combined.add(backends::kernel_sources::load(backends::kernel_folder(), file).code_hash());
  }
  return combined.hex();
}

std::unique_ptr<tuner::problem_instance> betweenness::load(backends::backend& device,
                                                           const tuner::workload& workload) const {
  return load_graph(device, problems::graph_of(workload), workload.record.name);
}

std::unique_ptr<betweenness_instance> betweenness::load_graph(backends::backend& device, const graph::csr_graph& graph,
                                                              const std::string& name) const {
  return std::make_unique<instance>(device, graph, name, kind(), searching_);
}

}  // namespace mlmq::betweenness
