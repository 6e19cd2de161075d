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
#include "tuner/peer_configuration.hpp"
#include "tuner/recorded_workloads.hpp"
#include "tuner/supervisor.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {
namespace {

/// The simulator's clock goes on from run to run, so that the last digits depend on what ran before.
constexpr double modelled_tolerance = 1e-9;
/// Of the measured times: so large a share that differs is no accident.
constexpr double most_different = 0.25;

/// What was measured how, as an experiment file: its configurations and workloads are in the database, not in it.
std::string experiment_text(const std::string& problem, const std::string& settings_json) {
  const nlohmann::json recorded = nlohmann::json::parse(settings_json);
  // Extra kinds of measurement are trials of their own; finals and slowdown limits depend on trials that are not here.
  nlohmann::json measurement{{"counters", false}};
  for (const char* const key : {"warmup", "repeats", "time_limit_ms", "seed", "spread", "max_repeats"}) {
    if (recorded.contains(key)) measurement[key] = recorded[key];
  }
  return fmt::format(
      "name: verify\nproblem: {}\nconfigurations: [{{}}]\nworkloads: [{{generate: recorded}}]\n"
      "measurement: {}\n",
      problem, measurement.dump());
}

/// How a trial can be run once more.
struct runnable {
  db::recorded_trial trial;
  db::configuration_record configuration;
  workload_input workload;
  db::workload_record workload_record;
  backends::device_info device;
  bool same_device = false;
  std::string source_hash;  ///< of the present code
};

class verifier {
 public:
  verifier(const db::store& recorded, const verify_options& options)
      : recorded_(recorded), options_(options), workloads_(recorded, options.workloads, options.file_options) {
    if (!options.device.empty()) chosen_ = backends::inspect_device(options.device);
  }

  verification run() {
    for (runnable& one : draw()) {
      const std::string text = experiment_text(one.configuration.problem, settings_of(one.trial.experiment));
      groups_[{text, one.device.selector}].push_back(std::move(one));
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
    for (std::size_t left = ids.size(); left > 0 && sample.size() < options_.sample; --left) {
      std::swap(ids[left - 1], ids[random.below_by_division(left)]);
      if (options_.stop_requested && options_.stop_requested()) {
        result_.interrupted = true;
        return {};
      }
      runnable one;
      const std::string why = prepare(ids[left - 1], one);
      if (why.empty()) {
        sample.push_back(std::move(one));
      } else {
        ++result_.skipped[why];
      }
    }
    return sample;
  }

  /// "" or why the trial cannot be run here.
  [[nodiscard]] std::string prepare(std::int64_t id, runnable& one) {
    one.trial = db::read_recorded(recorded_, id);
    one.configuration = recorded_.configuration(one.trial.configuration);
    const auto chosen = configuration::from_json(one.configuration.parameters_json);
    if (peer_name(chosen)) return "of other people's programs";
    const problem* const what = problem_named(one.configuration.problem);
    if (what == nullptr) return "of a problem that this program does not know";
    if (one.trial.result == db::outcome::timeout && one.trial.message.find("(slowdown_") != std::string::npos) {
      return "stopped because others were faster (slowdown_limit)";
    }
    const std::optional<backends::device_info> device = device_for(one.trial.device);
    if (!device) return "on a device that is not here";
    one.device = *device;
    one.same_device = describe_device(one.device).hash() == recorded_.device(one.trial.device).hash();
    try {
      one.source_hash = what->source_hash(chosen);
    } catch (const input_error&) {
      return "of a solver that this program does not have";
    }
    const workload_input* const workload = workloads_.find(one.trial.workload, one.trial.experiment, what->workloads());
    if (workload == nullptr) return "on a workload that is not here or has changed (see --workloads)";
    one.workload = *workload;
    one.workload_record = recorded_.workload(one.trial.workload);
    return "";
  }

  [[nodiscard]] const problem* problem_named(const std::string& name) {
    const auto [place, is_new] = problems_.try_emplace(name);
    if (is_new) {
      try {
        place->second = options_.make_problem(name);
      } catch (const input_error&) {
        place->second = nullptr;
      }
    }
    return place->second.get();
  }

  /// The one that was chosen, or the one that the trial was measured on.
  [[nodiscard]] std::optional<backends::device_info> device_for(std::int64_t row) {
    if (chosen_) return chosen_;
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
        continue;  // there is no such device
      }
    }
    return place->second;
  }

  [[nodiscard]] const std::string& settings_of(std::int64_t experiment) {
    std::string& settings = settings_[experiment];
    if (settings.empty()) settings = db::settings_of(recorded_, experiment);
    return settings;
  }

