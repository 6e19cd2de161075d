// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/path_finding.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
    tuner::named_meaning{"concurrent", "searches at a time, if the query says it; also recorded with times"},
    tuner::named_meaning{
        "finished_by_all",
        "solvers phases, parallel_heap: searches that finished while as many as that ran; also recorded with times"},
    tuner::named_meaning{
        "ms_of_all", "solvers phases, parallel_heap: time during which as many as that ran; also recorded with times"},
    tuner::named_meaning{"expansions", "expansions of cells, which may be repeated"},
    tuner::named_meaning{"stale", "items taken from open lists that a shorter path had made outdated"},
    tuner::named_meaning{"inserted", "items written to open lists"},
    tuner::named_meaning{"comparisons", "comparisons of items in open lists"},
    tuner::named_meaning{"batches", "number of times that searches took cells from their open lists"},
    tuner::named_meaning{"largest_open", "number of items in the longest open list"},
    tuner::named_meaning{"open_at_batches", "mode paper: length of the open list, summed over batches"},
    tuner::named_meaning{"open_at_insertions", "mode paper: length of the open list, summed over insertions"},
    tuner::named_meaning{"longer", "mode paper: share of the paths found that are not the shortest"},
    tuner::named_meaning{"mean_excess", "mode paper: mean of length / shortest - 1 over all paths found"},
    tuner::named_meaning{"largest_excess", "mode paper: the largest length / shortest - 1"}};

constexpr std::size_t most_recorded_searches = 64;

class instance final : public path_instance {
 public:
  instance(backends::backend& device, const grid_workload& workload) : device_(device), workload_(workload) {}
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  ~instance() override = default;

