// SPDX-License-Identifier: Apache-2.0
// Registers the fuzzing of the small queues for `mlmq check`.
#include "problems/checks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "problems/check_simulators.hpp"
#include "problems/parallel_jobs.hpp"
#include "problems/small_queues/fuzzed_queue.hpp"

namespace mlmq::problems {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// A queue with its parameters.
struct subject {
  explicit subject(const std::string& name) : queue(make_fuzzed_queue(name)) { row.subject = name; }

  std::unique_ptr<fuzzed_queue> queue;
  std::shared_ptr<const backends::kernel> kernel;
  check_row row;
};

check_report check_small_queues(const check_request& request, const check_observer& progress) {
  std::vector<subject> checked;
  for (const std::string& name : request.subjects.empty() ? fuzzed_queues() : request.subjects) {
    checked.emplace_back(name);
  }
  parallel_jobs jobs(request.jobs);
  std::vector<check_simulators> devices;
  for (unsigned i = 0; i < jobs.threads(); ++i) devices.emplace_back(request.kernels);
  const auto observer = [&](bool compiling) {
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
      observer(true));
  report.compile_seconds = seconds_since(start);

  start = clock::now();
  std::mutex mutex;
  std::uint64_t failed_index = std::numeric_limits<std::uint64_t>::max();
  jobs.run(
      request.schedules * checked.size(),
      [&](std::uint64_t index, unsigned worker) {
        const auto begun = clock::now();
        subject& tested = checked[index % checked.size()];
        const std::uint64_t seed = request.seed + index / checked.size();
        const auto outcome = tested.queue->run(devices[worker].for_seed(seed), *tested.kernel, seed);
        const std::lock_guard lock(mutex);
        ++tested.row.schedules;
        tested.row.operations += outcome.operations;
        tested.row.seconds += seconds_since(begun);
        if (outcome.message.empty()) return;
        ++tested.row.failures;
        jobs.stop();
        if (index >= failed_index) return;
        failed_index = index;
        report.failure = fmt::format("check failed: {}, seed {} (mlmq check --only {} --seed {} --schedules 1): {}",
                                     tested.row.subject, seed, tested.row.subject, seed, outcome.message);
      },
      observer(false));
  report.run_seconds = seconds_since(start);
  for (const subject& tested : checked) report.rows.push_back(tested.row);
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
