// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/kernel_sources.hpp"
#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "db/finals.hpp"
#include "db/sessions.hpp"
#include "db/statistics.hpp"
#include "db/worker.hpp"
#include "tuner/finals.hpp"
#include "tuner/load_budget.hpp"
#include "tuner/measurement.hpp"
#include "tuner/resident_workloads.hpp"
#include "tuner/workload_loader.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;
using event_kind = worker_event::kind;

/// Time limit for reading a large workload from a slow disk.
constexpr double load_within_ms = 60 * 60e3;
/// Interval for updating the session and for reading the best times of other workers.
constexpr std::chrono::milliseconds refresh_interval{1000};
/// Multiple of its own duration after which a worker lists the waiting workloads again.
constexpr int look_interval = 20;
/// Shorter steps are reported together.
constexpr std::chrono::milliseconds quiet_interval{100};
/// Workloads that are read before they are needed, if the memory suffices.
constexpr std::size_t most_read_ahead = 32;

/// Adds its own lifetime in milliseconds to a total.
class stopwatch {
 public:
  explicit stopwatch(double& total_ms) : total_ms_(total_ms) {}
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() { total_ms_ += milliseconds_since(start_); }

 private:
  double& total_ms_;
  clock::time_point start_ = clock::now();
};

unsigned background_threads(unsigned workers) {
  return std::max(1U, std::thread::hardware_concurrency() / std::max(1U, workers));
}

class worker {
 public:
  worker(const worker_task& task, const experiment_file& experiment, const problem& problem, backends::backend& device,
         db::store& store, worker_link& link)
      : task_(task),
        experiment_(experiment),
        problem_(problem),
        device_(device),
        store_(store),
        link_(link),
        recorder_(backends::record_device(device.info())),
        variants_(device, background_threads(task.workers)),
        planned_(task.plan.workloads),
        // Reading would slow down searches on processors.
        loader_(problem.workloads(), device.info().grid ? background_threads(task.workers) : 0,
                load_budget::of_machine(task.workers)),
        workloads_(problem, device, loader_) {
    for (std::size_t i = 0; i < planned_.size(); ++i) positions_.emplace(planned_[i].row, i);
  }

  void run() {
    session_ = db::start_session(store_, task_.plan.experiment, device_row(), task_.plan.host, identity_, task_.device);
    send({.type = event_kind::ready, .text = identity_});
    for (;;) {
      if (link_.stop_requested()) break;
      if (work_once()) continue;
      update_session();
      send({.type = event_kind::drained});
      const auto start = clock::now();
      const bool more = link_.wait_for_more();
      times_.idle += milliseconds_since(start);
      if (!more) break;
      has_new_trials_ = true;
    }
    update_session();
    send({.type = event_kind::ended});
  }

 private:
  [[nodiscard]] std::int64_t device_row() const { return task_.plan.devices.at(0); }

  /// Calls `work`, counting its time as database time.
  template <class Work>
  auto recording(const Work& work) {
    const stopwatch counting(times_.record);
    return work();
  }

  /// Runs one trial or final, preferably of the current workload. Returns false if there is none to claim.
  bool work_once() {
    db::claim_options same_workload;
    same_workload.preferred_workload = workload_;
    same_workload.only_preferred = true;
    if (workload_ != 0 && !is_new_proposal() && (try_trial(same_workload) || try_final(workload_))) return true;
    if (experiment_.strategy.learns()) {
      same_workload.preferred_workload = longest_left();
      if (same_workload.preferred_workload && try_trial(same_workload)) return true;
    }
    look_ahead();
    while (const std::optional<std::int64_t> next = take_candidate()) {
      same_workload.preferred_workload = next;
      if (try_trial(same_workload)) return true;
    }
    db::claim_options any_workload;
    any_workload.spread_over_workloads = true;
    return try_trial(any_workload) || try_final(std::nullopt);
  }

