// SPDX-License-Identifier: Apache-2.0
#include "compare/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tuner/in_process_sweep.hpp"
#include "tuner/search_space.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::compare {

tuner::measurement_settings candidate_settings(tuner::measurement_settings of_contestants) {
  constexpr std::uint64_t enough = 3;
  of_contestants.counters = false;
  of_contestants.repeats = std::min(enough, of_contestants.repeats);
  return of_contestants;
}

stage::stage(const context& common, const std::string& selector)
    : common_(common),
      device_(backends::open_device(selector)),
      variants_(*device_),
      row_(common.recorded.store().put_device(tuner::describe_device(device_->info()))),
      file_(candidates_file()) {
  if (file_) {
    const tuner::search_space space(file_->space, common.problem.declarations(), common.problem.presets());
    candidates_ = space.list(most_contestants);
  }
  if (common.options.peers == nullptr) return;
  for (const peer& one : common.options.peers->peers()) {
    if (one.device_kind == info().kind) peers_.push_back(&one);
  }
}

std::vector<tuner::configuration> stage::candidates_of(const std::string& contestant) const {
  std::vector<tuner::configuration> found;
  for (const tuner::configuration& one : candidates_) {
    if (common_.who.name_of(one) == contestant) found.push_back(one);
  }
  return found;
}

/// Both files as one experiment; empty where no configuration fits the device.
std::optional<tuner::experiment_file> stage::candidates_file() const {
  const tuner::experiment_file& ours = common_.options.configurations;
  tuner::experiment_file all = ours;
  all.name = common_.options.name + " candidates";
  all.problem = common_.problem.name();
  all.text = ours.text + "\n# competitors\n" + common_.options.competitors_text();
  all.strategy = {};
  all.measurement = candidate_settings(ours.measurement);
  all.space = {};
  all.space.place = ours.space.place;
  all.space.has_product = false;
  for (const tuner::experiment_file* const file : common_.options.files()) {
    // Every point of the file's own space, so that a product of parameters works as well as a list.
    const tuner::search_space space(file->space, common_.problem.declarations(), common_.problem.presets());
    for (tuner::configuration& one : space.list(most_contestants)) {
      if (!common_.who.runs_on(one, info())) continue;
      all.space.configurations.push_back({.given = std::move(one), .place = file->space.place});
    }
  }
  if (all.space.configurations.empty()) return std::nullopt;
  return all;
}

/// The same experiment for one of the workloads.
tuner::experiment_file stage::of_one_workload(const tuner::workload_input& wanted) const {
  const bool is_file = !wanted.file.empty();
  tuner::workload_request only;
  only.from = is_file ? tuner::workload_request::origin::file : tuner::workload_request::origin::generate;
  only.what = is_file ? std::filesystem::absolute(wanted.file).string() : wanted.generated;
  for (const auto& [name, value] : wanted.options) {
    only.options.push_back({.name = name, .values = {value}, .place = wanted.place});
  }
  only.queries = wanted.queries;
  only.place = wanted.place;
  tuner::experiment_file file = file_.value();
  // A sweep goes on with whatever its experiment has left: that must be of this problem and this workload.
  // Its name tells apart what one file is with several options.
  file.text += fmt::format("\n# problem {}, workload {}, {}", common_.problem.name(), wanted.name, only.what);
  file.workloads = {std::move(only)};
  return file;
}

void stage::measure_candidates(const tuner::workload_input& on) {
  if (!file_) return;
  tuner::in_process_options sweep;
  sweep.stop_requested = [this] { return common_.asked_by.wants_stop(); };
  sweep.on_progress = [this](const tuner::sweep_progress& now) {
    common_.asked_by.tell(
        fmt::format("candidates on {}: {}/{} trials, {}", info().selector, now.done, now.total, now.workload));
  };
  (void)tuner::sweep_in_process(of_one_workload(on), common_.problem, *device_, common_.recorded.store(), sweep);
}

}  // namespace mlmq::compare
