// SPDX-License-Identifier: Apache-2.0
#include "tuner/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/temporary_folder.hpp"
#include "db/statistics.hpp"
#include "db/worker.hpp"
#include "tuner/configuration.hpp"
#include "tuner/derived_experiment.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/recorded_workloads.hpp"
#include "tuner/supervisor.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {
namespace {

/// Tolerance for modelled times. The simulator's clock continues from run to run, so that the last digits depend on the
/// previous runs.
constexpr double modelled_tolerance = 1e-9;
/// Maximum share of differing measured times that noise can explain.
constexpr double most_different = 0.25;

/// Returns an experiment file with the recorded measurement settings. Configurations and workloads are placeholders;
/// the actual ones are in the database.
/// @param defined  the recorded experiment, if it defines the problem; else null
std::string experiment_text(const std::string& problem, const std::string& settings_json,
                            const experiment_file* defined) {
  const nlohmann::json recorded = nlohmann::json::parse(settings_json);
  // Other measurements are separate trials; finals and slowdown limits depend on trials outside the sample.
  nlohmann::json measurement{{"counters", false}};
  for (const char* const key : {"warmup", "repeats", "time_limit_ms", "seed", "spread", "max_repeats"}) {
    if (recorded.contains(key)) measurement[key] = recorded[key];
  }
  if (defined != nullptr) return repeated_experiment(*defined, measurement.dump());
  return fmt::format(
      "name: verify\nproblem: {}\nconfigurations: [{{}}]\nworkloads: [{{generate: recorded}}]\n"
      "measurement: {}\n",
      problem, measurement.dump());
}

/// A recorded trial with all that is needed to repeat it.
struct runnable {
  db::recorded_trial trial;
  db::configuration_record configuration;
  workload_input workload;
  db::workload_record workload_record;
  backends::device_info device;
  bool same_device = false;
  std::string source_hash;  ///< hash of the current code
};

class verifier {
 public:
  verifier(const db::store& recorded, const verify_options& options)
      : recorded_(recorded), options_(options), workloads_(recorded, options.workloads, options.file_options) {
    if (!options.device.empty()) chosen_device_ = backends::inspect_device(options.device);
  }

