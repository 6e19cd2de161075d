// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/cpu_solver.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>

#include "backends/cpu/searches/thread_team.hpp"
#include "problems/astar/parameters.hpp"
#include "problems/astar/path_trace.hpp"
#include "problems/team_run.hpp"

namespace mlmq::astar {
namespace {

constexpr std::string_view prefix = "cpu_";

class cpu_solver final : public solver {
 public:
  cpu_solver(backends::backend& device, const grid& map) : map_(map), runs_(device) {}

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
    const std::string name = searcher_of(solver_of(chosen));
    if (name == name_) return;
    name_ = name;
    searchers_.clear();
  }

  void upload_searches(const search_list& list) override {
    if (list.concurrent != 0) throw backends::launch_error("on processors, each thread has one search at a time");
    pairs_ = list.pairs;
    with_paths_ = list.with_paths;
  }

  [[nodiscard]] tuner::run_report run(double time_limit_ms) override {
    run_state state;
    lengths_.assign(pairs_.size(), no_length);
    places_.assign(with_paths_ ? pairs_.size() : 0, {});
    const search_work before = work();
    tuner::run_report report = runs_.run(
        *kernel_, time_limit_ms, [&](cpu::thread_team& team, cpu::stop_signal& stop) { run_all(team, stop, state); });
    if (counts_) report_work(before, report);
    if (state.too_long && report.result == db::outcome::ok) {
      report.result = db::outcome::overflow;
      report.message = "a path is longer than 53166 straight steps, so its length does not fit in 32 bits";
    }
    return report;
  }

  [[nodiscard]] search_answers answers() override {
    search_answers result{
        .lengths = lengths_, .path_begins = {}, .paths = {}, .has_paths = with_paths_, .shortest = true};
    std::vector<std::size_t> begins_of_threads;
    for (const auto& thread_paths : paths_) {
      begins_of_threads.push_back(result.paths.size());
      if (with_paths_) result.paths.insert(result.paths.end(), thread_paths.begin(), thread_paths.end());
    }
    for (const place& path_place : places_)
      result.path_begins.push_back(begins_of_threads[path_place.thread] + path_place.begin);
    return result;
  }

 private:
  /// The begin of a path in the output of a thread.
  struct place {
    unsigned thread = 0;
    std::size_t begin = 0;
  };

  struct run_state {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> too_long = false;
  };

  void run_all(cpu::thread_team& team, cpu::stop_signal& stop, run_state& state) {
    searchers_.resize(std::max<std::size_t>(searchers_.size(), team.size()));
    paths_.resize(searchers_.size());
    for (auto& written : paths_) written.clear();
    team.run([&](unsigned rank) {
      auto& searcher = searchers_[rank];
      if (searcher == nullptr) searcher = make_searcher(name_, map_);
      for (std::size_t i = state.next++; i < pairs_.size() && !stop.poll(); i = state.next++) {
        const units length = searcher->run(pairs_[i]);
        if (length == unreachable) continue;
        if (length >= no_length) state.too_long = true;
        lengths_[i] = static_cast<std::uint32_t>(std::min<units>(length, no_length));
        if (!with_paths_ || length >= no_length) continue;
        places_[i] = {.thread = rank, .begin = paths_[rank].size()};
        append_path(map_, *searcher, pairs_[i], paths_[rank]);
      }
    });
  }

  [[nodiscard]] search_work work() const {
    search_work sum;
    for (const auto& searcher : searchers_) {
      if (searcher == nullptr) continue;
      sum.expansions += searcher->work().expansions;
      sum.stale += searcher->work().stale;
      sum.inserted += searcher->work().inserted;
    }
    return sum;
  }

  void report_work(const search_work& before, tuner::run_report& report) const {
    const search_work after = work();
    report.counters.emplace_back("expansions", static_cast<double>(after.expansions - before.expansions));
    report.counters.emplace_back("stale", static_cast<double>(after.stale - before.stale));
    report.counters.emplace_back("inserted", static_cast<double>(after.inserted - before.inserted));
  }

  const grid& map_;
  problems::abortable_runs runs_;
  std::shared_ptr<const backends::kernel> kernel_;
  std::string name_;
  std::vector<std::unique_ptr<path_searcher>> searchers_;  // one per thread
  std::span<const cell_pair> pairs_;
  std::vector<std::uint32_t> lengths_;
  std::vector<place> places_;                     // one per search, if paths are requested
  std::vector<std::vector<std::uint8_t>> paths_;  // one per thread
  bool with_paths_ = false;
  bool counts_ = false;
};

}  // namespace

std::string searcher_of(const std::string& solver) {
  return solver.starts_with(prefix) ? solver.substr(prefix.size()) : "";
}

backends::kernel_source cpu_variant(const std::string& solver) {
  return problems::team_variant(solver, cpu_source_hash());
}

std::string cpu_source_hash() { return MLMQ_ASTAR_SOURCE_HASH; }

std::unique_ptr<solver> make_cpu_solver(backends::backend& device, const grid& map) {
  return std::make_unique<cpu_solver>(device, map);
}

}  // namespace mlmq::astar