  /// All trials with the same settings on the same device.
  void run_group(const std::string& text, const std::vector<runnable>& group) {
    const temporary_folder folder("verify");
    auto store = db::store::open(folder.path() / "verify.sqlite", db::open_mode::read_write_create);
    sweep_plan plan;
    plan.experiment = store.put_experiment("verify", text, "{}");
    plan.host = store.put_host({.name = db::host_name()});
    plan.devices = {store.put_device(describe_device(group.front().device))};
    std::vector<db::trial_key> keys;
    for (const runnable& one : group) {
      const std::int64_t workload = store.put_workload(one.workload_record);
      if (std::none_of(plan.workloads.begin(), plan.workloads.end(),
                       [&](const auto& known) { return known.row == workload; })) {
        plan.workloads.push_back({.row = workload, .hash = one.workload_record.hash, .where = one.workload});
      }
      keys.push_back({.workload = workload,
                      .configuration = store.put_configuration(one.configuration),
                      .device = plan.devices.front(),
                      .query = one.trial.query,
                      .kernel_source_hash = one.source_hash,
                      .measurement = one.trial.measurement});
    }
    store.plan(plan.experiment, keys);
    const sweep_summary summary = supervise(plan, store,
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

  void compare(const runnable& one, const db::store& store, std::int64_t trial) {
    const db::trial_summary now = store.summary(trial).value();
    if (!one.same_device && now.result != db::outcome::ok && now.result != db::outcome::wrong_answer) {
      // Nothing is learned of the record, and it must not look as if it were.
      ++result_.skipped[fmt::format("without an answer on {} ({})", one.device.selector, db::to_string(now.result))];
      return;
    }
    verified_trial& made = result_.trials.emplace_back();
    made.recorded = one.trial;
    made.workload = one.workload_record.name;
    made.configuration = one.configuration.label;
    made.device = one.device.selector;
    made.now = now.result;
    made.message = now.message;
    if (!one.same_device) {
      made.incomparable = "another device";
    } else if (one.source_hash != one.trial.kernel_source_hash) {
      made.incomparable = "other code";
    }
    made.outcome_differs = differs(one.trial.result, now.result, one.same_device);
    if (!made.incomparable.empty() || made.outcome_differs || now.result != db::outcome::ok) return;
    compare_times(made, now);
    if (one.trial.times_modelled) compare_work(made, store.counters(trial));
  }

  /// On another device only answers say something: what fits and what is too slow is the device's.
  [[nodiscard]] static bool differs(db::outcome recorded, db::outcome now, bool same_device) {
    if (same_device) return recorded != now;
    using enum db::outcome;
    return (recorded == ok && now == wrong_answer) || (recorded == wrong_answer && now == ok);
  }

  void compare_times(verified_trial& made, const db::trial_summary& now) const {
    const std::optional<double> before = made.recorded.median_ms;
    if (!before || !now.median_ms || !(*before > 0)) return;
    made.ratio = *now.median_ms / *before;
    const std::vector<double> samples = recorded_.samples(made.recorded.id);
    if (!samples.empty()) {
      const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
      made.beyond = std::max({0.0, *least - *now.median_ms, *now.median_ms - *most}) / *before;
      // The median is what everybody reads, the samples are what it comes from.
      if (std::abs(db::median(samples) / *before - 1) > modelled_tolerance) made.time_differs = true;
    }
    if (made.recorded.times_modelled) {
      made.time_differs = made.time_differs || std::abs(*made.ratio - 1) > modelled_tolerance;
    } else {
      const bool far = *made.ratio > 1 + options_.tolerance || *made.ratio < 1 / (1 + options_.tolerance);
      made.time_differs = made.time_differs || (far && (samples.empty() || made.beyond > 0));
    }
  }

  void compare_work(verified_trial& made, const std::map<std::string, double>& now) const {
    made.work_differs = recorded_.counters(made.recorded.id) != now;
  }

  const db::store& recorded_;
  const verify_options& options_;
  recorded_workloads workloads_;
  std::optional<backends::device_info> chosen_;
  std::map<std::string, std::unique_ptr<problem>> problems_;
  std::map<std::int64_t, std::optional<backends::device_info>> devices_;
  std::map<std::int64_t, std::string> settings_;
  std::map<std::pair<std::string, std::string>, std::vector<runnable>> groups_;  // by experiment text and selector
  verification result_;
};

}  // namespace

std::size_t verification::count(bool verified_trial::*what) const {
  return static_cast<std::size_t>(
      std::count_if(trials.begin(), trials.end(), [what](const verified_trial& one) { return one.*what; }));
}

std::size_t verification::wrong_answers() const {
  return static_cast<std::size_t>(std::count_if(
      trials.begin(), trials.end(), [](const verified_trial& one) { return one.now == db::outcome::wrong_answer; }));
}

std::size_t verification::timed() const {
  return static_cast<std::size_t>(std::count_if(trials.begin(), trials.end(), [](const verified_trial& one) {
    return one.ratio.has_value() && !one.recorded.times_modelled;
  }));
}

bool verification::failed() const {
  if (wrong_answers() > 0 || count(&verified_trial::outcome_differs) > 0) return true;
  if (count(&verified_trial::work_differs) > 0) return true;
  std::size_t measured = 0;
  for (const verified_trial& one : trials) {
    if (!one.time_differs) continue;
    if (one.recorded.times_modelled) return true;
    ++measured;
  }
  return static_cast<double>(measured) > most_different * static_cast<double>(timed());
}

verification verify_recorded(const db::store& recorded, const verify_options& options) {
  return verifier(recorded, options).run();
}

}  // namespace mlmq::tuner
