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

#include "backends/simt/simt_backend.hpp"
#include "problems/parallel_jobs.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::problems {
namespace {

using clock = std::chrono::steady_clock;
using backends::simulator::simt_backend;

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
    steady_ = std::make_unique<simt_backend>(simulated_device, settings);
    settings.stall_every = 50;
    stalling_ = std::make_unique<simt_backend>(simulated_device, settings);
  }
  [[nodiscard]] simt_backend& for_seed(std::uint64_t seed) { return seed % 3 == 0 ? *stalling_ : *steady_; }

 private:
  std::unique_ptr<simt_backend> steady_;
  std::unique_ptr<simt_backend> stalling_;
};

/// A workload with its query.
struct input {
  std::unique_ptr<tuner::workload> on;
  tuner::query asked;
};

/// One configuration, with the variant that it needs on each of its workloads.
struct subject {
  tuner::configuration chosen;
  std::vector<const input*> inputs;
  std::vector<std::shared_ptr<const backends::kernel>> kernels;  // for each input
  check_row row;
};

class checker {
 public:
  checker(const instance_check& what, const check_request& asked, const check_observer& progress)
      : what_(what), asked_(asked), progress_(progress), jobs_(asked.jobs) {
    const auto parameters = tuner::parameter_set::from_declarations(what.of.declarations(), what.of.presets());
    for (const checked_configuration& one : what.configurations) {
      const bool wanted = asked.subjects.empty() ||
                          std::find(asked.subjects.begin(), asked.subjects.end(), one.name) != asked.subjects.end();
      if (!wanted) continue;
      subject made{.chosen = parameters.parse_label(one.label), .inputs = {}, .kernels = {}, .row = {}};
      made.row.subject = one.name;
      for (const std::string& text : one.workloads) made.inputs.push_back(&input_of(text));
      subjects_.push_back(std::move(made));
    }
    for (unsigned i = 0; i < jobs_.threads(); ++i) devices_.emplace_back(asked.kernels);
  }

  [[nodiscard]] check_report run() {
    check_report report;
    auto start = clock::now();
    report.variants = compile();
    report.compile_seconds = seconds_since(start);
    start = clock::now();
    jobs_.run(
        asked_.schedules * subjects_.size(), [this](std::uint64_t index, unsigned worker) { run_one(index, worker); },
        observer(false));
    report.run_seconds = seconds_since(start);
    for (const subject& one : subjects_) report.rows.push_back(one.row);
    report.failure = std::move(failure_);
    return report;
  }

 private:
  [[nodiscard]] const input& input_of(const std::string& text) {
    const auto [place, is_new] = inputs_.try_emplace(text);
    if (is_new) {
      tuner::workload_input described{.name = text, .file = "", .generated = text};
      what_.of.workloads().describe(described, {});
      place->second.on = what_.of.workloads().load(described);
      place->second.asked = what_.of.choose_queries(*place->second.on, what_.queries).at(0);
    }
    return place->second;
  }

  [[nodiscard]] parallel_jobs::observer observer(bool compiling) const {
    return [this, compiling](std::uint64_t done, std::uint64_t total) {
      if (progress_) progress_({.compiling = compiling, .done = done, .total = total});
    };
  }

  /// With counters, and with the kernels' own assertions. @return how many variants there are
  std::size_t compile() {
    std::map<std::string, std::shared_ptr<const backends::kernel>> compiled;
    std::vector<std::pair<std::string, backends::kernel_source>> wanted;
    std::vector<std::vector<std::string>> keys;
    for (const subject& one : subjects_) {
      auto& of_subject = keys.emplace_back();
      for (const input* const on : one.inputs) {
        const auto instance = what_.of.load(devices_.front().for_seed(1), *on->on);
        backends::kernel_source source = instance->variant(one.chosen, tuner::instrumentation::counters);
        source.defines.insert_or_assign("SIMT_CHECKED", std::string("1"));
        std::string key = fmt::format("{} {} {}", source.file, source.entry, source.block_threads);
        for (const auto& [name, value] : source.defines) key += fmt::format(" {}={}", name, value);
        of_subject.push_back(key);
        if (compiled.emplace(key, nullptr).second) wanted.emplace_back(std::move(key), std::move(source));
      }
    }
    std::mutex mutex;
    jobs_.run(
        wanted.size(),
        [&](std::uint64_t index, unsigned worker) {
          auto kernel = devices_[worker].for_seed(1).compile(wanted[index].second);
          const std::lock_guard lock(mutex);
          compiled.at(wanted[index].first) = std::move(kernel);
        },
        observer(true));
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      for (const std::string& key : keys[i]) subjects_[i].kernels.push_back(compiled.at(key));
    }
    return wanted.size();
  }

  /// All subjects under one seed, then under the next.
  void run_one(std::uint64_t index, unsigned worker) {
    const auto begun = clock::now();
    subject& on = subjects_[index % subjects_.size()];
    const std::uint64_t seed = asked_.seed + index / subjects_.size();
    simt_backend& device = devices_[worker].for_seed(seed);
    const std::uint64_t before = device.progress();
    const std::string wrong = try_schedule(device, on, seed);
    const std::lock_guard lock(mutex_);
    ++on.row.schedules;
    on.row.operations += device.progress() - before;
    on.row.seconds += seconds_since(begun);
    if (wrong.empty()) return;
    ++on.row.failures;
    // Those before it have all begun; they end before the first failure is known.
    jobs_.stop();
    if (index >= failed_index_) return;
    failed_index_ = index;
    const input& asked = *on.inputs[seed % on.inputs.size()];
    failure_ = fmt::format(
        "check failed: {}, {}, {}, seed {} (mlmq check --only {} --seed {} --schedules 1): {}; with {}", on.row.subject,
        asked.on->record.name, asked.asked.text(), seed, on.row.subject, seed, wrong, on.chosen.label());
  }

  /// "" or what is wrong. An instance of its own: the room that one has learnt would change the next schedule.
  [[nodiscard]] std::string try_schedule(simt_backend& device, const subject& on, std::uint64_t seed) const {
    const std::size_t place = seed % on.inputs.size();
    const input& asked = *on.inputs[place];
    try {
      device.set_seed(seed);
      const auto instance = what_.of.load(device, *asked.on);
      instance->prepare(on.chosen, on.kernels[place], tuner::instrumentation::counters);
      const tuner::run_report report = instance->run(asked.asked, what_.time_limit_ms);
      if (report.result != db::outcome::ok) return report.message;
      return instance->check();
    } catch (const backends::kernel_fault& fault) {
      return fault.what();
    }
  }

  const instance_check& what_;
  const check_request& asked_;
  const check_observer& progress_;
  parallel_jobs jobs_;
  std::map<std::string, input> inputs_;
  std::vector<subject> subjects_;
  std::vector<simulators> devices_;  // one for each thread
  std::mutex mutex_;
  std::uint64_t failed_index_ = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::string> failure_;
};

}  // namespace

std::vector<std::string> names_of(const std::vector<checked_configuration>& configurations) {
  std::vector<std::string> names;
  for (const checked_configuration& one : configurations) names.push_back(one.name);
  return names;
}

check_report check_instances(const instance_check& what, const check_request& asked, const check_observer& progress) {
  return checker(what, asked, progress).run();
}

}  // namespace mlmq::problems
