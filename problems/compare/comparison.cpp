// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "problems/compare/caller.hpp"
#include "problems/compare/contestants.hpp"
#include "problems/compare/context.hpp"
#include "problems/compare/device_session.hpp"
#include "problems/compare/group_plan.hpp"
#include "problems/compare/group_runner.hpp"
#include "problems/compare/loaded_workloads.hpp"
#include "problems/compare/record.hpp"
#include "problems/compare/round_runner.hpp"
#include "problems/compare/rows.hpp"
#include "problems/compare/stop_deadline.hpp"
#include "problems/compare/work.hpp"
#include "tuner/measurement.hpp"
#include "tuner/search_space.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::compare {
namespace {

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
