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
#include <optional>
#include <utility>

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "db/finals.hpp"
#include "tuner/worker_watch.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;
using event_kind = worker_event::kind;

/// Claiming and recording. A locked database is waited for (lock_patience()).
constexpr double between_within_ms = 60e3;
constexpr const char* between_trials = "claiming a trial";
/// A look at the workers that comes later than this after the one before was held up by something: a locked database, a
/// machine that was asleep, a supervisor that was stopped. What is later is not counted as the workers' silence.
constexpr std::chrono::seconds look_at_least_every{1};
constexpr std::chrono::seconds waiting_interval{1};  // between two words about what is waited for
/// How often a search that waits looks at what other sweeps have done.
constexpr std::chrono::milliseconds look_interval{500};
constexpr int most_failed_starts = 3;
constexpr int most_deaths_in_a_row = 50;
constexpr std::size_t last_words_bytes = 400;

clock::time_point after(double milliseconds) {
  return clock::now() +
         std::chrono::duration_cast<clock::duration>(std::chrono::duration<double, std::milli>(milliseconds));
}

/// Somebody wanted the process to end; it did not do so by itself.
bool is_from_outside(const process_end& end) {
  constexpr std::array signals{SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  return std::find(signals.begin(), signals.end(), end.signal) != signals.end();
}

/// A place for one worker after the other on one device.
struct place {
  explicit place(double grace_ms) : watch(grace_ms) {}

  std::string selector;
  std::int64_t device = 0;
  std::string driver;
  worker_watch watch;

  std::optional<child_process> process;
  std::optional<clock::time_point> start_at;  ///< when there is no process but will be one
  std::string output;                         ///< begun line
  std::string last_words;                     ///< end of what it wrote to stderr
  std::string identity;                       ///< in the database; empty until it is ready
  bool drained = false;
  bool ended = false;
  std::optional<worker_event> lost;
  std::optional<std::string> killed;  ///< by us: why
  bool silent = false;                ///< then: because nothing came any more
  bool stopped = false;               ///< then: by somebody's SIGSTOP, so that nothing could come
  std::int64_t trial = 0;             ///< that it is at, as far as it told

  int failed_starts = 0;    ///< since one could start, but for those that somebody else ended
  int deaths_in_a_row = 0;  ///< without a finished trial in between
};

class supervisor {
 public:
  supervisor(const sweep_plan& plan, db::store& store, const supervisor_options& options)
      : plan_(plan),
        store_(store),
        options_(options),
        grace_ms_(options.grace_s * 1000),
        tally_(store, plan, options.runs, selectors(options)) {
    for (std::size_t i = 0; i < options.devices.size(); ++i) {
      const backends::device_info& device = options.devices[i];
      place& made = places_.emplace_back(grace_ms_);
      made.selector = device.selector;
      made.device = plan.devices.at(i);
      made.driver = device.driver;
      made.start_at = clock::now();
    }
    // A worker that was stopped may hold the lock that is waited for here.
    store_.on_busy([this] { watch_for_silence(); }, lock_patience(grace_ms_));
  }
  supervisor(const supervisor&) = delete;
  supervisor& operator=(const supervisor&) = delete;
  ~supervisor() { store_.on_busy({}, db::store::default_busy_timeout); }

  sweep_summary run() {
    if (options_.runs != nullptr && options_.runs->advance()) tally_.note_planned();
    while (someone_works()) {
      if (!stopping_ && options_.stop_requested && options_.stop_requested()) {
        interrupted_ = true;
        stop();
      }
      // A new worker would open another file, and create it.
      if (!stopping_ && !store_.is_in_place()) stop();
      start_due();
      wait();
      note_look();
      for (std::size_t i = 0; i < places_.size(); ++i) attend(i);
      if (!stopping_) continue_searches();
      if (!stopping_ && all_drained() && !searching()) stop();
      tell_waiting();
    }
    store_.require_in_place();
    if (failure_) {
      if (failure_->is_input) throw input_error(failure_->text);
      throw work_error(failure_->text);
    }
    sweep_summary summary = tally_.summary();
    summary.interrupted = interrupted_;
    summary.workers_lost = workers_lost_;
    summary.notes = notes_;
    const db::progress now = store_.experiment_progress(plan_.experiment);
    summary.running_elsewhere = now.running;
    if (!interrupted_ && (now.pending > 0 || searching()) && !notes_.empty()) {
      throw work_error(notes_.front() + "; the same command continues");
    }
    return summary;
  }

 private:
  static std::vector<std::string> selectors(const supervisor_options& options) {
    std::vector<std::string> all;
    for (const backends::device_info& device : options.devices) all.push_back(device.selector);
    return all;
  }

  [[nodiscard]] bool someone_works() const {
    return std::any_of(places_.begin(), places_.end(), [](const place& p) { return p.process || p.start_at; });
  }

  [[nodiscard]] bool all_drained() const {
    return std::all_of(places_.begin(), places_.end(),
                       [](const place& p) { return !p.start_at && (!p.process || p.drained); });
  }

  [[nodiscard]] bool searching() const { return options_.runs != nullptr && options_.runs->unfinished(); }

  /// Something new for workers that have none, as soon as there are results to choose it by.
  void continue_searches() {
    if (!searching()) return;
    if (std::none_of(places_.begin(), places_.end(), [](const place& p) { return p.process && p.drained; })) return;
    const bool look = clock::now() >= next_look_;
    if (!results_ && !look) return;
    results_ = false;
    bool more = options_.runs->advance();
    if (more) tally_.note_planned();
    if (look) {
      // What a search waits for may have been left undone by another sweep.
      next_look_ = clock::now() + look_interval;
      store_.release_abandoned();
      more = more || (all_drained() && store_.experiment_progress(plan_.experiment).pending > 0);
    }
    if (more) wake_drained();
  }

  /// Nobody begins another trial.
  void stop() {
    stopping_ = true;
    for (place& p : places_) {
      p.start_at.reset();
      if (p.process) p.process->send("stop\n");
    }
  }

  void start_due() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      place& p = places_[i];
      if (!p.start_at || *p.start_at > clock::now()) continue;
      p.start_at.reset();
      worker_task task{.database = options_.database,
                       .device = p.selector,
                       .file = options_.experiment_file,
                       .plan = plan_,
                       .rank = static_cast<unsigned>(i),
                       .workers = static_cast<unsigned>(places_.size()),
                       .parent = ::getpid(),
                       .grace_ms = grace_ms_};
      task.plan.devices = {p.device};
      p.process.emplace(options_.command, options_.environment);
      p.output.clear();
      p.last_words.clear();
      p.identity.clear();
      p.drained = p.ended = p.silent = p.stopped = false;
      p.killed.reset();
      p.lost.reset();
      p.trial = 0;
      p.watch.start(clock::now());
      p.process->send(task.to_json() + "\n");
    }
  }

  /// Until somebody tells something, or it is time to look at the clock again.
  void wait() const {
    std::vector<pollfd> descriptors;
    for (const place& p : places_) {
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

  /// Workers are judged by how long they were looked at, not by how long the supervisor was busy with something else.
  void note_look() {
    const auto now = clock::now();
    const auto pause = now - std::exchange(last_look_, now);
    if (pause <= look_at_least_every) return;
    for (place& p : places_) p.watch.forgive(pause - look_at_least_every);
  }

  void hear(place& p) {
    const std::size_t before = p.output.size();
    p.process->read_output(p.output);
    if (p.output.size() > before) p.watch.hear(clock::now());
  }

  /// Asked while the database is locked: does no more than reading and killing, as the caller is in the middle of something.
  void watch_for_silence() {
    note_look();
    for (place& p : places_) {
      if (!p.process || p.killed) continue;
      hear(p);
      if (p.watch.is_silent(clock::now())) judge(p);
    }
  }

  void judge(place& p) {
    const auto now = clock::now();
    p.killed = p.watch.verdict(now);
    if (!p.killed) return;
    p.silent = p.watch.is_silent(now);
    p.stopped = p.process->is_stopped();
    p.process->kill();
  }

  /// Says what is waited for, when that lasts.
  void tell_waiting() {
    const auto now = clock::now();
    if (!options_.on_progress || now < next_word_) return;
    next_word_ = now + waiting_interval;
    sweep_progress progress = tally_.progress();
    for (const place& p : places_) {
      if (!p.process) continue;
      const std::string what = p.killed ? "killed, but not gone yet" : p.watch.waiting_for(now);
      if (what.empty()) continue;
      progress.waiting += (progress.waiting.empty() ? "" : "; ") + p.selector + ": " + what;
    }
    if (!progress.waiting.empty()) options_.on_progress(progress);
  }

  void attend(std::size_t i) {
    place& p = places_[i];
    if (!p.process) return;
    listen(i);
    p.process->flush();
    if (!p.killed) judge(p);
    if (p.process->output() >= 0 && p.process->errors() >= 0) return;  // both are closed when it ends
    const std::optional<process_end> end = p.process->poll_end();
    if (!end) return;
    listen(i);
    bury(i, *end);
  }

  void listen(std::size_t i) {
    place& p = places_[i];
    p.process->read_errors(p.last_words);
    if (p.last_words.size() > last_words_bytes) p.last_words.erase(0, p.last_words.size() - last_words_bytes);
    hear(p);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = p.output.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (const auto event = worker_event::from_line(std::string_view(p.output).substr(begin, end - begin))) {
        note(i, *event);
      }
    }
    p.output.erase(0, begin);
  }

  void note(std::size_t i, const worker_event& event) {
    place& p = places_[i];
    const auto now = clock::now();
    const bool finished = tally_.note(i, event);
    results_ = results_ || finished || event.what == event_kind::drained;
    switch (event.what) {
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
        p.deaths_in_a_row = 0;
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
        p.watch.begin("ending", between_within_ms, now);  // compilations under way end first
        break;
      case event_kind::beat:
        p.watch.progress(event.progress, now);
        break;
    }
    if (finished && options_.on_progress) options_.on_progress(tally_.progress());
  }

  /// The worker is gone.
  void bury(std::size_t i, const process_end& end) {
    place& p = places_[i];
    p.process.reset();
    tally_.close_slot(i);
    const bool as_planned = p.ended || failure_;
    if (p.ended) return;
    const db::worker_death death = describe(p, end);
    std::size_t released = 0;
    if (!p.identity.empty()) {
      // What it had recorded, but could no longer tell.
      if (p.trial != 0 && store_.was_finished_by(p.trial, p.identity)) {
        tally_.note_recorded(store_.summary(p.trial)->result, 1);
        p.deaths_in_a_row = 0;
      }
      const db::charge_result charged = store_.charge(p.identity, death);
      tally_.note_recorded(death.result, charged.recorded);
      released = charged.again;
      results_ = true;
      if (options_.on_progress && charged.recorded > 0) options_.on_progress(tally_.progress());
    }
    if (as_planned) return;
    ++workers_lost_;
    if (stopping_) return;
    if (released > 0) wake_drained();
    replace(p, death);
  }

  [[nodiscard]] db::worker_death describe(const place& p, const process_end& end) const {
    db::worker_death death;
    // A trial cannot silence its worker's beats: something else did.
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
    std::string words = p.last_words;
    while (!words.empty() && words.back() == '\n') words.pop_back();
    if (!words.empty()) death.message += "; its last words: " + words;
    return death;
  }

  void wake_drained() {
    for (place& p : places_) {
      if (!p.process || !p.drained) continue;
      p.drained = false;
      p.watch.begin(between_trials, between_within_ms, clock::now());
      p.process->send("more\n");
    }
  }

  /// Another worker, unless there is nothing left for it or too many have failed.
  void replace(place& p, const db::worker_death& death) {
    const bool started = !p.identity.empty();
    ++p.deaths_in_a_row;
    const bool slow_start = p.silent && !p.stopped;
    if (!started && (!death.from_outside || slow_start)) ++p.failed_starts;
    if (p.failed_starts >= most_failed_starts || p.deaths_in_a_row >= most_deaths_in_a_row) {
      const bool starts = p.failed_starts >= most_failed_starts;
      notes_.push_back(fmt::format("device '{}' is given up: {} workers in a row {}; {}", p.selector,
                                   starts ? most_failed_starts : most_deaths_in_a_row,
                                   starts ? "could not start" : "died without finishing a trial", death.message));
      return;
    }
    const db::progress left = store_.experiment_progress(plan_.experiment);
    if (left.pending == 0 && db::unfinished_finals(store_, plan_.experiment) == 0 && !searching()) return;
    p.start_at = after(p.failed_starts == 0 ? 0 : 200.0 * p.failed_starts);
  }

  const sweep_plan& plan_;
  db::store& store_;
  const supervisor_options& options_;
  double grace_ms_;
  sweep_tally tally_;
  std::vector<place> places_;
  std::optional<worker_event> failure_;
  bool results_ = false;                                        // recorded since the tuning runs looked last
  clock::time_point next_look_ = clock::now() + look_interval;  // of a search
  clock::time_point last_look_ = clock::now();                  // at the workers
  clock::time_point next_word_ = clock::now() + waiting_interval;
  bool stopping_ = false;
  bool interrupted_ = false;
  std::size_t workers_lost_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

std::chrono::milliseconds lock_patience(double grace_ms) {
  constexpr double margin_ms = 20e3;
  return std::max(db::store::default_busy_timeout,
                  std::chrono::milliseconds(static_cast<std::int64_t>(grace_ms + margin_ms)));
}

sweep_summary supervise(const sweep_plan& plan, db::store& store, const supervisor_options& options) {
  return supervisor(plan, store, options).run();
}

}  // namespace mlmq::tuner
