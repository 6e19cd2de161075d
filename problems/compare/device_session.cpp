// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/device_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tuner/in_process_sweep.hpp"
#include "tuner/search_space.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::compare {

tuner::measurement_settings candidate_settings(tuner::measurement_settings settings) {
  constexpr std::uint64_t enough = 3;
  settings.counters = false;
  settings.repeats = std::min(enough, settings.repeats);
  return settings;
}

device_session::device_session(const context& common, const std::string& selector)
    : common_(common),
      device_(backends::open_device(selector)),
      variants_(*device_),
      row_(common.record.store().put_device(tuner::describe_device(device_->info()))),
      file_(candidates_file()) {
  if (file_) {
    const tuner::search_space space(file_->space, common.problem.declarations(), common.problem.presets());
    candidates_ = space.list(most_contestants);
  }
  if (common.options.peers == nullptr) return;
  for (const peer& program : common.options.peers->peers()) {
    if (program.device_kind == info().kind) peers_.push_back(&program);
  }
}

std::vector<tuner::configuration> device_session::candidates_of(const std::string& contestant) const {
  std::vector<tuner::configuration> result;
  for (const tuner::configuration& candidate : candidates_) {
    if (common_.contestants.name_of(candidate) == contestant) result.push_back(candidate);
  }
  return result;
}

/// Combines both files into one experiment; returns nothing if no configuration fits the device.
std::optional<tuner::experiment_file> device_session::candidates_file() const {
  const tuner::experiment_file& ours = common_.options.configurations;
  tuner::experiment_file combined = ours;
  combined.name = common_.options.name + " candidates";
  combined.problem = common_.problem.name();
  combined.text = ours.text + "\n# competitors\n" + common_.options.competitors_text();
  combined.strategy = {};
  combined.measurement = candidate_settings(ours.measurement);
  combined.space = {};
  combined.space.place = ours.space.place;
  combined.space.has_product = false;
  for (const tuner::experiment_file* const file : common_.options.files()) {
    // Enumerate the search space of each file, so that products of parameters work as well as lists.
    const tuner::search_space space(file->space, common_.problem.declarations(), common_.problem.presets());
    for (tuner::configuration& configuration : space.list(most_contestants)) {
      if (!common_.contestants.runs_on(configuration, info())) continue;
      combined.space.configurations.push_back({.values = std::move(configuration), .place = file->space.place});
    }
  }
  if (combined.space.configurations.empty()) return std::nullopt;
  return combined;
}

/// Returns the candidates' experiment restricted to one workload.
tuner::experiment_file device_session::single_workload_file(const tuner::workload_input& input) const {
  const bool is_file = !input.file.empty();
  tuner::workload_request request;
  request.source = is_file ? tuner::workload_request::origin::file : tuner::workload_request::origin::generate;
  request.specifier = is_file ? std::filesystem::absolute(input.file).string() : input.generated;
  for (const auto& [name, value] : input.options) {
    request.options.push_back({.name = name, .values = {value}, .place = input.place});
  }
  request.queries = input.queries;
  request.place = input.place;
  tuner::experiment_file file = file_.value();
  // A sweep continues the unfinished trials of its experiment, so the experiment must identify this problem and
  // workload. The name of a workload distinguishes the same file with different options.
  file.text += fmt::format("\n# problem {}, workload {}, {}", common_.problem.name(), input.name, request.specifier);
  file.workloads = {std::move(request)};
  return file;
}

void device_session::measure_candidates(const tuner::workload_input& input) {
  if (!file_) return;
  tuner::in_process_options sweep;
  sweep.stop_requested = [this] { return common_.caller.wants_stop(); };
  sweep.on_progress = [this](const tuner::sweep_progress& progress) {
    common_.caller.report_progress(fmt::format("candidates on {}: {}/{} trials, {}", info().selector, progress.done,
                                               progress.total, progress.workload));
  };
  (void)tuner::sweep_in_process(single_workload_file(input), common_.problem, *device_, common_.record.store(), sweep);
}

}  // namespace mlmq::compare