  /// Returns whether the next trial on this workload is of a proposal that a strategy has just made. Its variant is
  /// compiled while proposals for other workloads are measured.
  bool is_new_proposal() {
    if (!experiment_.strategy.learns()) return false;
    db::claim_options on_this_workload;
    on_this_workload.preferred_workload = workload_;
    on_this_workload.only_preferred = true;
    const std::vector<db::pending_trial> next =
        recording([&] { return store_.upcoming(task_.plan.experiment, device_row(), 1, on_this_workload); });
    return !next.empty() && next.front().configuration != configuration_;
  }

  /// Returns the workload with trials that this worker has left the longest ago, of those whose next variant is
  /// compiled, if there are any.
  std::optional<std::int64_t> longest_left() {
    std::vector<std::int64_t> waiting;
    for (const db::waiting_workload& candidate :
         recording([&] { return store_.waiting_workloads(task_.plan.experiment, device_row()); })) {
      if (candidate.workers == 0) waiting.push_back(candidate.workload);
    }
    if (waiting.empty()) return std::nullopt;
    std::ranges::sort(waiting, {}, [this](std::int64_t workload) { return visits_[workload]; });
    const auto compiled =
        std::ranges::find_if(waiting, [this](std::int64_t workload) { return is_compiled(workload); });
    return compiled == waiting.end() ? waiting.front() : *compiled;
  }

  /// Returns whether the variant of the next trial on a workload on the device is compiled.
  bool is_compiled(std::int64_t workload) {
    const problem_instance* const on_device = workloads_.find(workload);
    if (on_device == nullptr) return false;
    db::claim_options on_workload;
    on_workload.preferred_workload = workload;
    on_workload.only_preferred = true;
    const std::vector<db::pending_trial> next =
        recording([&] { return store_.upcoming(task_.plan.experiment, device_row(), 1, on_workload); });
    if (next.empty()) return false;
    try {
      return variants_.is_ready(
          on_device->variant(configuration::from_json(next.front().parameters_json), instrumentation_of(next.front())));
    } catch (const backends::launch_error&) {
      return true;  // the trial fails at once
    }
  }

  /// Finds the workloads that this worker will probably measure next, those of its share on which no worker is, and
  /// lets the loader read the first ones. There may be many of them, so that listing them for each would take longer
  /// than the trials.
  void look_ahead() {
    const auto start = clock::now();
    if (start - looked_ahead_ < look_interval * looking_) return read_ahead();
    candidates_.clear();
    for (const db::waiting_workload& candidate :
         recording([&] { return store_.waiting_workloads(task_.plan.experiment, device_row()); })) {
      if (candidate.workers > 0 || candidate.workload == workload_) continue;
      if (candidate.workload % std::max(1U, task_.workers) != task_.rank) continue;
      if (find_planned(candidate.workload) != nullptr) candidates_.push_back(candidate.workload);
    }
    read_ahead();
    looked_ahead_ = clock::now();
    looking_ = looked_ahead_ - start;
  }

  void read_ahead() {
    if (!loader_.reads_ahead()) return;
    std::vector<planned_workload> next;
    for (const std::int64_t candidate : candidates_) {
      if (next.size() == most_read_ahead) break;
      if (!workloads_.holds(candidate)) next.push_back(*find_planned(candidate));
    }
    loader_.read_ahead(next);
  }

  /// Takes the first candidate that the loader has read, or else the first.
  std::optional<std::int64_t> take_candidate() {
    if (candidates_.empty()) return std::nullopt;
    const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(std::min(candidates_.size(), most_read_ahead));
    auto taken = std::find_if(candidates_.begin(), end, [this](std::int64_t row) { return loader_.has_read(row); });
    if (taken == end) taken = candidates_.begin();
    const std::int64_t row = *taken;
    candidates_.erase(taken);
    return row;
  }

  [[nodiscard]] const planned_workload* find_planned(std::int64_t row) const {
    const auto match = positions_.find(row);
    return match == positions_.end() ? nullptr : &planned_[match->second];
  }

