// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/cpu_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "backends/cpu/cpu_backend.hpp"
#include "base/time_limit.hpp"

namespace mlmq::phold {
namespace {

trace simulate(const std::string& name, cpu::thread_team& team, const model_settings& settings, std::uint64_t end,
               const run_limits& limits) {
  if (name == "cpu_heap") return simulate_one_heap(settings, end, limits);
  if (name == "cpu_heaps") return simulate_heaps(settings, end, limits);
  return simulate_calendar(team, settings, end, limits);
}

class cpu_solver final : public solver {
 public:
  cpu_solver(std::string name, const solver_input& input)
      : name_(std::move(name)),
        input_(input),
        abort_word_(input.device.allocate(sizeof(std::uint32_t), "the abort word")) {}
  cpu_solver(const cpu_solver&) = delete;
  cpu_solver& operator=(const cpu_solver&) = delete;
  ~cpu_solver() override { input_.device.set_watchdog({}); }

  void prepare(const tuner::configuration& /*chosen*/, std::shared_ptr<const backends::kernel> compiled,
               tuner::instrumentation mode) override {
    kernel_ = std::move(compiled);
    counts_ = mode == tuner::instrumentation::counters;
  }

  [[nodiscard]] tuner::run_report run(std::uint64_t end, double time_limit_ms, trace& executed) override {
    backends::backend& device = input_.device;
    device.poke(abort_word_, 0, 0);
    device.set_watchdog({.limit_ms = 2 * time_limit_ms + 1000, .grace_ms = 2000, .fire = [this] {
                           input_.device.poke(abort_word_, 0, 1);
                         }});
    using clock = std::chrono::steady_clock;
    const auto limit = time_limit_from_ms(time_limit_ms);
    const backends::team_work work = [&](cpu::thread_team& team) {
      executed = simulate(name_, team, input_.settings, end,
                          {.abort_word = abort_word_.as<std::uint32_t>(), .deadline = clock::now() + limit});
    };
    tuner::run_report report;
    report.milliseconds = device.measure([&] {
      device.launch(*kernel_, {.grid_blocks = 1, .shared_bytes = 0, .arguments = &work, .argument_bytes = sizeof work});
    });
    report.counters.emplace_back("events", static_cast<double>(executed.events));
    if (counts_) report.counters.emplace_back("windows", static_cast<double>(executed.windows));
    if (!executed.finished) {
      report.result = db::outcome::timeout;
      report.message = fmt::format("not finished after {:.4g} ms", time_limit_ms);
    }
    return report;
  }

 private:
  std::string name_;
  const solver_input& input_;
  backends::device_memory abort_word_;
  std::shared_ptr<const backends::kernel> kernel_;
  bool counts_ = false;
};

}  // namespace

std::unique_ptr<solver> make_cpu_solver(const std::string& name, const solver_input& input) {
  return std::make_unique<cpu_solver>(name, input);
}

backends::kernel_source cpu_solver_variant(const std::string& name) {
  return {.file = backends::team_work_file,
          .entry = name,
          .block_threads = 1,
          .defines = {{"SOURCES", MLMQ_PHOLD_SOURCE_HASH}}};
}

}  // namespace mlmq::phold
