// SPDX-License-Identifier: Apache-2.0
#include "tuner/supervisor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "backends/registry.hpp"
#include "base/child_process.hpp"
#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "db/finals.hpp"
#include "tuner/worker_watch.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;
using event_kind = worker_event::kind;

/// Time limit for claiming and recording, which may wait for a locked database (lock_timeout()).
constexpr double between_within_ms = 60e3;
constexpr const char* between_trials = "claiming a trial";
/// A longer gap between two polls means that the supervisor itself was held up, by a locked database, a sleeping
/// machine or a stop signal. The excess does not count as silence of the workers.
constexpr std::chrono::seconds max_poll_gap{1};
constexpr std::chrono::seconds waiting_interval{1};  // interval between reports of what the sweep is waiting for
/// Interval at which a waiting tuning run checks for results of other sweeps.
constexpr std::chrono::milliseconds search_poll_interval{500};
constexpr int max_failed_starts = 3;
constexpr int max_consecutive_deaths = 50;
constexpr std::size_t stderr_tail_bytes = 400;

clock::time_point after(double milliseconds) {
  return clock::now() +
         std::chrono::duration_cast<clock::duration>(std::chrono::duration<double, std::milli>(milliseconds));
}

/// Returns whether an external signal ended the process.
bool is_from_outside(const process_end& end) {
  constexpr std::array signals{SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  return std::find(signals.begin(), signals.end(), end.signal) != signals.end();
}

/// State of one device and its current worker. Workers that end are replaced.
struct worker_slot {
  explicit worker_slot(double grace_ms) : watch(grace_ms) {}

  std::string selector;
  std::int64_t device = 0;
  std::string driver;
  worker_watch watch;

  std::optional<child_process> process;
  std::optional<clock::time_point> start_at;  ///< time of the next start, if one is due
  std::string output;                         ///< incomplete line
  std::string stderr_tail;                    ///< end of its output to stderr
  std::string identity;                       ///< identity in the database; empty until it is ready
  bool drained = false;
  bool ended = false;
  std::optional<worker_event> lost;
  std::optional<std::string> killed;  ///< reason why the supervisor killed it
  bool silent = false;                ///< whether it was killed for silence
  bool stopped = false;               ///< whether it was silent because of a SIGSTOP
  std::int64_t trial = 0;             ///< last announced trial

  int failed_starts = 0;       ///< failed starts since the last successful one, except those ended from outside
  int consecutive_deaths = 0;  ///< deaths of workers in a row without a finished trial
};

class supervisor {
 public:
  supervisor(growing_plan& growing, db::store& store, const supervisor_options& options)
      : growing_(growing),
        plan_(growing.plan()),
        store_(store),
        options_(options),
        grace_ms_(options.grace_s * 1000),
        statistics_(store, growing, options.runs, selectors(options)),
        notes_before_(plan_.notes.size()) {
    for (std::size_t i = 0; i < options.devices.size(); ++i) {
      const backends::device_info& device = options.devices[i];
      worker_slot& slot = slots_.emplace_back(grace_ms_);
      slot.selector = device.selector;
      slot.device = plan_.devices.at(i);
      slot.driver = device.driver;
      slot.start_at = clock::now();
    }
    // A stopped worker may hold the lock that the store waits for.
    store_.on_busy([this] { watch_for_silence(); }, lock_timeout(grace_ms_));
  }
  supervisor(const supervisor&) = delete;
  supervisor& operator=(const supervisor&) = delete;
  ~supervisor() { store_.on_busy({}, db::store::default_busy_timeout); }

  sweep_summary run() {
    if (options_.runs != nullptr && options_.runs->advance()) statistics_.note_planned();
    while (has_active_workers()) {
      if (!stopping_ && options_.stop_requested && options_.stop_requested()) {
        interrupted_ = true;
        stop();
      }
      // A new worker would create another database file.
      if (!stopping_ && !store_.is_in_place()) stop();
      start_due();
      wait();
      note_poll();
      for (std::size_t i = 0; i < slots_.size(); ++i) poll_worker(i);
      if (!stopping_) continue_planning();
      if (!stopping_) continue_searches();
      if (!stopping_ && all_drained() && !searching() && !growing_.unfinished()) stop();
      report_waiting();
    }
    store_.require_in_place();
    if (failure_) {
      if (failure_->is_input) throw input_error(failure_->text);
      throw work_error(failure_->text);
    }
    sweep_summary summary = statistics_.summary();
    summary.interrupted = interrupted_;
    summary.workers_lost = workers_lost_;
    summary.notes = notes_;
    summary.notes.insert(summary.notes.end(), plan_.notes.begin() + static_cast<std::ptrdiff_t>(notes_before_),
                         plan_.notes.end());
    const db::progress now = store_.experiment_progress(plan_.experiment);
    summary.running_elsewhere = now.running;
    if (!interrupted_ && (now.pending > 0 || searching() || growing_.unfinished()) && !notes_.empty()) {
      throw work_error(notes_.front() + "; rerun this command to continue");
    }
    return summary;
  }

 private:
  static std::vector<std::string> selectors(const supervisor_options& options) {
    std::vector<std::string> result;
    for (const backends::device_info& device : options.devices) result.push_back(device.selector);
    return result;
  }

  [[nodiscard]] bool has_active_workers() const {
    return std::any_of(slots_.begin(), slots_.end(), [](const worker_slot& p) { return p.process || p.start_at; });
  }

  [[nodiscard]] bool all_drained() const {
    return std::all_of(slots_.begin(), slots_.end(),
                       [](const worker_slot& p) { return !p.start_at && (!p.process || p.drained); });
  }

  [[nodiscard]] bool searching() const { return options_.runs != nullptr && options_.runs->unfinished(); }

  /// Plans trials on the workloads that have been read.
  void continue_planning() {
    if (!growing_.unfinished()) return;
    try {
      // A worker must know a workload before it can claim a trial on it.
      if (!growing_.advance([this](const planned_workload& workload) { send_all(workload_message(workload)); })) return;
    } catch (const input_error& error) {
      if (!failure_) failure_ = worker_event{.type = event_kind::failed, .text = error.what(), .is_input = true};
      stop();
      return;
    }
    if (!growing_.unfinished()) send_all("planned");
    statistics_.note_planned();
    wake_drained();
  }

  void send_all(const std::string& message) {
    for (worker_slot& p : slots_) {
      if (p.process) p.process->send(message + "\n");
    }
  }

  /// Plans new trials for idle workers as soon as there are new results.
  void continue_searches() {
    if (!searching()) return;
    if (std::none_of(slots_.begin(), slots_.end(), [](const worker_slot& p) { return p.process && p.drained; })) return;
    const bool look = clock::now() >= next_search_poll_;
    if (!results_ && !look) return;
    results_ = false;
    bool more = options_.runs->advance();
    if (more) statistics_.note_planned();
    if (look) {
      // Another sweep may have abandoned a trial that a tuning run waits for.
      next_search_poll_ = clock::now() + search_poll_interval;
      store_.release_abandoned();
      more = more || (all_drained() && store_.experiment_progress(plan_.experiment).pending > 0);
    }
    if (more) wake_drained();
  }

  /// Lets no worker begin another trial.
  void stop() {
    stopping_ = true;
    for (worker_slot& p : slots_) {
      p.start_at.reset();
      if (p.process) p.process->send("stop\n");
    }
  }

  void start_due() {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      worker_slot& p = slots_[i];
      if (!p.start_at || *p.start_at > clock::now()) continue;
      p.start_at.reset();
      worker_task task{.database = options_.database,
                       .device = p.selector,
                       .file = options_.experiment_file,
                       .plan = plan_,
                       .rank = static_cast<unsigned>(i),
                       .workers = static_cast<unsigned>(slots_.size()),
                       .parent = ::getpid(),
                       .grace_ms = grace_ms_,
                       .more_workloads = growing_.unfinished()};
      task.plan.devices = {p.device};
      std::map<std::string, std::string> environment = options_.environment;
      environment.merge(backends::worker_environment(options_.devices.at(i)));
      environment[sweep_folder_variable] = folder_.path().string();
      p.process.emplace(options_.command, environment);
      p.output.clear();
      p.stderr_tail.clear();
      p.identity.clear();
      p.drained = p.ended = p.silent = p.stopped = false;
      p.killed.reset();
      p.lost.reset();
      p.trial = 0;
      p.watch.start(clock::now());
      p.process->send(task.to_json() + "\n");
    }
  }

  /// Waits for output of a worker or for the next poll.
  void wait() const {
    std::vector<pollfd> descriptors;
    for (const worker_slot& p : slots_) {
      if (!p.process) continue;
      for (const int descriptor : {p.process->output(), p.process->errors()}) {
        if (descriptor >= 0) descriptors.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
      }
      if (p.process->unsent() >= 0) descriptors.push_back({.fd = p.process->unsent(), .events = POLLOUT, .revents = 0});
    }
    // A process may close its streams some time before it has ended.
    const int milliseconds = descriptors.empty() ? 2 : 50;
    ::poll(descriptors.data(), descriptors.size(), milliseconds);
  }

  /// Excludes the time in which the supervisor was busy from the silence of the workers.
  void note_poll() {
    const auto now = clock::now();
    const auto pause = now - std::exchange(last_poll_, now);
    if (pause <= max_poll_gap) return;
    for (worker_slot& p : slots_) p.watch.forgive(pause - max_poll_gap);
  }

  void read_output(worker_slot& p) {
    const std::size_t before = p.output.size();
    p.process->read_output(p.output);
    if (p.output.size() > before) p.watch.hear(clock::now());
  }

  /// Called while the database is locked. It only reads output and kills workers, since the caller is in mid-operation.
  void watch_for_silence() {
    note_poll();
    for (worker_slot& p : slots_) {
      if (!p.process || p.killed) continue;
      read_output(p);
      if (p.watch.is_silent(clock::now())) kill_if_stuck(p);
    }
  }

  void kill_if_stuck(worker_slot& p) {
    const auto now = clock::now();
    p.killed = p.watch.verdict(now);
    if (!p.killed) return;
    p.silent = p.watch.is_silent(now);
    p.stopped = p.process->is_stopped();
    p.process->kill();
  }

  /// Reports what the sweep is waiting for, if the wait is long.
  void report_waiting() {
    const auto now = clock::now();
    if (!options_.on_progress || now < next_report_) return;
    next_report_ = now + waiting_interval;
    sweep_progress progress = statistics_.progress();
    for (const worker_slot& p : slots_) {
      if (!p.process) continue;
      const std::string reason = p.killed ? "killed, but still running" : p.watch.waiting_for(now);
      if (reason.empty()) continue;
      progress.waiting += (progress.waiting.empty() ? "" : "; ") + p.selector + ": " + reason;
    }
    if (!progress.waiting.empty()) options_.on_progress(progress);
  }

  void poll_worker(std::size_t i) {
    worker_slot& p = slots_[i];
    if (!p.process) return;
    read_events(i);
    p.process->flush();
    if (!p.killed) kill_if_stuck(p);
    if (p.process->output() >= 0 && p.process->errors() >= 0) return;  // both streams are closed when the process ends
    const std::optional<process_end> end = p.process->poll_end();
    if (!end) return;
    read_events(i);
    handle_worker_end(i, *end);
  }

  void read_events(std::size_t i) {
    worker_slot& p = slots_[i];
    p.process->read_errors(p.stderr_tail);
    if (p.stderr_tail.size() > stderr_tail_bytes) p.stderr_tail.erase(0, p.stderr_tail.size() - stderr_tail_bytes);
    read_output(p);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = p.output.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (const auto event = worker_event::from_line(std::string_view(p.output).substr(begin, end - begin))) {
        note(i, *event);
      }
    }
    p.output.erase(0, begin);
  }

  void note(std::size_t i, const worker_event& event) {
    worker_slot& p = slots_[i];
    const auto now = clock::now();
    const bool finished = statistics_.note(i, event);
    results_ = results_ || finished || event.type == event_kind::drained;
    switch (event.type) {
      case event_kind::ready:
        p.identity = event.text;
        p.failed_starts = 0;
        p.watch.begin(between_trials, between_within_ms, now);
        break;
      case event_kind::step:
        p.trial = event.trial;
        p.watch.begin(event.text, event.within_ms, now);
        break;
      case event_kind::trial_done:
      case event_kind::final_done:
        p.trial = 0;
        p.failed_starts = 0;
        p.consecutive_deaths = 0;
        p.watch.begin(between_trials, between_within_ms, now);
        break;
      case event_kind::drained:
        p.drained = true;
        p.watch.rest(now);
        break;
      case event_kind::lost:
        p.lost = event;
        break;
      case event_kind::failed:
        if (!failure_) failure_ = event;
        stop();
        break;
      case event_kind::ended:
        p.ended = true;
        p.watch.begin("ending", between_within_ms, now);  // running compilations finish first
        break;
      case event_kind::beat:
        p.watch.progress(event.progress, now);
        break;
    }
    if (finished && options_.on_progress) options_.on_progress(statistics_.progress());
  }

  /// Handles the end of a worker.
  void handle_worker_end(std::size_t i, const process_end& end) {
    worker_slot& p = slots_[i];
    p.process.reset();
    statistics_.close_slot(i);
    const bool as_planned = p.ended || failure_;
    if (p.ended) return;
    const db::worker_death death = describe(p, end);
    std::size_t released = 0;
    if (!p.identity.empty()) {
      // The worker recorded this trial but could not report it any more.
      if (p.trial != 0 && store_.was_finished_by(p.trial, p.identity)) {
        statistics_.note_recorded(store_.summary(p.trial)->result, 1);
        p.consecutive_deaths = 0;
      }
      const db::charge_result charged = store_.charge(p.identity, death);
      statistics_.note_recorded(death.result, charged.recorded);
      released = charged.again;
      results_ = true;
      if (options_.on_progress && charged.recorded > 0) options_.on_progress(statistics_.progress());
    }
    if (as_planned) return;
    ++workers_lost_;
    if (stopping_) return;
    if (released > 0) wake_drained();
    replace(p, death);
  }

  [[nodiscard]] db::worker_death describe(const worker_slot& p, const process_end& end) const {
    db::worker_death death;
    // A trial cannot stop the heartbeat of its worker, so the cause is external.
    death.from_outside = !p.lost && (p.killed ? p.silent : is_from_outside(end));
    if (p.stopped) death.kill_counts_after_s = std::numeric_limits<double>::infinity();
    death.host = plan_.host;
    death.program_version = program_version();
    death.driver = p.driver;
    if (p.lost) {
      death.result = p.lost->outcome;
      death.message = p.lost->text;
    } else if (p.killed) {
      death.result = db::outcome::timeout;
      death.message = "its worker was killed: " + *p.killed;
    } else {
      death.message = fmt::format("its worker ended with {} while {}", end.describe(), p.watch.doing());
    }
    std::string words = p.stderr_tail;
    while (!words.empty() && words.back() == '\n') words.pop_back();
    if (!words.empty()) death.message += "; its last output: " + words;
    return death;
  }

  void wake_drained() {
    for (worker_slot& p : slots_) {
      if (!p.process || !p.drained) continue;
      p.drained = false;
      p.watch.begin(between_trials, between_within_ms, clock::now());
      p.process->send("more\n");
    }
  }

  /// Schedules a new worker, unless no work is left or too many have failed.
  void replace(worker_slot& p, const db::worker_death& death) {
    const bool started = !p.identity.empty();
    ++p.consecutive_deaths;
    const bool slow_start = p.silent && !p.stopped;
    if (!started && (!death.from_outside || slow_start)) ++p.failed_starts;
    if (p.failed_starts >= max_failed_starts || p.consecutive_deaths >= max_consecutive_deaths) {
      const bool starts = p.failed_starts >= max_failed_starts;
      notes_.push_back(fmt::format("giving up on device '{}': {} workers in a row {}; {}", p.selector,
                                   starts ? max_failed_starts : max_consecutive_deaths,
                                   starts ? "could not start" : "died without finishing a trial", death.message));
      return;
    }
    const db::progress remaining = store_.experiment_progress(plan_.experiment);
    const bool grows = searching() || growing_.unfinished();
    if (remaining.pending == 0 && db::unfinished_finals(store_, plan_.experiment) == 0 && !grows) return;
    p.start_at = after(p.failed_starts == 0 ? 0 : 200.0 * p.failed_starts);
  }

  growing_plan& growing_;
  const sweep_plan& plan_;
  db::store& store_;
  const supervisor_options& options_;
  double grace_ms_;
  sweep_statistics statistics_;
  std::size_t notes_before_;          // notes of the plan that the caller knows
  temporary_folder folder_{"sweep"};  // for what workers share
  std::vector<worker_slot> slots_;
  std::optional<worker_event> failure_;
  bool results_ = false;  // whether there are results that the tuning runs have not seen
  clock::time_point next_search_poll_ = clock::now() + search_poll_interval;
  clock::time_point last_poll_ = clock::now();  // last poll of the workers
  clock::time_point next_report_ = clock::now() + waiting_interval;
  bool stopping_ = false;
  bool interrupted_ = false;
  std::size_t workers_lost_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

std::chrono::milliseconds lock_timeout(double grace_ms) {
  constexpr double margin_ms = 20e3;
  return std::max(db::store::default_busy_timeout,
                  std::chrono::milliseconds(static_cast<std::int64_t>(grace_ms + margin_ms)));
}

sweep_summary supervise(growing_plan& plan, db::store& store, const supervisor_options& options) {
  return supervisor(plan, store, options).run();
}

}  // namespace mlmq::tuner
