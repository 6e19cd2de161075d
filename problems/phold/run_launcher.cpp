// SPDX-License-Identifier: Apache-2.0
#include "problems/phold/run_launcher.hpp"

#include <fmt/format.h>
#include "problems/time_limit.hpp"

#include <algorithm>
#include <cstddef>

namespace mlmq::phold {
namespace {

void set_counters(const run_sums& sums, bool counts, tuner::run_report& report) {
  const auto add = [&](const char* name, std::uint64_t value) {
    report.counters.emplace_back(name, static_cast<double>(value));
  };
  add("events", sums.events);
  if (!counts) return;
  add("windows", sums.windows);
  add("comparisons", sums.comparisons);
  add("moves", sums.moves);
  add("refiled", sums.refiled);
  add("longest", ~sums.longest);
  if (sums.window_ns == 0) return;
  add("insertion_ns", sums.insertion_ns);
  add("window_ns", sums.window_ns);
}

}  // namespace

run_launcher::run_launcher(backends::backend& device)
    : device_(device),
      control_(device.allocate(sizeof(run_control), "control words")),
      sums_(device.allocate(sizeof(run_sums), "sums")) {}

run_launcher::~run_launcher() { device_.set_watchdog({}); }

run_status run_launcher::status() {
  u32 word = 0;
  run_control copy{};
  device_.download(&copy, control_, sizeof copy);
  word = copy.status;
  return static_cast<run_status>(word);
}

run_status run_launcher::run(const std::function<void()>& queue_work, double time_limit_ms, bool counts,
                             tuner::run_report& report, trace& executed) {
  device_.set_watchdog(
      problems::watchdog_for(time_limit_ms, [this] { device_.poke(control_, offsetof(run_control, host_abort), 1); }));
  report.milliseconds = device_.measure([&] {
    device_.fill(control_, 0, control_.bytes(), 0);
    device_.fill(control_, offsetof(run_control, least), sizeof(run_control::least), 0xFF);
    device_.fill(sums_, 0, sums_.bytes(), 0);
    device_.fill(sums_, offsetof(run_sums, longest), sizeof(run_sums::longest), 0xFF);
    queue_work();
  });
  const run_status ended = status();
  run_sums sums{};
  device_.download(&sums, sums_, sizeof sums);
  executed = {
      .events = sums.events, .hash = sums.hash, .windows = sums.windows, .finished = ended == run_status::finished};
  set_counters(sums, counts, report);
  return ended;
}

tuner::run_report run_with_room(const std::function<run_status(tuner::run_report&)>& run_once,
                                const std::function<bool()>& grow, const std::function<std::string()>& full,
                                double time_limit_ms) {
  for (;;) {
    tuner::run_report report;
    switch (run_once(report)) {
      case run_status::finished:
        if (report.milliseconds <= time_limit_ms) return report;
        [[fallthrough]];
      case run_status::timed_out:
      case run_status::aborted:
        problems::report_timeout(report, time_limit_ms);
        return report;
      case run_status::queue_full:
        report.result = db::outcome::overflow;
        report.message = full();
        try {
          if (!grow()) return report;
        } catch (const backends::out_of_device_memory& error) {
          report.message += fmt::format(", and twice as much does not fit: {}", error.what());
          return report;
        }
        break;
      case run_status::running:
        report.result = db::outcome::launch_error;
        report.message = "the kernel ended without a status";
        return report;
    }
  }
}

unsigned resident_grid(const backends::backend& device, const backends::kernel& compiled, std::size_t shared_bytes,
                       unsigned per_multiprocessor) {
  const unsigned multiprocessors = device.info().multiprocessors;
  const unsigned resident = compiled.resident_blocks(shared_bytes);
  const unsigned needed = std::max(1U, per_multiprocessor) * multiprocessors;
  if (resident < needed) {
    throw backends::launch_error(
        fmt::format("{} blocks per multiprocessor with {} bytes of shared memory each do "
                    "not fit: {} has room for {} in total",
                    std::max(1U, per_multiprocessor), shared_bytes, device.info().name, resident));
  }
  return per_multiprocessor == 0 ? resident : needed;
}

}  // namespace mlmq::phold