  void note_announced() {
    for (planned_workload& workload : link_.take_workloads()) {
      positions_.emplace(workload.row, planned_.size());
      planned_.push_back(std::move(workload));
    }
  }

  /// @param name for messages
  const planned_workload& planned(std::int64_t row, const std::string& name) {
    for (;;) {
      note_announced();
      if (const planned_workload* const workload = find_planned(row)) return *workload;
      if (link_.wait_for_workloads()) continue;
      throw input_error(
          "the experiment has unfinished trials on the workload '" + name +
          "', which this command does not include; add it to --workloads, or run the shard that contains it");
    }
  }

  bool try_trial(const db::claim_options& options) {
    const auto trial = recording([&] { return store_.claim(task_.plan.experiment, device_row(), identity_, options); });
    if (!trial) return false;
    blaming(trial->id, [&] { run_trial(*trial); });
    return true;
  }

  bool try_final(std::optional<std::int64_t> workload) {
    const std::size_t count = experiment_.measurement.finalists;
    if (count == 0) return false;
    const auto claimed = recording(
        [&] { return db::claim_final(store_, task_.plan.experiment, device_row(), identity_, count, workload); });
    if (!claimed) return false;
    blaming(0, [&] { run_final(*claimed); });
    return true;
  }

  /// Releases claimed work after an exception, except for a trial that lost the device.
  template <class Work>
  void blaming(std::int64_t trial, const Work& work) {
    try {
      work();
    } catch (const device_lost& lost) {
      send({.type = event_kind::lost, .text = lost.what(), .trial = trial, .outcome = lost.result.result});
      throw;
    } catch (...) {
      give_back();
      throw;
    }
  }

  /// Makes the claimed trial pending again, since it did not cause the error.
  void give_back() noexcept {
    try {
      store_.release_worker(identity_);
    } catch (...) {
      // The database itself may have failed. The trial is released after this process has ended.
    }
  }

  /// @param trial trial that needs the workload; 0: a final
  resident_workloads::resident& make_resident(std::int64_t trial, std::int64_t workload, const std::string& name) {
    if (!workloads_.holds(workload)) announce(trial, "loading " + name, load_within_ms);
    const double before = times_.load + times_.upload;
    resident_workloads::resident& resident = workloads_.get(planned(workload, name), times_);
    upload_ms_ += times_.load + times_.upload - before;
    const bool is_new = std::exchange(workload_, workload) != workload;
    if (is_new) {
      visits_[workload] = ++visit_;
      best_.clear();
      // For a strategy that learns, the worker comes back to its workloads.
      if (!experiment_.strategy.learns()) equal_trials_.clear();
    }
    if ((is_new || has_new_trials_) && resident.instance != nullptr) compile_ahead(*resident.instance);
    has_new_trials_ = false;
    if (loader_.reads_ahead() && (is_new || clock::now() - looked_ahead_ >= refresh_interval)) look_ahead();
    return resident;
  }

  /// Compiles the variants of the next trials on this workload in the background, and if a strategy learns, those of
  /// its few proposals for the other workloads on the device. Other workers need the same variants, so each begins at a
  /// different position and finds the variants of the others in the disk cache.
  void compile_ahead(const problem_instance& instance) {
    db::claim_options options;
    options.preferred_workload = workload_;
    options.only_preferred = !experiment_.strategy.learns();
    std::vector<backends::kernel_source> sources;
    for (const db::pending_trial& trial : store_.upcoming(task_.plan.experiment, device_row(), 4096, options)) {
      const problem_instance* const on_device =
          trial.workload == workload_ ? &instance : workloads_.find(trial.workload);
      if (on_device == nullptr) continue;
      try {
        sources.push_back(
            on_device->variant(configuration::from_json(trial.parameters_json), instrumentation_of(trial)));
      } catch (const backends::launch_error&) {
        continue;  // the trial itself will report the error
      }
    }
    const std::size_t first = sources.size() * task_.rank / std::max(1U, task_.workers);
    std::rotate(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(first), sources.end());
    variants_.prefetch(sources);
  }

