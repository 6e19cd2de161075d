// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/cpu_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string_view>
#include <utility>

#include "backends/cpu/cpu_backend.hpp"
#include "backends/cpu/searches/thread_team.hpp"
#include "base/time_limit.hpp"
#include "problems/astar/parameters.hpp"
#include "problems/astar/path_trace.hpp"

namespace mlmq::astar {
namespace {

constexpr std::string_view prefix = "cpu_";

using clock = std::chrono::steady_clock;

class cpu_solver final : public solver {
 public:
  cpu_solver(backends::backend& device, const grid& map)
      : device_(device), map_(map), abort_word_(device.allocate(sizeof(std::uint32_t), "the abort word")) {}
  cpu_solver(const cpu_solver&) = delete;
  cpu_solver& operator=(const cpu_solver&) = delete;
  /// Stops the watchdog, which writes to the object's memory.
  ~cpu_solver() override { device_.set_watchdog({}); }

  void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
    const std::string name = searcher_of(solver_of(chosen));
    if (name == name_) return;
    name_ = name;
    searchers_.clear();
  }

  void upload_searches(std::span<const cell_pair> pairs, bool with_paths) override {
    pairs_ = pairs;
    with_paths_ = with_paths;
  }

  [[nodiscard]] tuner::run_report run(double time_limit_ms) override {
    device_.poke(abort_word_, 0, 0);
    device_.set_watchdog(
        {.limit_ms = 2 * time_limit_ms + 1000, .grace_ms = 2000, .fire = [this] { device_.poke(abort_word_, 0, 1); }});
    run_state state{.until = clock::now() + time_limit_from_ms(time_limit_ms)};
    lengths_.assign(pairs_.size(), no_length);
    places_.assign(with_paths_ ? pairs_.size() : 0, {});
    const search_work before = work();
    const backends::team_work work_of_team = [&](cpu::thread_team& team) { run_all(team, state); };
    tuner::run_report report;
    report.milliseconds = device_.measure([&] {
      device_.launch(
          *kernel_,
          {.grid_blocks = 1, .shared_bytes = 0, .arguments = &work_of_team, .argument_bytes = sizeof work_of_team});
    });
    if (counts_) report_work(before, report);
    if (state.too_long) {
      report.result = db::outcome::overflow;
      report.message = "a path is longer than 53166 straight steps, which is beyond its 32 bits";
    }
    if (state.stopped) {
      report.result = db::outcome::timeout;
      report.message = fmt::format("not finished after {:.4g} ms", time_limit_ms);
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
    clock::time_point until;
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stopped = false;
    std::atomic<bool> too_long = false;
  };

  void run_all(cpu::thread_team& team, run_state& state) {
    searchers_.resize(std::max<std::size_t>(searchers_.size(), team.size()));
    paths_.resize(searchers_.size());
    for (auto& written : paths_) written.clear();
    team.run([&](unsigned rank) {
      auto& searcher = searchers_[rank];
      if (searcher == nullptr) searcher = make_searcher(name_, map_);
      std::atomic_ref<std::uint32_t> abort(*abort_word_.as<std::uint32_t>());
      for (std::size_t i = state.next++; i < pairs_.size(); i = state.next++) {
        if (abort.load(std::memory_order_relaxed) != 0 || clock::now() > state.until) {
          state.stopped = true;
          return;
        }
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

  backends::backend& device_;
  const grid& map_;
  backends::device_memory abort_word_;
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
  return {.file = backends::team_work_file,
          .entry = solver,
          .block_threads = 1,
          .defines = {{"SOURCES", cpu_source_hash()}},
          .folder = {}};
}

std::string cpu_source_hash() { return MLMQ_ASTAR_SOURCE_HASH; }

std::unique_ptr<solver> make_cpu_solver(backends::backend& device, const grid& map) {
  return std::make_unique<cpu_solver>(device, map);
}

}  // namespace mlmq::astar
