// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/path_finding.hpp"

#include <array>
#include <map>
#include <memory>
#include <utility>

#include "backends/kernel_sources.hpp"
#include "backends/registry.hpp"
#include "problems/astar/answer_check.hpp"
#include "problems/astar/cpu_solver.hpp"
#include "problems/astar/grid_workload.hpp"
#include "problems/astar/kernel_solver.hpp"
#include "problems/astar/pairs.hpp"
#include "problems/astar/parameters.hpp"
#include "problems/astar/path_instance.hpp"
#include "problems/device_fit.hpp"
#include "tuner/parameter_values.hpp"

namespace mlmq::astar {
namespace {

constexpr std::array counted{
    tuner::named_meaning{"searches", "searches of the query; also recorded with times"},
    tuner::named_meaning{"expansions", "expansions of cells, which may be repeated"},
    tuner::named_meaning{"stale", "items taken from open lists that a shorter path had made outdated"},
    tuner::named_meaning{"inserted", "items written to open lists"},
    tuner::named_meaning{"comparisons", "comparisons of items in open lists"},
    tuner::named_meaning{"batches", "number of times that searches took cells from their open lists"},
    tuner::named_meaning{"largest_open", "number of items in the longest open list"},
    tuner::named_meaning{"longer", "mode paper: share of the paths found that are not the shortest"},
    tuner::named_meaning{"mean_excess", "mode paper: mean of length / shortest - 1 over all paths found"},
    tuner::named_meaning{"largest_excess", "mode paper: the largest length / shortest - 1"}};

class instance final : public path_instance {
 public:
  instance(backends::backend& device, const grid_workload& workload)
      : device_(device),
        workload_(workload),
        solver_(device.info().grid ? make_kernel_solver(device, workload_.map)
                                   : make_cpu_solver(device, workload_.map)) {}
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  ~instance() override = default;

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation mode) const override {
    if (mode == tuner::instrumentation::timeline) throw backends::launch_error("astar records no timeline");
    const std::string solver = solver_of(chosen);
    problems::require_device(solver, is_kernel(solver), device_.info());
    if (!is_kernel(solver)) return cpu_variant(solver);
    return kernel_variant(workload_.map, chosen, mode == tuner::instrumentation::counters);
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    solver_->prepare(chosen, std::move(compiled), mode);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& query, double time_limit_ms) override {
    auto entry = references_.find(query);
    if (entry == references_.end()) entry = references_.emplace(query, reference{searches_of(workload_, query)}).first;
    right_ = &entry->second;
    solver_->upload_searches(right_->searches.pairs, false);
    return run_uploaded(time_limit_ms);
  }

  void upload_searches(std::vector<cell_pair> pairs, bool with_paths) override {
    answered_ = false;
    unnamed_ = {.searches = {.pairs = std::move(pairs), .printed = {}}};
    right_ = &unnamed_;
    solver_->upload_searches(right_->searches.pairs, with_paths);
  }

  [[nodiscard]] tuner::run_report run_uploaded(double time_limit_ms) override {
    answered_ = false;
    tuner::run_report report = solver_->run(time_limit_ms);
    answered_ = report.result == db::outcome::ok;
    report.counters.emplace_back("searches", static_cast<double>(right_->searches.pairs.size()));
    if (answered_ && counts_) add_excess(report);
    return report;
  }

  [[nodiscard]] std::span<const cell_pair> searches() const override { return right_->searches.pairs; }
  [[nodiscard]] search_answers answers() override { return solver_->answers(); }

  [[nodiscard]] std::string check() override {
    if (!answered_) return "there is no answer to check";
    right_->compute(workload_.map);
    const search_answers result = solver_->answers();
    return find_error(workload_.map, *right_,
                      {.lengths = result.lengths,
                       .path_begins = result.path_begins,
                       .paths = result.paths,
                       .shortest = result.shortest});
  }

 private:
  void add_excess(tuner::run_report& report) {
    const search_answers result = solver_->answers();
    if (result.shortest) return;
    right_->compute(workload_.map);
    const excess more = excess_of(*right_, result.lengths);
    report.counters.emplace_back("longer", more.longer);
    report.counters.emplace_back("mean_excess", more.mean);
    report.counters.emplace_back("largest_excess", more.largest);
  }

  backends::backend& device_;
  const grid_workload workload_;
  std::unique_ptr<solver> solver_;
  std::map<tuner::query, reference> references_;
  reference unnamed_;
  reference* right_ = nullptr;
  bool counts_ = false;
  bool answered_ = false;
};

}  // namespace

const tuner::workload_kind& path_finding::workloads() const { return grid_kind(); }
std::span<const tuner::parameter_declaration> path_finding::declarations() const { return declared_parameters(); }
std::span<const tuner::named_meaning> path_finding::query_settings() const { return pair_settings(); }
std::span<const tuner::named_meaning> path_finding::counters() const { return counted; }
std::uint64_t path_finding::count_queries(const tuner::query_rules& rules) const { return astar::count_queries(rules); }

std::vector<tuner::query> path_finding::choose_queries(const tuner::workload& workload,
                                                       const tuner::query_rules& rules) const {
  return queries_of(grid_of(workload), rules);
}

std::string path_finding::unfit_reason(const tuner::configuration& chosen, const backends::device_info& device) const {
  try {
    const std::string solver = solver_of(chosen);
    problems::require_device(solver, is_kernel(solver), device);
    if (!device.grid) return "";
    return backends::unfit_block_reason(tuner::parameter_values(declarations(), chosen).whole("threads"), device);
  } catch (const backends::launch_error& error) {
    return error.what();
  }
}

std::string path_finding::source_hash(const tuner::configuration& chosen) const {
  if (!is_kernel(solver_of(chosen))) {
    static const std::string searches = backends::code_identity(backends::kernel_folder(), cpu_source_hash());
    return searches;
  }
  static const std::string hash = [] {
    const std::string folder = backends::kernel_folder();
    return backends::code_identity(folder, backends::kernel_sources::load(folder, kernel_file).code_hash());
  }();
  return hash;
}

std::unique_ptr<tuner::problem_instance> path_finding::load(backends::backend& device,
                                                            const tuner::workload& workload) const {
  return std::make_unique<instance>(device, grid_of(workload));
}

}  // namespace mlmq::astar