  verification run() {
    for (runnable& candidate : draw()) {
      const std::string text =
          experiment_text(candidate.configuration.problem, settings_of(candidate.trial.experiment),
                          definition_of(candidate.configuration.problem, candidate.trial.experiment));
      groups_[{text, candidate.device.selector}].push_back(std::move(candidate));
    }
    for (const auto& [key, group] : groups_) {
      run_group(key.first, group);
      if (result_.interrupted) break;
    }
    std::sort(result_.trials.begin(), result_.trials.end(),
              [](const verified_trial& a, const verified_trial& b) { return a.recorded.id < b.recorded.id; });
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::vector<runnable> draw() {
    std::vector<std::int64_t> ids = db::finished_trials(recorded_, options_.experiment);
    result_.recorded = ids.size();
    random_stream random = random_stream::from_state(options_.seed);
    std::vector<runnable> sample;
    for (std::size_t remaining = ids.size(); remaining > 0 && sample.size() < options_.sample; --remaining) {
      std::swap(ids[remaining - 1], ids[random.below_by_division(remaining)]);
      if (options_.stop_requested && options_.stop_requested()) {
        result_.interrupted = true;
        return {};
      }
      runnable candidate;
      const std::string skip_reason = prepare(ids[remaining - 1], candidate);
      if (skip_reason.empty()) {
        sample.push_back(std::move(candidate));
      } else {
        ++result_.skipped[skip_reason];
      }
    }
    return sample;
  }

  /// Returns why the trial cannot be repeated here, or "".
  [[nodiscard]] std::string prepare(std::int64_t id, runnable& candidate) {
    candidate.trial = db::read_recorded(recorded_, id);
    candidate.configuration = recorded_.configuration(candidate.trial.configuration);
    const auto chosen = configuration::from_json(candidate.configuration.parameters_json);
    if (peer_name(chosen)) return "of external programs";
    const problem* const recorded_problem = find_problem(candidate.configuration.problem, candidate.trial.experiment);
    if (recorded_problem == nullptr) return unknown_problem(candidate.configuration.problem);
    if (candidate.trial.result == db::outcome::timeout &&
        candidate.trial.message.find("(slowdown_") != std::string::npos) {
      return "stopped by slowdown_limit";
    }
    const std::optional<backends::device_info> device = device_for(candidate.trial.device);
    if (!device) return "on a device that this machine does not have";
    candidate.device = *device;
    candidate.same_device = describe_device(candidate.device).hash() == recorded_.device(candidate.trial.device).hash();
    try {
      candidate.source_hash = recorded_problem->source_hash(chosen);
    } catch (const input_error&) {
      return "of code that this program does not find";
    }
    const workload_input* const workload =
        workloads_.find(candidate.trial.workload, candidate.trial.experiment, recorded_problem->workloads());
    if (workload == nullptr) return "on a workload that is missing or has changed (see --workloads)";
    candidate.workload = *workload;
    candidate.workload_record = recorded_.workload(candidate.trial.workload);
    return "";
  }

  /// Returns the experiment file that defines the problem of its trials, or null if the program knows the problem.
  [[nodiscard]] const experiment_file* definition_of(const std::string& problem_name, std::int64_t experiment) {
    if (problem_name.find(':') == std::string::npos) return nullptr;
    const auto [place, is_new] = definitions_.try_emplace(experiment);
    if (is_new) place->second = parse_experiment(recorded_.experiment_text(experiment), "verify.yaml");
    return &place->second;
  }

  /// Returns the problem of a recorded trial, or null if this program cannot make it.
  [[nodiscard]] const problem* find_problem(const std::string& name, std::int64_t experiment) {
    const experiment_file* const definition = definition_of(name, experiment);
    const auto [place, is_new] = problems_.try_emplace({name, definition == nullptr ? 0 : experiment});
    if (is_new) {
      try {
        place->second = definition == nullptr ? options_.make_problem(name) : options_.problem_of(*definition);
      } catch (const input_error& error) {
        place->second = nullptr;
        if (definition != nullptr) unusable_.insert_or_assign(name, error.what());
      }
    }
    return place->second.get();
  }

  [[nodiscard]] std::string unknown_problem(const std::string& name) const {
    const auto reason = unusable_.find(name);
    if (reason == unusable_.end()) return "of a problem that this program does not know";
    return "of a problem that cannot be used: " + reason->second;
  }

  /// Returns the device of the options, or else the device of the trial if it is present.
  [[nodiscard]] std::optional<backends::device_info> device_for(std::int64_t row) {
    if (chosen_device_) return chosen_device_;
    const auto [place, is_new] = devices_.try_emplace(row);
    if (!is_new) return place->second;
    const db::device_record record = recorded_.device(row);
    std::vector<std::string> selectors = db::selectors_of(recorded_, row);
    selectors.push_back(record.kind);
    for (const std::string& selector : selectors) {
      try {
        backends::device_info info = backends::inspect_device(selector);
        if (describe_device(info).hash() != record.hash()) continue;
        place->second = std::move(info);
        break;
      } catch (const std::exception&) {
        continue;  // the device is not present
      }
    }
    return place->second;
  }

  [[nodiscard]] const std::string& settings_of(std::int64_t experiment) {
    std::string& settings = settings_[experiment];
    if (settings.empty()) settings = db::settings_of(recorded_, experiment);
    return settings;
  }

  /// Repeats all trials with the same settings on the same device.
  void run_group(const std::string& text, const std::vector<runnable>& group) {
    const temporary_folder folder("verify");
    auto store = db::store::open(folder.path() / "verify.sqlite", db::open_mode::read_write_create);
    sweep_plan plan;
    plan.experiment = store.put_experiment("verify", text, "{}");
    plan.host = store.put_host({.name = db::host_name()});
    plan.devices = {store.put_device(describe_device(group.front().device))};
    std::vector<db::trial_key> keys;
    for (const runnable& candidate : group) {
      const std::int64_t workload = store.put_workload(candidate.workload_record);
      if (std::none_of(plan.workloads.begin(), plan.workloads.end(),
                       [&](const auto& planned) { return planned.row == workload; })) {
        plan.workloads.push_back(
            {.row = workload, .hash = candidate.workload_record.hash, .input = candidate.workload});
      }
      keys.push_back({.workload = workload,
                      .configuration = store.put_configuration(candidate.configuration),
                      .device = plan.devices.front(),
                      .query = candidate.trial.query,
                      .kernel_source_hash = candidate.source_hash,
                      .measurement = candidate.trial.measurement});
    }
    store.plan(plan.experiment, keys);
    growing_plan complete(std::move(plan));
    const sweep_summary summary = supervise(complete, store,
                                            {.command = options_.worker_command,
                                             .environment = options_.worker_environment,
                                             .database = store.file().string(),
                                             .experiment_file = "verify",
                                             .devices = {group.front().device},
                                             .grace_s = options_.grace_s,
                                             .runs = nullptr,
                                             .on_progress = options_.on_progress,
                                             .stop_requested = options_.stop_requested});
    result_.interrupted = summary.interrupted;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::int64_t trial = store.find_trial(keys[i]).value();
      if (store.summary(trial)) compare(group[i], store, trial);
    }
  }

