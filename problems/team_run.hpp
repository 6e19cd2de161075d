// SPDX-License-Identifier: Apache-2.0
// Runs work on the threads of a device of processors, until its time limit or until the watchdog aborts it.
#pragma once

#include <cstdint>
#include <string>

#include "backends/cpu/cpu_backend.hpp"
#include "backends/cpu/searches/stop_signal.hpp"
#include "base/time_limit.hpp"
#include "problems/time_limit.hpp"

namespace mlmq::problems {

/// Returns the variant of a solver that abortable_runs runs. @param source_hash identifies its source code
[[nodiscard]] inline backends::kernel_source team_variant(const std::string& solver, const std::string& source_hash) {
  return {.file = backends::team_work_file,
          .entry = solver,
          .block_threads = 1,
          .defines = {{"SOURCES", source_hash}},
          .folder = {}};
}

/// The abort word of runs on processors, and the watchdog that sets it. Runs one at a time.
class abortable_runs {
 public:
  explicit abortable_runs(backends::backend& device)
      : device_(device), abort_word_(device.allocate(sizeof(std::uint32_t), "the abort word")) {}
  abortable_runs(const abortable_runs&) = delete;
  abortable_runs& operator=(const abortable_runs&) = delete;
  /// Stops the watchdog, which writes to the object's memory.
  ~abortable_runs() { device_.set_watchdog({}); }

  [[nodiscard]] const std::uint32_t* abort_word() const { return abort_word_.as<std::uint32_t>(); }

  /// Clears the abort word and guards the next run.
  void guard(double time_limit_ms) {
    device_.poke(abort_word_, 0, 0);
    device_.set_watchdog(watchdog_for(time_limit_ms, [this] { device_.poke(abort_word_, 0, 1); }));
  }

  /// Calls work(team, stop), which returns soon after `stop` is set. @return time and outcome
  template <class Work>
  [[nodiscard]] tuner::run_report run(const backends::kernel& kernel, double time_limit_ms, const Work& work) {
    guard(time_limit_ms);
    cpu::stop_signal stop(abort_word(), time_limit_ns_from_ms(time_limit_ms));
    const backends::team_work team_work = [&](cpu::thread_team& team) { work(team, stop); };
    tuner::run_report report;
    report.milliseconds = device_.measure([&] {
      device_.launch(
          kernel, {.grid_blocks = 1, .shared_bytes = 0, .arguments = &team_work, .argument_bytes = sizeof team_work});
    });
    if (stop.is_set()) report_timeout(report, time_limit_ms);
    return report;
  }

 private:
  backends::backend& device_;
  backends::device_memory abort_word_;
};

}  // namespace mlmq::problems
