// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep_worker.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "db/finals.hpp"
#include "db/sessions.hpp"
#include "db/statistics.hpp"
#include "db/worker.hpp"
#include "tuner/finals.hpp"
#include "tuner/measurement.hpp"
#include "tuner/resident_workloads.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;
using event_kind = worker_event::kind;

/// Reading a large workload from a slow disk.
constexpr double load_within_ms = 60 * 60e3;
/// How often a session's times and the best times of others are looked at.
constexpr std::chrono::milliseconds refresh_interval{1000};
/// Steps much shorter than this are told together.
constexpr std::chrono::milliseconds quiet_interval{100};

/// Adds the time that it lives, in milliseconds.
class stopwatch {
 public:
  explicit stopwatch(double& to) : to_(to) {}
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() { to_ += milliseconds_since(start_); }

 private:
  double& to_;
  clock::time_point start_ = clock::now();
};

unsigned compile_threads(unsigned workers) {
  return std::max(1U, std::thread::hardware_concurrency() / std::max(1U, workers));
}

class worker {
 public:
  worker(const worker_task& task, const experiment_file& experiment, const problem& of, backends::backend& device,
         db::store& store, worker_link& link)
      : task_(task),
        experiment_(experiment),
        problem_(of),
        device_(device),
        store_(store),
        link_(link),
        recorder_(backends::record_device(device.info())),
        variants_(device, compile_threads(task.workers)),
        workloads_(of, device, task.plan.workloads) {}

  void run() {
    session_ = db::start_session(store_, task_.plan.experiment, device_row(), task_.plan.host, identity_, task_.device);
    tell({.what = event_kind::ready, .text = identity_});
    for (;;) {
      if (link_.stop_requested()) break;
      if (work_once()) continue;
      update_session();
      tell({.what = event_kind::drained});
      const auto start = clock::now();
      const bool more = link_.wait_for_more();
      times_.idle += milliseconds_since(start);
      if (!more) break;
      look_ahead_ = true;
    }
    update_session();
    tell({.what = event_kind::ended});
  }

 private:
  [[nodiscard]] std::int64_t device_row() const { return task_.plan.devices.at(0); }

  /// What `work` returns, its time counted as the database's.
  template <class Work>
  auto recording(const Work& work) {
    const stopwatch counting(times_.record);
    return work();
  }

