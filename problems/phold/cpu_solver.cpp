// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/solver.hpp"

#include <algorithm>
#include <utility>

#include "problems/team_run.hpp"

namespace mlmq::phold {
namespace {

trace simulate(const std::string& name, cpu::thread_team& team, const model_settings& settings, std::uint64_t end,
               cpu::stop_signal& stop) {
  if (name == "cpu_heap") return simulate_one_heap(settings, end, stop);
  if (name == "cpu_heaps") return simulate_heaps(settings, end, stop);
  return simulate_calendar(team, settings, end, stop);
}

class cpu_solver final : public solver {
 public:
  cpu_solver(std::string name, const solver_input& input)
      : name_(std::move(name)), input_(input), runs_(input.device) {}

  void prepare(const tuner::configuration& /*chosen*/, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(std::uint64_t end, double time_limit_ms, trace& executed) override {
    tuner::run_report report = runs_.run(*kernel_, time_limit_ms, [&](cpu::thread_team& team, cpu::stop_signal& stop) {
      executed = simulate(name_, team, input_.settings, end, stop);
    });
    report.counters.emplace_back("events", static_cast<double>(executed.events));
    if (counts_) report.counters.emplace_back("windows", static_cast<double>(executed.windows));
    return report;
  }

 private:
  std::string name_;
  const solver_input& input_;
  problems::abortable_runs runs_;
  std::shared_ptr<const backends::kernel> kernel_;
  bool counts_ = false;
};

}  // namespace

std::unique_ptr<solver> make_cpu_solver(const std::string& name, const solver_input& input) {
  return std::make_unique<cpu_solver>(name, input);
}

backends::kernel_source cpu_solver_variant(const std::string& name) {
  return problems::team_variant(name, MLMQ_PHOLD_SOURCE_HASH);
}

}  // namespace mlmq::phold
