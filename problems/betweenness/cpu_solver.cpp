// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <utility>

#include "backends/cpu/searches/thread_team.hpp"
#include "base/error.hpp"
#include "problems/betweenness/sequential_betweenness.hpp"
#include "problems/betweenness/solver.hpp"
#include "problems/multi_source/processor_work.hpp"
#include "problems/team_run.hpp"

namespace mlmq::betweenness {
namespace {

class cpu_solver final : public solver {
 public:
  explicit cpu_solver(const betweenness_input& input) : input_(input), runs_(input.device) {}

  void prepare(const tuner::configuration&, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(const betweenness_request& request, double time_limit_ms) override {
    run_state state;
    const cpu::work_counts before = multi_source::work_of(workers_);
    tuner::run_report report = runs_.run(*kernel_, time_limit_ms, [&](cpu::thread_team& team, cpu::stop_signal& stop) {
      run_all(team, request, stop, state);
    });
    if (state.faulty != no_fault) {
      const std::size_t first = state.faulty;
      throw input_error(message_of(state.fault, input_.graph, input_.name, request.sources[first]));
    }
    if (counts_) multi_source::report_work(before, multi_source::work_of(workers_), report);
    return report;
  }

  [[nodiscard]] std::vector<fixed_score> scores() override { return scores_; }

 private:
  static constexpr std::size_t no_fault = ~std::size_t{0};

  struct run_state {
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> faulty = no_fault;  ///< index of a source
    path_fault fault = path_fault::none;         ///< written by the thread that set `faulty`
  };

  void run_all(cpu::thread_team& team, const betweenness_request& request, cpu::stop_signal& stop, run_state& state) {
    const cpu::search_graph graph = multi_source::view_of(input_.graph, input_.searches.on_device(), input_.kind);
    while (workers_.size() < team.size()) workers_.emplace_back(graph);
    team.run([&](unsigned rank) { work_through(workers_[rank], request, stop, state); });
    scores_.assign(input_.graph.vertex_count(), {.whole = 0, .fine = 0});
    team.run([&](unsigned rank) {
      const auto [first, last] = team.slice_of(rank, scores_.size(), sizeof(fixed_score));
      for (const sequential_betweenness& worker : workers_) {
        for (std::size_t v = first; v < last; ++v) {
          scores_[v].whole += worker.scores()[v].whole;
          scores_[v].fine += worker.scores()[v].fine;
        }
      }
    });
  }

  void work_through(sequential_betweenness& worker, const betweenness_request& request, cpu::stop_signal& stop,
                    run_state& state) {
    worker.clear();
    const auto is_over = [&stop] { return stop.poll(); };
    for (std::size_t i = state.next++; i < request.sources.size() && !is_over(); i = state.next++) {
      path_fault fault = path_fault::none;
      if (!worker.add(request.sources[i], request.endpoints, request.units, is_over, fault)) return;
      if (fault == path_fault::none) continue;
      std::size_t none = no_fault;
      if (state.faulty.compare_exchange_strong(none, i)) state.fault = fault;
      stop.stop();
      return;
    }
  }

  const betweenness_input& input_;
  problems::abortable_runs runs_;
  std::shared_ptr<const backends::kernel> kernel_;
  std::vector<sequential_betweenness> workers_;  // one per thread
  std::vector<fixed_score> scores_;
  bool counts_ = false;
};

}  // namespace

backends::kernel_source cpu_variant(const std::string& solver) {
  return problems::team_variant(solver, cpu_source_hash());
}

std::string cpu_source_hash() { return MLMQ_BETWEENNESS_SOURCE_HASH; }

std::unique_ptr<solver> make_cpu_solver(const betweenness_input& input) { return std::make_unique<cpu_solver>(input); }

}  // namespace mlmq::betweenness
