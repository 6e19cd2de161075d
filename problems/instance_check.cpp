// SPDX-License-Identifier: Apache-2.0
#include "problems/instance_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "problems/check_simulators.hpp"
#include "problems/parallel_jobs.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::problems {
namespace {

using clock = std::chrono::steady_clock;
using backends::simulator::simt_backend;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// A workload with its query.
struct input {
  std::unique_ptr<tuner::workload> workload;
  tuner::query query;
};

/// A configuration and its variant for each workload.
struct subject {
  tuner::configuration chosen;
  std::vector<const input*> inputs;
  std::vector<std::shared_ptr<const backends::kernel>> kernels;  // one per input
  check_row row;
};

class checker {
 public:
  checker(const instance_check& check, const check_request& request, const check_observer& progress)
      : check_(check), request_(request), progress_(progress), jobs_(request.jobs) {
    const auto parameters =
        tuner::parameter_set::from_declarations(check.problem.declarations(), check.problem.presets());
    for (const checked_configuration& configuration : check.configurations) {
      const bool is_selected = request.subjects.empty() || std::find(request.subjects.begin(), request.subjects.end(),
                                                                     configuration.name) != request.subjects.end();
      if (!is_selected) continue;
      subject new_subject{
          .chosen = parameters.parse_label(configuration.label), .inputs = {}, .kernels = {}, .row = {}};
      new_subject.row.subject = configuration.name;
      for (const std::string& text : configuration.workloads) new_subject.inputs.push_back(&input_of(text));
      subjects_.push_back(std::move(new_subject));
    }
    for (unsigned i = 0; i < jobs_.threads(); ++i) devices_.emplace_back(request.kernels);
  }

  [[nodiscard]] check_report run() {
    check_report report;
    auto start = clock::now();
    report.variants = compile();
    report.compile_seconds = seconds_since(start);
    start = clock::now();
    jobs_.run(
        request_.schedules * subjects_.size(), [this](std::uint64_t index, unsigned worker) { run_one(index, worker); },
        observer(false));
    report.run_seconds = seconds_since(start);
    for (const subject& tested : subjects_) report.rows.push_back(tested.row);
    report.failure = std::move(failure_);
    return report;
  }

 private:
  [[nodiscard]] const input& input_of(const std::string& text) {
    const auto [place, is_new] = inputs_.try_emplace(text);
    if (is_new) {
      tuner::workload_input described{.name = text, .file = "", .generated = text};
      check_.problem.workloads().describe(described, {});
      place->second.workload = check_.problem.workloads().load(described);
      place->second.query = check_.problem.choose_queries(*place->second.workload, check_.queries).at(0);
    }
    return place->second;
  }

  [[nodiscard]] parallel_jobs::observer observer(bool compiling) const {
    return [this, compiling](std::uint64_t done, std::uint64_t total) {
      if (progress_) progress_({.compiling = compiling, .done = done, .total = total});
    };
  }

  /// Compiles the variants with counters and with the kernels' assertions. @return the number of variants
  std::size_t compile() {
    std::map<std::string, std::shared_ptr<const backends::kernel>> compiled;
    std::vector<std::pair<std::string, backends::kernel_source>> variants;
    std::vector<std::vector<std::string>> keys;
    for (const subject& tested : subjects_) {
      auto& of_subject = keys.emplace_back();
      for (const input* const tested_input : tested.inputs) {
        const auto instance = check_.problem.load(devices_.front().for_seed(1), *tested_input->workload);
        backends::kernel_source source = instance->variant(tested.chosen, tuner::instrumentation::counters);
        source.defines.insert_or_assign("SIMT_CHECKED", std::string("1"));
        std::string key = fmt::format("{} {} {}", source.file, source.entry, source.block_threads);
        for (const auto& [name, value] : source.defines) key += fmt::format(" {}={}", name, value);
        of_subject.push_back(key);
        if (compiled.emplace(key, nullptr).second) variants.emplace_back(std::move(key), std::move(source));
      }
    }
    std::mutex mutex;
    jobs_.run(
        variants.size(),
        [&](std::uint64_t index, unsigned worker) {
          auto kernel = devices_[worker].for_seed(1).compile(variants[index].second);
          const std::lock_guard lock(mutex);
          compiled.at(variants[index].first) = std::move(kernel);
        },
        observer(true));
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      for (const std::string& key : keys[i]) subjects_[i].kernels.push_back(compiled.at(key));
    }
    return variants.size();
  }

  /// Runs schedule `index`; schedules are ordered by seed, then by subject.
  void run_one(std::uint64_t index, unsigned worker) {
    const auto begun = clock::now();
    subject& tested = subjects_[index % subjects_.size()];
    const std::uint64_t seed = request_.seed + index / subjects_.size();
    simt_backend& device = devices_[worker].for_seed(seed);
    const std::uint64_t before = device.progress();
    const std::string wrong = try_schedule(device, tested, seed);
    const std::lock_guard lock(mutex_);
    ++tested.row.schedules;
    tested.row.operations += device.progress() - before;
    tested.row.seconds += seconds_since(begun);
    if (wrong.empty()) return;
    ++tested.row.failures;
    // All earlier schedules have begun and will end before the first failure is determined.
    jobs_.stop();
    if (index >= failed_index_) return;
    failed_index_ = index;
    const input& tested_input = *tested.inputs[seed % tested.inputs.size()];
    failure_ =
        fmt::format("check failed: {}, {}, {}, seed {} (mlmq check --only {} --seed {} --schedules 1): {}; with {}",
                    tested.row.subject, tested_input.workload->record.name, tested_input.query.text(), seed,
                    tested.row.subject, seed, wrong, tested.chosen.label());
  }

  /// Runs one schedule with a new instance, because a remembered capacity would change the next schedule.
  /// @return "" or a description of the error
  [[nodiscard]] std::string try_schedule(simt_backend& device, const subject& tested, std::uint64_t seed) const {
    const std::size_t place = seed % tested.inputs.size();
    const input& tested_input = *tested.inputs[place];
    try {
      device.set_seed(seed);
      const auto instance = check_.problem.load(device, *tested_input.workload);
      instance->prepare(tested.chosen, tested.kernels[place], tuner::instrumentation::counters);
      const tuner::run_report report = instance->run(tested_input.query, check_.time_limit_ms);
      if (report.result != db::outcome::ok) return report.message;
      return instance->check();
    } catch (const backends::kernel_fault& fault) {
      return fault.what();
    }
  }

  const instance_check& check_;
  const check_request& request_;
  const check_observer& progress_;
  parallel_jobs jobs_;
  std::map<std::string, input> inputs_;
  std::vector<subject> subjects_;
  std::vector<check_simulators> devices_;  // one per thread
  std::mutex mutex_;
  std::uint64_t failed_index_ = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::string> failure_;
};

}  // namespace

std::vector<std::string> names_of(const std::vector<checked_configuration>& configurations) {
  std::vector<std::string> names;
  for (const checked_configuration& configuration : configurations) names.push_back(configuration.name);
  return names;
}

check_report check_instances(const instance_check& check, const check_request& request,
                             const check_observer& progress) {
  return checker(check, request, progress).run();
}

}  // namespace mlmq::problems