  static instrumentation instrumentation_of(const db::pending_trial& trial) {
    if (trial.measurement == "timeline") return instrumentation::timeline;
    return trial.measurement == "counters" ? instrumentation::counters : instrumentation::none;
  }

  /// @param subject what is measured: "l1=none on road8, source=0"
  [[nodiscard]] measurement_context context_for(std::int64_t trial, const std::string& subject) {
    return {.best_ms = std::nullopt,
            .on_step =
                [this, trial, subject](const measurement_step& step) {
                  announce(trial, std::string(step.doing) + ' ' + subject, step.within_ms);
                },
            .find_equal = {},
            .find_recorded = {},
            .on_out_of_memory = [this] { return workloads_.keep_only_newest(); },
            .recorder = recorder_.get()};
  }

  void run_trial(const db::pending_trial& trial) {
    announced_ = {};
    configuration_ = trial.configuration;
    const configuration chosen = configuration::from_json(trial.parameters_json);
    if (!is_of_this_code(trial)) {
      throw input_error(source_place{task_.file, 0}.prefix() +
                        "the code of the kernel has changed since the sweep began; run the command again");
    }
    // The trial may have been planned before the limit was declared.
    if (const std::string broken = parameters_.broken_limit(chosen); !broken.empty()) {
      finish(trial, cannot_run(broken));
      return;
    }
    const resident_workloads::resident& workload = make_resident(trial.id, trial.workload, trial.workload_name);
    if (workload.instance == nullptr) {
      finish(trial, cannot_run(workload.too_large));
      return;
    }
    measurement_context context =
        context_for(trial.id, trial.label + " on " + trial.workload_name + ", " + trial.query);
    if (experiment_.measurement.slowdown_limit > 0) context.best_ms = best_of(trial.query);
    if (const std::string reason = open_instruments(trial.measurement, context); !reason.empty()) {
      finish(trial, cannot_run(reason));
      return;
    }
    std::string identity;
    context.find_equal = [&](const std::string& machine) -> std::optional<db::trial_result> {
      identity = fmt::format("{} {} {}\n{}", trial.workload, trial.query, trial.measurement, machine);
      const auto equal = equal_trials_.find(identity);
      return equal == equal_trials_.end() ? std::nullopt : std::optional(equal->second);
    };
    context.find_recorded = [&](const db::variant_record& variant, const backends::kernel_source& source) {
      auto equal = store_.find_equal(trial.id, variant);
      // Where the hash of the sources covers more than the variant, its instructions say nothing about the rest.
      const auto sources = [&] { return backends::kernel_sources::load(backends::search_folders(source), source); };
      if (equal && sources().code_hash() != problem_.source_hash(chosen)) equal.reset();
      return equal;
    };
    db::trial_result result =
        measure_trial(device_, *workload.instance, variants_, problem_.name(), chosen, query::parse(trial.query),
                      instrumentation_of(trial), experiment_.measurement, context);
    if (!identity.empty() && result.result == db::outcome::ok) {
      const auto [entry, is_new] = equal_trials_.try_emplace(identity, result);
      if (is_new) {
        entry->second.message = fmt::format(
            "not measured: machine code, launches and arguments are those of '{}', whose times these are", trial.label);
      }
    }
    finish(trial, std::move(result));
  }

