// SPDX-License-Identifier: Apache-2.0
#include "tuner/supervisor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "db/finals.hpp"

namespace mlmq::tuner {
namespace {

using clock = std::chrono::steady_clock;
using event_kind = worker_event::kind;

constexpr double start_within_ms = 120e3;   // a driver may initialise slowly
constexpr double between_within_ms = 60e3;  // a locked database is waited for 30 s
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
  std::string selector;
  std::int64_t device = 0;
  std::string driver;
  double grace_ms = 0;

  std::optional<child_process> process;
  std::optional<clock::time_point> start_at;  ///< when there is no process but will be one
  std::string output;                         ///< begun line
  std::string last_words;                     ///< end of what it wrote to stderr
  std::string identity;                       ///< in the database; empty until it is ready
  bool drained = false;
  bool ended = false;
  std::optional<worker_event> lost;
  bool killed = false;  ///< by us, for its silence
  std::string doing = "starting";
  std::int64_t trial = 0;  ///< that it is at, as far as it told
  double within_ms = 0;    ///< what it promised for that
  std::optional<clock::time_point> deadline;

  int failed_starts = 0;    ///< since one could start, but for those that somebody else ended
  int deaths_in_a_row = 0;  ///< without a finished trial in between
};

class supervisor {
 public:
  supervisor(const sweep_plan& plan, db::store& store, const supervisor_options& options)
      : plan_(plan), store_(store), options_(options), tally_(store, plan, selectors(options)) {
    for (std::size_t i = 0; i < options.devices.size(); ++i) {
      const backends::device_info& device = options.devices[i];
      place& made = places_.emplace_back();
      made.selector = device.selector;
      made.device = plan.devices.at(i);
      made.driver = device.driver;
      made.grace_ms = options.grace_s > 0 ? options.grace_s * 1000 : device.modelled ? 600e3 : 10e3;
      made.start_at = clock::now();
    }
  }

  sweep_summary run() {
    if (options_.searches != nullptr && options_.searches->advance()) tally_.note_planned();
    while (someone_works()) {
      if (!stopping_ && options_.stop_requested && options_.stop_requested()) {
        interrupted_ = true;
        stop();
      }
      start_due();
      wait();
      for (std::size_t i = 0; i < places_.size(); ++i) attend(i);
      if (!stopping_) continue_searches();
      if (!stopping_ && all_drained() && !searching()) stop();
    }
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

  [[nodiscard]] bool searching() const { return options_.searches != nullptr && options_.searches->unfinished(); }

  /// Something new for workers that have none, as soon as there are results to choose it by.
  void continue_searches() {
    if (!searching()) return;
    if (std::none_of(places_.begin(), places_.end(), [](const place& p) { return p.process && p.drained; })) return;
    const bool look = clock::now() >= next_look_;
    if (!results_ && !look) return;
    results_ = false;
    bool more = options_.searches->advance();
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
                       .parent = ::getpid()};
      task.plan.devices = {p.device};
      p.process.emplace(options_.command, options_.environment);
      p.output.clear();
      p.last_words.clear();
      p.identity.clear();
      p.drained = p.ended = p.killed = false;
      p.lost.reset();
      p.doing = "starting";
      p.trial = 0;
      promise(p, start_within_ms);
      p.process->send(task.to_json() + "\n");
    }
  }

  static void promise(place& p, double within_ms) {
    p.within_ms = within_ms;
    p.deadline = after(within_ms + p.grace_ms);
  }

  /// Until somebody tells something, or it is time to look at the clock again.
  void wait() const {
    std::vector<pollfd> descriptors;
    for (const place& p : places_) {
      if (!p.process) continue;
      for (const int descriptor : {p.process->output(), p.process->errors()}) {
        if (descriptor >= 0) descriptors.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
      }
    }
    // A process may close its streams some time before it has ended.
    const int milliseconds = descriptors.empty() ? 2 : 50;
    ::poll(descriptors.data(), descriptors.size(), milliseconds);
  }

  void attend(std::size_t i) {
    place& p = places_[i];
    if (!p.process) return;
    listen(i);
    if (p.process && p.deadline && clock::now() > *p.deadline && !p.killed) {
      p.killed = true;
      p.process->kill();
    }
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
    p.process->read_output(p.output);
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
    const bool finished = tally_.note(i, event);
    results_ = results_ || finished || event.what == event_kind::drained;
    switch (event.what) {
      case event_kind::ready:
        p.identity = event.text;
        p.failed_starts = 0;
        promise(p, between_within_ms);
        break;
      case event_kind::step:
        p.doing = event.text;
        p.trial = event.trial;
        promise(p, event.within_ms);
        break;
      case event_kind::trial_done:
      case event_kind::final_done:
        p.doing = "between two trials";
        p.trial = 0;
        p.failed_starts = 0;
        p.deaths_in_a_row = 0;
        promise(p, between_within_ms);
        break;
      case event_kind::drained:
        p.drained = true;
        p.deadline.reset();
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
        promise(p, between_within_ms);  // compilations under way end first
        break;
    }
    if (finished && options_.on_progress) options_.on_progress(tally_.progress());
  }

  /// The worker is gone.
  void bury(std::size_t i, const process_end& end) {
    place& p = places_[i];
    p.process.reset();
    p.deadline.reset();
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
    death.from_outside = !p.killed && !p.lost && is_from_outside(end);
    death.host = plan_.host;
    death.program_version = program_version();
    death.driver = p.driver;
    if (p.lost) {
      death.result = p.lost->outcome;
      death.message = p.lost->text;
    } else if (p.killed) {
      death.result = db::outcome::timeout;
      death.message =
          p.within_ms > 0
              ? fmt::format("its worker was killed: {} did not end within {:.4g} s, nor {:.4g} s later", p.doing,
                            p.within_ms / 1000, p.grace_ms / 1000)
              : fmt::format("its worker was killed: {} did not end within {:.4g} s", p.doing, p.grace_ms / 1000);
    } else {
      death.message = fmt::format("its worker ended with {} while {}", end.describe(), p.doing);
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
      promise(p, between_within_ms);
      p.process->send("more\n");
    }
  }

  /// Another worker, unless there is nothing left for it or too many have failed.
  void replace(place& p, const db::worker_death& death) {
    const bool started = !p.identity.empty();
    ++p.deaths_in_a_row;
    if (!started && !death.from_outside) ++p.failed_starts;
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
  sweep_tally tally_;
  std::vector<place> places_;
  std::optional<worker_event> failure_;
  bool results_ = false;  // recorded since the searches looked last
  clock::time_point next_look_ = clock::now() + look_interval;
  bool stopping_ = false;
  bool interrupted_ = false;
  std::size_t workers_lost_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

sweep_summary supervise(const sweep_plan& plan, db::store& store, const supervisor_options& options) {
  return supervisor(plan, store, options).run();
}

}  // namespace mlmq::tuner