  /// One trial or final: of the present workload while it has some. False when there is none to claim.
  bool work_once() {
    db::claim_options here;
    here.preferred_workload = workload_;
    here.only_preferred = true;
    if (workload_ != 0 && (try_trial(here) || try_final(workload_))) return true;
    db::claim_options anywhere;
    anywhere.spread_over_workloads = true;
    return try_trial(anywhere) || try_final(std::nullopt);
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

  /// Nothing that was claimed is left behind by an exception, but for what has cost the device.
  template <class Work>
  void blaming(std::int64_t trial, const Work& work) {
    try {
      work();
    } catch (const device_lost& lost) {
      tell({.what = event_kind::lost, .text = lost.what(), .trial = trial, .outcome = lost.result.result});
      throw;
    } catch (...) {
      give_back();
      throw;
    }
  }

  /// The trial that was begun is not to blame for what happened: it is pending again, for whoever continues.
  void give_back() noexcept {
    try {
      store_.release_worker(identity_);
    } catch (...) {
      // The database may be what failed. The trial is released when this process has ended.
    }
  }

  /// @param trial that needs it; 0: a final
  resident_workloads::resident& make_resident(std::int64_t trial, std::int64_t workload, const std::string& name) {
    if (!workloads_.holds(workload)) announce(trial, "loading " + name, load_within_ms);
    const double before = times_.load + times_.upload;
    resident_workloads::resident& found = workloads_.get(workload, name, times_);
    upload_ms_ += times_.load + times_.upload - before;
    const bool is_new = std::exchange(workload_, workload) != workload;
    if (is_new) best_.clear();
    if ((is_new || look_ahead_) && found.instance != nullptr) compile_ahead(*found.instance);
    look_ahead_ = false;
    return found;
  }

  /// Compiles in the background what the next trials on this workload need. Workers on other workloads need the same variants:
  /// each begins at another place, and finds in the disk cache what the others have made.
  void compile_ahead(const problem_instance& instance) {
    db::claim_options options;
    options.preferred_workload = workload_;
    options.only_preferred = true;
    std::vector<backends::kernel_source> queries;
    for (const db::pending_trial& trial : store_.upcoming(task_.plan.experiment, device_row(), 4096, options)) {
      try {
        queries.push_back(instance.variant(configuration::from_json(trial.parameters_json), instrumentation_of(trial)));
      } catch (const backends::launch_error&) {
        continue;  // the trial itself will say so
      }
    }
    const std::size_t first = queries.size() * task_.rank / std::max(1U, task_.workers);
    std::rotate(queries.begin(), queries.begin() + static_cast<std::ptrdiff_t>(first), queries.end());
    variants_.prefetch(queries);
  }

  static instrumentation instrumentation_of(const db::pending_trial& trial) {
    if (trial.measurement == "timeline") return instrumentation::timeline;
    return trial.measurement == "counters" ? instrumentation::counters : instrumentation::none;
  }

  /// @param what is measured: "l1=none on road8, source=0"
  [[nodiscard]] measurement_context context_for(std::int64_t trial, const std::string& what) {
    return {.best_ms = std::nullopt,
            .on_step =
                [this, trial, what](const measurement_step& step) {
                  announce(trial, std::string(step.doing) + ' ' + what, step.within_ms);
                },
            .on_out_of_memory = [this] { return workloads_.keep_only_newest(); },
            .recorder = recorder_.get()};
  }

  void run_trial(const db::pending_trial& trial) {
    announced_ = {};
    const configuration chosen = configuration::from_json(trial.parameters_json);
    // Planned before the limit was declared.
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
    finish(trial,
           measure_trial(device_, *workload.instance, variants_, problem_.name(), chosen, query::parse(trial.query),
                         instrumentation_of(trial), experiment_.measurement, context));
  }

  [[nodiscard]] db::trial_result cannot_run(const std::string& why) const {
    db::trial_result result;
    result.result = db::outcome::constraint;
    result.message = why;
    result.times_modelled = device_.info().modelled;
    result.program_version = program_version();
    result.driver = device_.info().driver;
    result.seed = experiment_.measurement.seed;
    return result;
  }

  void finish(const db::pending_trial& trial, db::trial_result result) {
    result.host = task_.plan.host;
    // Bringing a workload to the device is charged to the first trial on it.
    result.upload_ms = std::exchange(upload_ms_, 0.0);
    recording([&] { return store_.finish(trial.id, result); });
    times_.compile += result.compile_ms;
    times_.prepare += result.prepare_ms;
    times_.measure += result.measure_ms;
    times_.check += result.check_ms;
    ++trials_;
    worker_event done{.what = event_kind::trial_done,
                      .text = trial.label,
                      .trial = trial.id,
                      .outcome = result.result,
                      .workload = trial.workload_name,
                      .query = trial.query};
    for (const double sample : result.samples_ms) done.kernels_ms += sample;
    if (result.result == db::outcome::ok && !result.samples_ms.empty()) {
      done.milliseconds = db::median(result.samples_ms);
      note_best(trial.query, done.milliseconds);
    }
    if (clock::now() - session_seen_ >= refresh_interval) update_session();
    tell(done);
  }

  void run_final(const db::pending_final& of) {
    announced_ = {};
    const resident_workloads::resident& workload = make_resident(0, of.workload, of.workload_name);
    final_measurement measured;
    if (workload.instance == nullptr) {
      measured.message = workload.too_large;
    } else {
      measured = measure_final(device_, *workload.instance, variants_, of, query::parse(of.query),
                               experiment_.measurement, context_for(0, "finalists on " + of.workload_name));
    }
    recording([&] { db::finish_final(store_, of.id, measured.results, measured.message); });
    times_ += measured.times;
    worker_event done{.what = event_kind::final_done, .workload = of.workload_name, .query = of.query};
    for (std::size_t i = 0; i < measured.results.size(); ++i) {
      const auto& samples = measured.results[i].samples_ms;
      if (samples.empty()) continue;
      for (const double sample : samples) done.kernels_ms += sample;
      const double median = db::median(samples);
      if (done.milliseconds > 0 && done.milliseconds <= median) continue;
      done.milliseconds = median;
      done.text = of.finalists[i].label;
    }
    tell(done);
  }

  /// The best time on the present workload, by this and other workers.
  std::optional<double> best_of(const std::string& query) {
    best_time& known = best_[query];
    if (clock::now() - known.read >= refresh_interval) {
      known.milliseconds = store_.best_time(problem_.name(), device_row(), workload_, query);
      known.read = clock::now();
    }
    return known.milliseconds;
  }

  void note_best(const std::string& query, double milliseconds) {
    best_time& known = best_[query];
    if (!known.milliseconds || milliseconds < *known.milliseconds) known.milliseconds = milliseconds;
  }

  void update_session() {
    session_seen_ = clock::now();
    times_.wall = milliseconds_since(start_);
    recording([&] { db::update_session(store_, session_, times_, trials_); });
  }

  /// Says what begins, and by when it ends at the latest. A promise that is still good for this step is not renewed, so
  /// that short runs do not spend their time on talking.
  void announce(std::int64_t trial, const std::string& doing, double within_ms) {
    const auto now = clock::now();
    if (trial == announced_.trial && doing == announced_.doing && within_ms == announced_.within_ms &&
        now - announced_.at < quiet_interval) {
      return;
    }
    announced_ = {.trial = trial, .doing = doing, .within_ms = within_ms, .at = now};
    const double allowed = within_ms > 0 ? within_ms + static_cast<double>(quiet_interval.count()) : 0;
    link_.tell({.what = event_kind::step, .text = doing, .within_ms = allowed, .trial = trial});
  }

  void tell(worker_event event) {
    times_.wall = milliseconds_since(start_);
    event.times = times_;
    event.variants = variants_.totals();
    link_.tell(event);
  }

  struct best_time {
    std::optional<double> milliseconds;
    clock::time_point read;
  };
  struct announcement {
    std::int64_t trial = -1;
    std::string doing = {};
    double within_ms = -1;
    clock::time_point at;
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
  variant_cache variants_;
  resident_workloads workloads_;
  std::int64_t workload_ = 0;              // the present one; 0: none yet
  bool look_ahead_ = false;                // trials have been added that are not compiled ahead
  double upload_ms_ = 0;                   // of the present workload, until a trial has been charged for it
  std::map<std::string, best_time> best_;  // on the present workload, by query
  announcement announced_;
  std::int64_t session_ = 0;
  clock::time_point session_seen_ = clock::now();
  db::session_times times_;
  std::size_t trials_ = 0;
};

}  // namespace

void run_worker(const worker_task& task, const experiment_file& experiment, const problem& of,
                backends::backend& device, db::store& store, worker_link& link) {
  worker(task, experiment, of, device, store, link).run();
}

}  // namespace mlmq::tuner