  /// Opens the profiler or the monitor that a measurement needs, and adds it to `context`. Returns why that failed.
  [[nodiscard]] std::string open_instruments(const std::string& measurement, measurement_context& context) {
    if (measurement == "hardware") {
      if (profiler_ == nullptr && no_profiler_.empty()) {
        try {
          profiler_ = backends::open_profiler(device_.info(), experiment_.measurement.hardware_counters);
        } catch (const work_error& error) {
          no_profiler_ = error.what();
        }
      }
      context.profiler = profiler_.get();
      return no_profiler_;
    }
    if (measurement == "energy") {
      if (energy_monitor_ == nullptr) energy_monitor_ = backends::open_monitor(device_.info());
      context.energy_monitor = energy_monitor_.get();
      if (energy_monitor_ == nullptr)
        return "energy: NVML (libnvidia-ml.so.1) cannot be opened or does not know the GPU";
      if (!energy_monitor_->energy_mj()) return "energy: " + device_.info().name + " does not count energy";
    }
    return "";
  }

  [[nodiscard]] db::trial_result cannot_run(const std::string& reason) const {
    db::trial_result result;
    result.result = db::outcome::constraint;
    result.message = reason;
    result.times_modelled = device_.info().modelled;
    result.program_version = program_version();
    result.driver = device_.info().driver;
    result.seed = experiment_.measurement.seed;
    return result;
  }

  void finish(const db::pending_trial& trial, db::trial_result result) {
    result.host = task_.plan.host;
    // Uploading a workload is charged to the first trial on it.
    result.upload_ms = std::exchange(upload_ms_, 0.0);
    recording([&] { return store_.finish(trial.id, result); });
    times_.compile += result.compile_ms;
    times_.prepare += result.prepare_ms;
    times_.measure += result.measure_ms;
    times_.check += result.check_ms;
    ++trials_;
    worker_event done{.type = event_kind::trial_done,
                      .text = trial.label,
                      .trial = trial.id,
                      .outcome = result.result,
                      .workload = trial.workload_name,
                      .query = trial.query};
    for (const double sample : result.samples_ms) done.kernels_ms += sample;
    if (result.result == db::outcome::ok && (result.taken_over || !result.samples_ms.empty())) {
      done.milliseconds = result.taken_over ? result.taken_over->median_ms : db::median(result.samples_ms);
      note_best(trial.query, done.milliseconds);
    }
    if (clock::now() - session_seen_ >= refresh_interval) update_session();
    send(done);
  }

  /// Returns whether the code that this worker compiles is the one that the trial measures.
  [[nodiscard]] bool is_of_this_code(const db::pending_trial& trial) const {
    const std::string sources = problem_.source_hash(configuration::from_json(trial.parameters_json));
    return store_.recorded_code(sources) == trial.kernel_source_hash;
  }

  void run_final(const db::pending_final& pending) {
    announced_ = {};
    const resident_workloads::resident& workload = make_resident(0, pending.workload, pending.workload_name);
    final_measurement measured;
    const auto of_other_code =
        std::ranges::find_if_not(pending.finalists, [&](const auto& trial) { return is_of_this_code(trial); });
    if (workload.instance == nullptr) {
      measured.message = workload.too_large;
    } else if (of_other_code != pending.finalists.end()) {
      measured.message =
          fmt::format("the code of the kernel has changed since the trial of '{}'", of_other_code->label);
    } else {
      measured = measure_final(device_, *workload.instance, variants_, pending, query::parse(pending.query),
                               experiment_.measurement, context_for(0, "finalists on " + pending.workload_name));
    }
    recording([&] { db::finish_final(store_, pending.id, measured.results, measured.message); });
    times_ += measured.times;
    worker_event done{.type = event_kind::final_done, .workload = pending.workload_name, .query = pending.query};
    for (std::size_t i = 0; i < measured.results.size(); ++i) {
      const auto& samples = measured.results[i].samples_ms;
      if (samples.empty()) continue;
      for (const double sample : samples) done.kernels_ms += sample;
      const double median = db::median(samples);
      if (done.milliseconds > 0 && done.milliseconds <= median) continue;
      done.milliseconds = median;
      done.text = pending.finalists[i].label;
    }
    send(done);
  }

