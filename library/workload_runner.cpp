// SPDX-License-Identifier: Apache-2.0
#include "library/workload_runner.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>

#include "base/error.hpp"
#include "library/installed_model.hpp"

namespace mlmq::detail {
namespace {

search_error::reason reason_of(db::outcome result) {
  using reason = search_error::reason;
  return result == db::outcome::timeout    ? reason::time_limit
         : result == db::outcome::overflow ? reason::queue_full
                                           : reason::failed;
}

labelled_configuration adapted(const labelled_configuration& chosen, const run_request& asked) {
  if (!asked.adapt) return chosen;
  tuner::configuration changed = chosen;
  asked.adapt(changed);
  return changed;
}

std::string predicted_reason(const std::string& origin, std::optional<double> relative) {
  return relative ? fmt::format("{}: relative performance {:.2f} predicted", origin, *relative)
                  : fmt::format("{}: ranked first", origin);
}

}  // namespace

workload_runner::workload_runner(std::shared_ptr<device_data> on, const problems::problem_entry& of,
                                 std::shared_ptr<const tuner::workload> what, problems::feature_value feature)
    : device_(std::move(on)),
      entry_(of),
      problem_(of.make()),
      parameters_(tuner::parameter_set::from_declarations(problem_->declarations(), problem_->presets())),
      workload_(std::move(what)),
      feature_(std::move(feature)) {}

workload_runner::~workload_runner() {
  const device_lock lock(*device_, device_lock::may_nest{});
  try {
    device_->own->enter();
  } catch (const std::exception&) {
    // The device is lost; what is left there goes with the process.
  }
  instance_.reset();
  kernels_.clear();
}

double workload_runner::upload() {
  if (instance_ != nullptr) return 0;
  return milliseconds_of([&] { instance_ = problem_->load(*device_->own, *workload_); });
}

choice workload_runner::choose(const run_request& asked) {
  solve_times unused;
  attempt first = attempts(asked, unused).front();
  first.configuration = adapted(first.configuration, asked);
  return described(first);
}

run_result workload_runner::run(
    const run_request& asked,
    const std::function<tuner::run_report(tuner::problem_instance& ready, solve_times& times)>& run) {
  solve_times times;
  std::vector<attempt> all = attempts(asked, times);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_last = i + 1 == all.size();
    all[i].configuration = adapted(all[i].configuration, asked);
    const variant_name wanted(all[i].configuration.label(), asked.mode);
    // The last one's reason is as good as any.
    if (!is_last && unfit_.contains(wanted)) continue;
    try {
      make_ready(all[i].configuration, asked.mode, times);
      run_result result{.report = run(*instance_, times), .chosen = described(all[i]), .times = times};
      if (result.report.result != db::outcome::ok) {
        throw search_error(
            fmt::format("{}: {}: {}", asked.what, db::to_string(result.report.result), result.report.message),
            reason_of(result.report.result));
      }
      result.times = times;
      result.times.solve = result.report.milliseconds;
      return result;
    } catch (const backends::launch_error&) {
      unfit_.insert(wanted);
      if (is_last) throw;
    }
  }
  throw work_error("no configuration to try");
}

std::vector<attempt> workload_runner::attempts(const run_request& asked, solve_times& times) {
  std::vector<attempt> given;
  for (const std::string& text : asked.configurations) {
    given.push_back({.configuration = parsed(text),
                     .on_host = false,
                     .by = choice::chooser::caller,
                     .predicted = std::nullopt,
                     .reason = "given"});
  }
  if (!given.empty()) return given;
  const std::shared_ptr<const model_data> model = access::share(asked.chosen_by);
  if (ranker_ != model) {
    ranker_.reset();
    times.choice += milliseconds_of([&] { ranking_ = ranked_by(asked.chosen_by); });
    ranker_ = model;
  }
  return ranking_;
}

const labelled_configuration& workload_runner::parsed(const std::string& text) {
  const auto known = given_.find(text);
  if (known != given_.end()) return known->second;
  return given_.emplace(text, parameters_.parse_label(text)).first->second;
}

std::vector<attempt> workload_runner::ranked_by(const model& asked) {
  if (is_standard(asked)) {
    const auto installed = installed_model(device_->facts.name, entry_.name, parameters_);
    return installed == nullptr ? shipped() : ranked_by(*installed);
  }
  return ranked_by(access::get(asked));
}

std::vector<attempt> workload_runner::ranked_by(const model_data& model) {
  if (model.trained_for().empty()) return shipped();
  if (model.trained_for() != entry_.name) {
    throw input_error(
        fmt::format("{}: it was trained for problem '{}', not '{}'", model.name(), model.trained_for(), entry_.name));
  }
  std::vector<double> values;
  for (const std::string_view name : model.features()) values.push_back(feature_(name));
  std::vector<attempt> all;
  for (const ranked_label& one : model.ranked(values)) {
    try {
      all.push_back({.configuration = parameters_.parse_label(one.label),
                     .on_host = false,
                     .by = choice::chooser::model,
                     .predicted = one.predicted,
                     .reason = predicted_reason(model.origin(), one.predicted)});
    } catch (const input_error& error) {
      throw input_error(fmt::format("{}: it picks '{}', which this program does not have ({})", model.name(), one.label,
                                    error.what()));
    }
  }
  // What can run in any case is what is taken without a selector.
  all.push_back(shipped().back());
  all.back().reason = "the default: none of the selector's candidates fits on this device";
  return all;
}

std::vector<attempt> workload_runner::shipped() {
  const backends::device_info& info = device_->own->info();
  std::vector<problems::suggested_configuration> suggested;
  if (entry_.solve->choose != nullptr) suggested = entry_.solve->choose(feature_, info);
  const bool has_selector = !suggested.empty() && suggested.front().predicted.has_value();
  if (has_selector || suggested.empty()) suggested.push_back({.label = ""});
  std::vector<attempt> all;
  for (const problems::suggested_configuration& one : suggested) {
    const std::string standard = has_selector    ? "the default: none of the selector's candidates fits on this device"
                                 : !info.grid    ? "the default on processors"
                                 : info.modelled ? "the default on a simulated device"
                                                 : "the default";
    all.push_back({.configuration = parameters_.parse_label(one.label),
                   .on_host = false,
                   .by = one.predicted ? choice::chooser::model : choice::chooser::standard,
                   .predicted = one.predicted,
                   .reason = one.predicted ? predicted_reason("the selector", one.predicted) : standard});
  }
  return all;
}

void workload_runner::make_ready(const labelled_configuration& chosen, tuner::instrumentation mode,
                                 solve_times& times) {
  times.upload += upload();
  const variant_name wanted(chosen.label(), mode);
  if (prepared_ == wanted) return;
  std::shared_ptr<const backends::kernel>& compiled = kernels_[wanted];
  if (compiled == nullptr) {
    compiled = device_->own->compile(instance_->variant(chosen, mode));
    times.compile += compiled->properties().compile_ms;
    times.compiled = !compiled->properties().from_cache;
  }
  prepared_.reset();
  times.prepare += milliseconds_of([&] { instance_->prepare(chosen, compiled, mode); });
  prepared_ = wanted;
}

choice workload_runner::described(const attempt& tried) const {
  return {.configuration = tried.configuration.label(),
          .device = device_->facts.selector,
          .device_name = device_->facts.name,
          .by = tried.by,
          .predicted = tried.predicted,
          .reason = tried.reason};
}

}  // namespace mlmq::detail