  void compare(const runnable& candidate, const db::store& store, std::int64_t trial) {
    const db::trial_summary now = store.summary(trial).value();
    if (!candidate.same_device && now.result != db::outcome::ok && now.result != db::outcome::wrong_answer) {
      // A failure on another device does not contradict the record.
      ++result_
            .skipped[fmt::format("without an answer on {} ({})", candidate.device.selector, db::to_string(now.result))];
      return;
    }
    verified_trial& verified = result_.trials.emplace_back();
    verified.recorded = candidate.trial;
    verified.workload = candidate.workload_record.name;
    verified.configuration = candidate.configuration.label;
    verified.device = candidate.device.selector;
    verified.new_outcome = now.result;
    verified.message = now.message;
    if (!candidate.same_device) {
      verified.incomparable = "another device";
    } else if (recorded_.recorded_code(candidate.source_hash) != candidate.trial.kernel_source_hash) {
      verified.incomparable = "other code";
    }
    verified.outcome_differs = differs(candidate.trial.result, now.result, candidate.same_device);
    if (!verified.incomparable.empty() || verified.outcome_differs || now.result != db::outcome::ok) return;
    compare_times(verified, now);
    if (candidate.trial.times_modelled) compare_work(verified, store.counters(trial));
  }

  /// Compares outcomes. On another device only the correctness of answers is comparable, since memory and speed differ.
  [[nodiscard]] static bool differs(db::outcome recorded, db::outcome now, bool same_device) {
    if (same_device) return recorded != now;
    using enum db::outcome;
    return (recorded == ok && now == wrong_answer) || (recorded == wrong_answer && now == ok);
  }

  void compare_times(verified_trial& verified, const db::trial_summary& now) const {
    const std::optional<double> before = verified.recorded.median_ms;
    if (!before || !now.median_ms || !(*before > 0)) return;
    verified.ratio = *now.median_ms / *before;
    const std::vector<double> samples = recorded_.samples(verified.recorded.id);
    if (!samples.empty()) {
      const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
      verified.beyond = std::max({0.0, *least - *now.median_ms, *now.median_ms - *most}) / *before;
      // The recorded median must agree with the recorded samples.
      if (std::abs(db::median(samples) / *before - 1) > modelled_tolerance) verified.time_differs = true;
    }
    if (verified.recorded.times_modelled) {
      verified.time_differs = verified.time_differs || std::abs(*verified.ratio - 1) > modelled_tolerance;
    } else {
      const bool far = *verified.ratio > 1 + options_.tolerance || *verified.ratio < 1 / (1 + options_.tolerance);
      verified.time_differs = verified.time_differs || (far && (samples.empty() || verified.beyond > 0));
    }
  }

  void compare_work(verified_trial& verified, const std::map<std::string, double>& now) const {
    verified.work_differs = recorded_.counters(verified.recorded.id) != now;
  }

  const db::store& recorded_;
  const verify_options& options_;
  recorded_workloads workloads_;
  std::optional<backends::device_info> chosen_device_;
  std::map<std::pair<std::string, std::int64_t>, std::unique_ptr<problem>> problems_;  ///< by name and experiment
  std::map<std::int64_t, experiment_file> definitions_;
  std::map<std::string, std::string> unusable_;  // problems with invalid definitions, and the errors
  std::map<std::int64_t, std::optional<backends::device_info>> devices_;
  std::map<std::int64_t, std::string> settings_;
  std::map<std::pair<std::string, std::string>, std::vector<runnable>> groups_;  // by experiment text and selector
  verification result_;
};

}  // namespace

std::size_t verification::count(bool verified_trial::*flag) const {
  return static_cast<std::size_t>(
      std::count_if(trials.begin(), trials.end(), [flag](const verified_trial& trial) { return trial.*flag; }));
}

std::size_t verification::wrong_answers() const {
  return static_cast<std::size_t>(std::count_if(trials.begin(), trials.end(), [](const verified_trial& trial) {
    return trial.new_outcome == db::outcome::wrong_answer;
  }));
}

std::size_t verification::timed() const {
  return static_cast<std::size_t>(std::count_if(trials.begin(), trials.end(), [](const verified_trial& trial) {
    return trial.ratio.has_value() && !trial.recorded.times_modelled;
  }));
}

bool verification::failed() const {
  if (wrong_answers() > 0 || count(&verified_trial::outcome_differs) > 0) return true;
  if (count(&verified_trial::work_differs) > 0) return true;
  std::size_t measured = 0;
  for (const verified_trial& trial : trials) {
    if (!trial.time_differs) continue;
    if (trial.recorded.times_modelled) return true;
    ++measured;
  }
  return static_cast<double>(measured) > most_different * static_cast<double>(timed());
}

verification verify_recorded(const db::store& recorded, const verify_options& options) {
  return verifier(recorded, options).run();
}

}  // namespace mlmq::tuner