  /// Returns the best time on the current workload, of this and other workers.
  std::optional<double> best_of(const std::string& query) {
    best_time& best = best_[query];
    if (clock::now() - best.read >= refresh_interval) {
      best.milliseconds = store_.best_time(problem_.name(), device_row(), workload_, query);
      best.read = clock::now();
    }
    return best.milliseconds;
  }

  void note_best(const std::string& query, double milliseconds) {
    best_time& best = best_[query];
    if (!best.milliseconds || milliseconds < *best.milliseconds) best.milliseconds = milliseconds;
  }

  void update_session() {
    session_seen_ = clock::now();
    times_.wall = milliseconds_since(start_);
    recording([&] { db::update_session(store_, session_, times_, trials_); });
  }

  /// Announces a step and its time limit. A recent announcement of the same step is not repeated, so that short runs do
  /// not spend their time on communication.
  void announce(std::int64_t trial, const std::string& doing, double within_ms) {
    const auto now = clock::now();
    if (trial == announced_.trial && doing == announced_.doing && within_ms == announced_.within_ms &&
        now - announced_.time < quiet_interval) {
      return;
    }
    announced_ = {.trial = trial, .doing = doing, .within_ms = within_ms, .time = now};
    const double allowed = within_ms > 0 ? within_ms + static_cast<double>(quiet_interval.count()) : 0;
    link_.send({.type = event_kind::step, .text = doing, .within_ms = allowed, .trial = trial});
  }

  void send(worker_event event) {
    times_.wall = milliseconds_since(start_);
    event.times = times_;
    event.variants = variants_.totals();
    link_.send(event);
  }

  struct best_time {
    std::optional<double> milliseconds;
    clock::time_point read;
  };
  struct announcement {
    std::int64_t trial = -1;
    std::string doing = {};
    double within_ms = -1;
    clock::time_point time;
  };

  const worker_task& task_;
  const experiment_file& experiment_;
  const problem& problem_;
  parameter_set parameters_ = parameter_set::from_declarations(problem_.declarations());
  backends::backend& device_;
  db::store& store_;
  worker_link& link_;
  clock::time_point start_ = clock::now();
  std::string identity_ = db::this_worker();
  std::unique_ptr<backends::device_recorder> recorder_;
  std::unique_ptr<backends::hardware_profiler> profiler_;
  std::string no_profiler_;  // why it cannot be opened
  std::unique_ptr<backends::device_monitor> energy_monitor_;
  variant_cache variants_;
  std::vector<planned_workload> planned_;
  std::unordered_map<std::int64_t, std::size_t> positions_;  // of the rows in planned_
  workload_loader loader_;
  resident_workloads workloads_;
  std::deque<std::int64_t> candidates_;  // the next workloads, as look_ahead() found them
  clock::time_point looked_ahead_;
  clock::duration looking_{};                               // duration of the last look_ahead()
  std::int64_t workload_ = 0;                               // current workload; 0: none yet
  std::int64_t configuration_ = 0;                          // of the last trial; 0: none yet
  std::unordered_map<std::int64_t, std::uint64_t> visits_;  // by workload: number of its last visit
  std::uint64_t visit_ = 0;
  bool has_new_trials_ = false;  // whether there are new trials to compile ahead
  double upload_ms_ = 0;         // upload time of the current workload, until it has been charged to a trial
  std::map<std::string, db::trial_result> equal_trials_;  // first results, by workload, query and machine code
  std::map<std::string, best_time> best_;                 // best times on the current workload, by query
  announcement announced_;
  std::int64_t session_ = 0;
  clock::time_point session_seen_ = clock::now();
  db::session_times times_;
  std::size_t trials_ = 0;
};

}  // namespace

void run_worker(const worker_task& task, const experiment_file& experiment, const problem& problem,
                backends::backend& device, db::store& store, worker_link& link) {
  worker(task, experiment, problem, device, store, link).run();
}

}  // namespace mlmq::tuner
