// SPDX-License-Identifier: Apache-2.0
// The fuzzing of the small queues as `mlmq check` has it.
#include "problems/checks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "problems/parallel_jobs.hpp"
#include "problems/small_queues/fuzzed_queue.hpp"

namespace mlmq::problems {
namespace {

using clock = std::chrono::steady_clock;

constexpr const char* simulated_device = "simt:2x8";
constexpr unsigned longest_delay_cycles = 40'000;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// The simulators of one thread: warps that stall now and then, or not.
class simulators {
 public:
  explicit simulators(const std::string& kernels) {
    backends::simulator::simulator_settings settings;
    settings.kernels = kernels;
    settings.includes = kernels;
    settings.memory_bytes = std::uint64_t{1} << 28;
    settings.weak_memory_cycles = longest_delay_cycles;
    steady_ = std::make_unique<backends::simulator::simt_backend>(simulated_device, settings);
    settings.stall_every = 50;
    stalling_ = std::make_unique<backends::simulator::simt_backend>(simulated_device, settings);
  }
  [[nodiscard]] backends::simulator::simt_backend& for_seed(std::uint64_t seed) {
    return seed % 3 == 0 ? *stalling_ : *steady_;
  }

 private:
  std::unique_ptr<backends::simulator::simt_backend> steady_;
  std::unique_ptr<backends::simulator::simt_backend> stalling_;
};

/// One queue with its parameters.
struct subject {
  explicit subject(const std::string& name) : queue(make_fuzzed_queue(name)) { row.subject = name; }

  std::unique_ptr<fuzzed_queue> queue;
  std::shared_ptr<const backends::kernel> kernel;
  check_row row;
};

check_report check_small_queues(const check_request& asked, const check_observer& progress) {
  std::vector<subject> checked;
  for (const std::string& name : asked.subjects.empty() ? fuzzed_queues() : asked.subjects) {
    checked.emplace_back(name);
  }
  parallel_jobs jobs(asked.jobs);
  std::vector<simulators> devices;
  for (unsigned i = 0; i < jobs.threads(); ++i) devices.emplace_back(asked.kernels);
  const auto tell = [&](bool compiling) {
    return [&progress, compiling](std::uint64_t done, std::uint64_t total) {
      if (progress) progress({.compiling = compiling, .done = done, .total = total});
    };
  };

  check_report report;
  report.variants = checked.size();
  auto start = clock::now();
  jobs.run(
      checked.size(),
      [&](std::uint64_t index, unsigned worker) {
        checked[index].kernel = devices[worker].for_seed(1).compile(checked[index].queue->variant());
      },
      tell(true));
  report.compile_seconds = seconds_since(start);

  start = clock::now();
  std::mutex mutex;
  std::uint64_t failed_index = std::numeric_limits<std::uint64_t>::max();
  jobs.run(
      asked.schedules * checked.size(),
      [&](std::uint64_t index, unsigned worker) {
        const auto begun = clock::now();
        subject& on = checked[index % checked.size()];
        const std::uint64_t seed = asked.seed + index / checked.size();
        const auto found = on.queue->run(devices[worker].for_seed(seed), *on.kernel, seed);
        const std::lock_guard lock(mutex);
        ++on.row.schedules;
        on.row.operations += found.operations;
        on.row.seconds += seconds_since(begun);
        if (found.message.empty()) return;
        ++on.row.failures;
        jobs.stop();
        if (index >= failed_index) return;
        failed_index = index;
        report.failure = fmt::format("check failed: {}, seed {} (mlmq check --only {} --seed {} --schedules 1): {}",
                                     on.row.subject, seed, on.row.subject, seed, found.message);
      },
      tell(false));
  report.run_seconds = seconds_since(start);
  for (const subject& one : checked) report.rows.push_back(one.row);
  return report;
}

}  // namespace

extern "C" {
extern const check_registration mlmq_registers_small_queues;
const check_registration mlmq_registers_small_queues(
    {{.name = "small_queues",
      .description = "every small queue under random operations, against a sequential model",
      .subjects = fuzzed_queues,
      .run = check_small_queues}});
}

}  // namespace mlmq::problems
