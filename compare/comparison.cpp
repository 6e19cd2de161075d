// SPDX-License-Identifier: Apache-2.0
#include "compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "compare/caller.hpp"
#include "compare/contestants.hpp"
#include "compare/context.hpp"
#include "compare/group_plan.hpp"
#include "compare/group_runner.hpp"
#include "compare/loaded_workloads.hpp"
#include "compare/patience.hpp"
#include "compare/record.hpp"
#include "compare/rows.hpp"
#include "compare/stage.hpp"
#include "compare/turns.hpp"
#include "compare/work.hpp"
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
  comparison(const tuner::problem& of, db::store& store, const comparison_options& options)
      : inputs_(inputs_of(of, options)),
        workloads_(of.workloads()),
        who_(of, options),
        record_(of, options, who_, store),
        caller_(options),
        common_{.problem = of,
                .options = options,
                .who = who_,
                .recorded = record_,
                .asked_by = caller_,
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
    // By workload, so that what is compared stands together.
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
      caller_.tell(fmt::format("reading {}", input.name));
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
      if (!caller_.wants_stop()) throw;  // somebody else did that
    }
  }

  void run_on(const std::string& selector) {
    stage device(common_, selector);
    const patience watched(device.device(), common_.options);
    if (device.is_empty()) {
      begun_parts_ += inputs_.size();
      result_.notes.push_back(fmt::format("{}: left out: nobody who takes part runs there", device.info().name));
      return;
    }
    // One workload after the other, so that who stops early has something whole.
    for (const tuner::workload_input& wanted : inputs_) {
      caller_.begin_part(begun_parts_++, inputs_.size() * common_.options.devices.size());
      device.measure_candidates(wanted);
      if (caller_.wants_stop()) return;
      const std::shared_ptr<const tuner::workload> loaded = workloads_.get(wanted);
      const std::int64_t row = record_.store().put_workload(loaded->record);
      for (const tuner::query& asked : common_.problem.choose_queries(*loaded, wanted.queries)) {
        run_group(device, {.loaded = *loaded, .workload = row, .device = device.row(), .asked = asked});
        if (caller_.has_stopped()) return;
      }
    }
  }

  void run_group(stage& device, const group& where) {
    const std::vector<db::planned_trial> planned = record_.planned(where);
    const bool unfinished =
        planned.empty() || std::any_of(planned.begin(), planned.end(), [](const auto& one) { return !one.done; });
    try {
      if (unfinished && !measure_group(device, where)) return;
    } catch (const tuner::device_lost&) {
      throw;
    } catch (const std::exception&) {
      add_rows(device, where);
      throw;
    }
    add_rows(device, where);
  }

  void add_rows(const stage& device, const group& measured) {
    std::vector<contestant_result> rows = rows_of(common_, device, measured, record_.planned(measured));
    std::move(rows.begin(), rows.end(), std::back_inserter(result_.rows));
  }

  /// Plans the group where it is not planned, and measures what is not finished.
  /// @return whether there is something to report: the caller has not stopped it, and the device has room
  bool measure_group(stage& device, const group& where) {
    std::optional<group_runner> runner;
    try {
      runner.emplace(common_, device, where);
    } catch (const backends::out_of_device_memory& error) {
      result_.notes.push_back(
          fmt::format("{} on {}: left out: {}", where.loaded.record.name, device.info().name, error.what()));
      return false;
    }
    if (record_.planned(where).empty()) group_plan(common_, device, where, *runner).make();
    if (caller_.has_stopped()) return false;
    const std::vector<db::planned_trial> planned = record_.planned(where);
    turns(common_, device, where, *runner, planned).take();
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
  contestants who_;
  record record_;
  caller caller_;
  std::size_t begun_parts_ = 0;  ///< a part is one workload on one device
  context common_;
};

}  // namespace

void check_comparison(const tuner::problem& of, const comparison_options& options) {
  for (const tuner::experiment_file* const file : options.files()) {
    (void)tuner::search_space(file->space, of.declarations(), of.presets()).list(most_contestants);
  }
  (void)inputs_of(of, options);
  for (const std::string& selector : options.devices) (void)backends::open_device(selector);
}

comparison_result run_comparison(const tuner::problem& of, db::store& store, const comparison_options& options) {
  return comparison(of, store, options).run();
}

}  // namespace mlmq::compare
