// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "db/records.hpp"
#include "problems/compare/contestants.hpp"
#include "problems/compare/context.hpp"
#include "problems/compare/device_session.hpp"
#include "problems/compare/group_plan.hpp"
#include "problems/compare/group_runner.hpp"
#include "problems/compare/peer.hpp"
#include "problems/compare/record.hpp"
#include "problems/compare/table.hpp"
#include "tuner/measurement.hpp"
#include "tuner/search_space.hpp"
#include "tuner/workload.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::compare {
namespace {

/// Loads workloads, and caches them up to a total size.
class loaded_workloads {
 public:
  /// @param kind  kind of all workloads; must outlive this
  explicit loaded_workloads(const tuner::workload_kind& kind) : kind_(kind) {}

  /// Returns the workload of an input. @throws input_error  like tuner::workload_kind::load()
  [[nodiscard]] std::shared_ptr<const tuner::workload> get(const tuner::workload_input& input) {
    constexpr std::uint64_t most_cached_bytes = std::uint64_t{2} << 30;
    for (const auto& [cached_input, workload] : cached_) {
      if (cached_input == input) return workload;
    }
    std::shared_ptr<const tuner::workload> workload = kind_.load(input);
    if (workload->record.bytes <= most_cached_bytes - cached_bytes_) {
      cached_bytes_ += workload->record.bytes;
      cached_.emplace_back(input, workload);
    }
    return workload;
  }

 private:
  const tuner::workload_kind& kind_;
  std::vector<std::pair<tuner::workload_input, std::shared_ptr<const tuner::workload>>> cached_;
  std::uint64_t cached_bytes_ = 0;
};

/// During its lifetime: interrupts the device comparison_options::grace_s seconds after a stop request.
class stop_deadline {
 public:
  /// @param device, options  must outlive this
  stop_deadline(backends::backend& device, const comparison_options& options) : device_(device), options_(options) {
    if (options.stop_requested) thread_ = std::thread([this] { watch(); });
  }
  stop_deadline(const stop_deadline&) = delete;
  stop_deadline& operator=(const stop_deadline&) = delete;
  ~stop_deadline() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void watch() {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds interval{50};
    std::optional<clock::time_point> stop_time;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, interval, [this] { return has_ended_; })) {
      if (!stop_time && options_.stop_requested()) stop_time = clock::now();
      if (!stop_time || std::chrono::duration<double>(clock::now() - *stop_time).count() < options_.grace_s) continue;
      device_.interrupt();
      return;
    }
  }

  backends::backend& device_;
  const comparison_options& options_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;  // last, because it uses the other members
};

/// Returns the number of parameter sets that a contestant's configuration was chosen from.
std::size_t sets_of(const context& common, const device_session& session, const tuner::configuration& configuration) {
  if (const peer* const program = common.contestants.peer_of(configuration)) return program->parameter_sets.size();
  if (common.contestants.is_ours(configuration)) return 1;
  return std::max<std::size_t>(1, session.candidates_of(common.contestants.name_of(configuration)).size());
}

contestant_result row_of(const context& common, const device_session& session, const group& group,
                         const db::planned_trial& trial) {
  const tuner::configuration configuration = common.record.configuration_of(trial);
  const db::trial_summary summary = common.record.store().summary(trial.id).value();
  contestant_result row;
  row.workload = group.workload.record.name;
  row.workload_class = group.workload.record.workload_class;
  row.query = group.query.text();
  row.device = session.info().name;
  row.modelled = session.info().modelled;
  row.contestant = common.contestants.name_of(configuration);
  row.sets = sets_of(common, session, configuration);
  row.configuration = common.contestants.shown_label(configuration);
  row.outcome = summary.result;
  row.message = summary.message;
  row.samples = common.record.store().samples(trial.id).size();
  if (common.contestants.peer_of(configuration) != nullptr) {
    const auto counters = common.record.store().counters(trial.id);
    if (const auto match = counters.find(preparation_counter); match != counters.end())
      row.preparation_ms = match->second;
  }
  row.median_ms = summary.median_ms;
  row.spread = summary.spread;
  return row;
}

/// Returns one row per finished contestant, in the order of the plan. The names of our rows say whether the selector
/// chose them.
std::vector<contestant_result> rows_of(const context& common, const device_session& session, const group& group,
                                       const std::vector<db::planned_trial>& planned) {
  const std::map<std::int64_t, double> work = counted_work(common, planned);
  const double size = group.workload.record.feature(common.problem.work().feature).value_or(0);
  std::vector<contestant_result> rows;
  for (const db::planned_trial& trial : planned) {
    if (trial.measurement != time_measurement || !trial.done) continue;
    contestant_result row = row_of(common, session, group, trial);
    if (const auto match = work.find(trial.configuration); match != work.end() && size > 0) {
      row.work = match->second / size;
    }
    rows.push_back(std::move(row));
  }
  // If the selector has a choice, it was planned first.
  name_ours(rows, session.has_selector());
  return rows;
}

std::vector<tuner::workload_input> inputs_of(const tuner::problem& problem, const comparison_options& options) {
  return tuner::list_workloads(options.configurations, problem, options.workloads, options.file_options);
}

class comparison {
 public:
  comparison(const tuner::problem& problem, db::store& store, const comparison_options& options)
      : inputs_(inputs_of(problem, options)),
        workloads_(problem.workloads()),
        contestants_(problem, options),
        record_(problem, options, contestants_, store),
        caller_(options),
        common_{.problem = problem,
                .options = options,
                .contestants = contestants_,
                .record = record_,
                .caller = caller_,
                .notes = result_.notes} {}
  comparison(const comparison&) = delete;
  comparison& operator=(const comparison&) = delete;