  [[nodiscard]] backends::kernel_source variant(const tuner::configuration& chosen,
                                                tuner::instrumentation mode) const override {
    const std::string solver = solver_of(chosen);
    problems::require_device(solver, is_kernel(solver), device_.info());
    if (solver == "warp") return warp_variant(workload_.map, chosen, mode);
    if (is_kernel(solver)) return slot_variant(workload_.map, chosen, mode);
    if (mode == tuner::instrumentation::timeline) throw backends::launch_error("only kernels record a timeline");
    return cpu_variant(solver);
  }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    const std::string name = solver_of(chosen);
    if (solver_ == nullptr || (name != solver_name_ && is_kernel(name))) {
      solver_.reset();  // before the next one needs memory
      solver_ = !is_kernel(name)        ? make_cpu_solver(device_, workload_.map)
                : name == phases_solver ? make_phases_solver(device_, workload_.map)
                : name == heap_solver   ? make_heap_solver(device_, workload_.map)
                                        : make_warp_solver(device_, workload_.map);
    }
    solver_name_ = name;
    solver_->prepare(chosen, std::move(compiled), mode);
    mode_ = mode;
  }

  [[nodiscard]] tuner::run_report run(const tuner::query& query, double time_limit_ms) override {
    auto entry = references_.find(query);
    if (entry == references_.end()) entry = references_.emplace(query, reference{searches_of(workload_, query)}).first;
    right_ = &entry->second;
    if (mode_ == tuner::instrumentation::timeline && right_->searches.pairs.size() > most_recorded_searches) {
      throw backends::launch_error(fmt::format("a timeline records at most {} searches", most_recorded_searches));
    }
    solver_->upload_searches({.pairs = right_->searches.pairs, .concurrent = right_->searches.concurrent});
    tuner::run_report report = run_uploaded(time_limit_ms);
    if (mode_ == tuner::instrumentation::timeline) add_map(report.timeline);
    return report;
  }

  void upload_searches(std::vector<cell_pair> pairs, bool with_paths) override {
    answered_ = false;
    unnamed_ = {.searches = {.pairs = std::move(pairs), .printed = {}}};
    right_ = &unnamed_;
    solver_->upload_searches({.pairs = right_->searches.pairs, .with_paths = with_paths});
  }

  [[nodiscard]] tuner::run_report run_uploaded(double time_limit_ms) override {
    answered_ = false;
    tuner::run_report report = solver_->run(time_limit_ms);
    answered_ = report.result == db::outcome::ok;
    report.counters.emplace_back("searches", static_cast<double>(right_->searches.pairs.size()));
    if (right_->searches.concurrent != 0)
      report.counters.emplace_back("concurrent", static_cast<double>(right_->searches.concurrent));
    if (answered_ && mode_ == tuner::instrumentation::counters) add_excess(report);
    return report;
  }

  [[nodiscard]] std::span<const cell_pair> searches() const override { return right_->searches.pairs; }
  [[nodiscard]] search_answers answers() override { return solver_->answers(); }

  [[nodiscard]] std::string check() override {
    if (!answered_) return "there is no answer to check";
    right_->compute(workload_.map, solver_name_);
    const search_answers result = solver_->answers();
    return find_error(workload_.map, *right_,
                      {.lengths = result.lengths,
                       .path_begins = result.path_begins,
                       .paths = result.paths,
                       .shortest = result.shortest});
  }

 private:
  /// Adds the blocked cells of the map, and the cells of each path if the configuration writes paths.
  void add_map(std::vector<db::timeline_point>& points) {
    const grid& map = workload_.map;
    const auto place = [&](std::uint32_t cell) {
      return static_cast<double>(map.row(cell) * map.width() + map.column(cell));
    };
    for (std::uint32_t row = 0; row < map.height(); ++row) {
      for (std::uint32_t column = 0; column < map.width(); ++column) {
        const std::uint32_t cell = map.cell(column, row);
        if (!map.is_free(cell)) points.push_back({.name = "blocked", .value = place(cell)});
      }
    }
    const search_answers answers = solver_->answers();
    if (!answered_ || !answers.has_paths) return;
    for (std::size_t search = 0; search < right_->searches.pairs.size(); ++search) {
      if (answers.lengths[search] == no_length) continue;
      const std::string name = fmt::format("path {}", search);
      std::uint32_t cell = right_->searches.pairs[search].start;
      points.push_back({.name = name, .value = place(cell)});
      for (std::uint64_t step = answers.path_begins[search]; cell != right_->searches.pairs[search].goal; ++step) {
        cell = map.after_step(cell, answers.paths[step]);
        points.push_back({.name = name, .value = place(cell)});
      }
    }
  }

  void add_excess(tuner::run_report& report) {
    const search_answers result = solver_->answers();
    if (result.shortest) return;
    right_->compute(workload_.map, solver_name_);
    const excess more = excess_of(*right_, result.lengths);
    report.counters.emplace_back("longer", more.longer);
    report.counters.emplace_back("mean_excess", more.mean);
    report.counters.emplace_back("largest_excess", more.largest);
  }

  backends::backend& device_;
  const grid_workload workload_;
  std::unique_ptr<solver> solver_;
  std::string solver_name_;  ///< that of the prepared configuration
  std::map<tuner::query, reference> references_;
  reference unnamed_;
  reference* right_ = nullptr;
  tuner::instrumentation mode_ = tuner::instrumentation::none;
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
  if (!is_kernel(solver_of(chosen))) return cpu_source_hash();
  const auto hash_of = [](const char* file) {
    return backends::kernel_sources::load(backends::kernel_folder(), file).code_hash();
  };
  static const std::string of_warps = hash_of(warp_kernel_file);
  static const std::string of_phases = hash_of(phases_kernel_file);
  static const std::string of_heap = hash_of(heap_kernel_file);
  const std::string solver = solver_of(chosen);
  return solver == phases_solver ? of_phases : solver == heap_solver ? of_heap : of_warps;
}

std::unique_ptr<tuner::problem_instance> path_finding::load(backends::backend& device,
                                                            const tuner::workload& workload) const {
  return std::make_unique<instance>(device, grid_of(workload));
}

}  // namespace mlmq::astar