  comparison_result run() {
    leave_out_unusable_inputs();
    try {
      for (const std::string& selector : common_.options.devices) {
        if (caller_.has_stopped()) break;
        run_on_unless_interrupted(selector);
      }
    } catch (const tuner::device_lost&) {
      throw;
    } catch (const std::exception&) {
      result_.failure = std::current_exception();
    }
    // Sorted by workload, so that rows that are compared are adjacent.
    std::stable_sort(result_.rows.begin(), result_.rows.end(), [this](const auto& a, const auto& b) {
      return std::pair(order_of(a.workload), a.query) < std::pair(order_of(b.workload), b.query);
    });
    result_.interrupted = caller_.has_stopped();
    return std::move(result_);
  }

 private:
  /// Loads every workload, so that one that cannot be used is known before anything is measured.
  /// @throws input_error if none can be used
  void leave_out_unusable_inputs() {
    std::vector<std::string> reasons;
    std::erase_if(inputs_, [&](const tuner::workload_input& input) {
      if (caller_.wants_stop()) return false;
      caller_.report_progress(fmt::format("reading {}", input.name));
      try {
        const std::shared_ptr<const tuner::workload> loaded = workloads_.get(input);
        (void)common_.problem.choose_queries(*loaded, input.queries);
        result_.notes.insert(result_.notes.end(), loaded->notes.begin(), loaded->notes.end());
        return false;
      } catch (const std::exception& error) {
        reasons.emplace_back(error.what());
        return true;
      }
    });
    if (inputs_.empty()) {
      throw input_error(fmt::format("no workload can be used{}: {}",
                                    reasons.size() > 1 ? fmt::format("; the first of {}", reasons.size()) : "",
                                    reasons.front()));
    }
    for (const std::string& reason : reasons) result_.notes.push_back("left out: " + reason);
  }

  void run_on_unless_interrupted(const std::string& selector) {
    try {
      run_on(selector);
    } catch (const backends::interrupted&) {
      if (!caller_.wants_stop()) throw;  // something else interrupted the device
    }
  }

  void run_on(const std::string& selector) {
    device_session session(common_, selector);
    const stop_deadline deadline(session.device(), common_.options);
    if (session.is_empty()) {
      begun_parts_ += inputs_.size();
      result_.notes.push_back(fmt::format("{}: left out: no contestant runs on this device", session.info().name));
      return;
    }
    // One workload at a time, so that a comparison that is stopped early has complete workloads.
    for (const tuner::workload_input& input : inputs_) {
      caller_.begin_part(begun_parts_++, inputs_.size() * common_.options.devices.size());
      session.measure_candidates(input);
      if (caller_.wants_stop()) return;
      const std::shared_ptr<const tuner::workload> loaded = workloads_.get(input);
      const std::int64_t workload_row = record_.store().put_workload(loaded->record);
      for (const tuner::query& query : common_.problem.choose_queries(*loaded, input.queries)) {
        run_group(session,
                  {.workload = *loaded, .workload_row = workload_row, .device_row = session.row(), .query = query});
        if (caller_.has_stopped()) return;
      }
    }
  }

  void run_group(device_session& session, const group& group) {
    const std::vector<db::planned_trial> planned = record_.planned(group);
    const bool unfinished =
        planned.empty() || std::any_of(planned.begin(), planned.end(), [](const auto& trial) { return !trial.done; });
    try {
      if (unfinished && !measure_group(session, group)) return;
    } catch (const tuner::device_lost&) {
      throw;
    } catch (const std::exception&) {
      add_rows(session, group);
      throw;
    }
    add_rows(session, group);
  }

  void add_rows(const device_session& session, const group& measured) {
    std::vector<contestant_result> rows = rows_of(common_, session, measured, record_.planned(measured));
    std::move(rows.begin(), rows.end(), std::back_inserter(result_.rows));
  }

  /// Plans the group unless it is planned already, and measures its unfinished trials.
  /// @return whether there is something to report: false if the caller has stopped the comparison, or if the workload
  ///   does not fit the device
  bool measure_group(device_session& session, const group& group) {
    std::optional<group_runner> runner;
    try {
      runner.emplace(common_, session, group);
    } catch (const backends::out_of_device_memory& error) {
      result_.notes.push_back(
          fmt::format("{} on {}: left out: {}", group.workload.record.name, session.info().name, error.what()));
      return false;
    }
    if (record_.planned(group).empty()) group_plan(common_, session, group, *runner).make();
    if (caller_.has_stopped()) return false;
    const std::vector<db::planned_trial> planned = record_.planned(group);
    round_runner(common_, session, group, *runner, planned).run();
    if (!caller_.has_stopped()) count_work(common_, *runner, planned);
    return !caller_.has_stopped();
  }

  [[nodiscard]] std::size_t order_of(const std::string& workload) const {
    return static_cast<std::size_t>(
        std::find_if(inputs_.begin(), inputs_.end(),
                     [&](const tuner::workload_input& input) { return input.name == workload; }) -
        inputs_.begin());
  }

  std::vector<tuner::workload_input> inputs_;
  loaded_workloads workloads_;
  comparison_result result_;
  contestants contestants_;
  record record_;
  caller caller_;
  std::size_t begun_parts_ = 0;  ///< a part is one workload on one device
  context common_;
};

}  // namespace

void check_comparison(const tuner::problem& problem, const comparison_options& options) {
  for (const tuner::experiment_file* const file : options.files()) {
    (void)tuner::search_space(file->space, problem.declarations(), problem.presets()).list(most_contestants);
  }
  (void)inputs_of(problem, options);
  for (const std::string& selector : options.devices) (void)backends::open_device(selector);
}

comparison_result run_comparison(const tuner::problem& problem, db::store& store, const comparison_options& options) {
  return comparison(problem, store, options).run();
}

}  // namespace mlmq::compare
