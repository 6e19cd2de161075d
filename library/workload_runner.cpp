// SPDX-License-Identifier: Apache-2.0
#include "library/workload_runner.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "library/access.hpp"
#include "library/device_data.hpp"
#include "library/device_lock.hpp"
#include "library/model_data.hpp"

namespace mlmq::detail {
namespace {

search_error::reason reason_of(db::outcome result) {
  using reason = search_error::reason;
  return result == db::outcome::timeout    ? reason::time_limit
         : result == db::outcome::overflow ? reason::queue_full
                                           : reason::failed;
}

labelled_configuration adapted(const labelled_configuration& configuration, const run_request& request) {
  if (!request.adapt) return configuration;
  tuner::configuration changed = configuration;
  request.adapt(changed);
  return changed;
}

}  // namespace

workload_runner::workload_runner(std::shared_ptr<device_data> device, const problems::problem_entry& problem,
                                 std::shared_ptr<const tuner::workload> workload, feature_value feature)
    : device_(std::move(device)),
      entry_(problem),
      problem_(problem.make()),
      parameters_(tuner::parameter_set::from_declarations(problem_->declarations(), problem_->presets())),
      workload_(std::move(workload)),
      feature_(std::move(feature)) {}

workload_runner::workload_runner(const mlmq::device& device, const problems::problem_entry& problem,
                                 std::shared_ptr<const tuner::workload> workload, feature_value feature)
    : workload_runner(access::share(device), problem, std::move(workload), std::move(feature)) {}

workload_runner::~workload_runner() {
  const device_lock lock(*device_, device_lock::may_nest{});
  try {
    device_->backend->enter();
  } catch (const std::exception&) {
    // The device is lost; its resources are freed with the process.
  }
  instance_.reset();
  kernels_.clear();
}

double workload_runner::upload() {
  if (instance_ != nullptr) return 0;
  return milliseconds_of([&] { instance_ = problem_->load(*device_->backend, *workload_); });
}

choice workload_runner::choose(const run_request& request) {
  solve_times unused;
  attempt first = attempts(request, unused).front();
  first.configuration = adapted(first.configuration, request);
  return describe(first);
}

run_result workload_runner::run(
    const run_request& request,
    const std::function<tuner::run_report(tuner::problem_instance& ready, solve_times& times)>& run) {
  solve_times times;
  std::vector<attempt> candidates = attempts(request, times);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool is_last = i + 1 == candidates.size();
    candidates[i].configuration = adapted(candidates[i].configuration, request);
    const variant_name name(candidates[i].configuration.label(), request.mode);
    // Always try the last configuration, so that its error is reported.
    if (!is_last && unfit_.contains(name)) continue;
    try {
      make_ready(candidates[i].configuration, request.mode, times);
      run_result result{.report = run(*instance_, times), .chosen = describe(candidates[i]), .times = times};
      if (result.report.result != db::outcome::ok) {
        throw search_error(
            fmt::format("{}: {}: {}", request.description, db::to_string(result.report.result), result.report.message),
            reason_of(result.report.result));
      }
      result.times = times;
      result.times.solve = result.report.milliseconds;
      return result;
    } catch (const backends::launch_error&) {
      unfit_.insert(name);
      if (is_last) throw;
    }
  }
  throw work_error("no configuration to try");
}

std::vector<attempt> workload_runner::attempts(const run_request& request, solve_times& times) {
  std::vector<attempt> requested;
  for (const std::string& text : request.configurations) {
    requested.push_back({.configuration = parsed(text),
                         .on_host = false,
                         .chosen_by = choice::chooser::caller,
                         .predicted = std::nullopt,
                         .reason = "given"});
  }
  if (!requested.empty()) return requested;
  std::vector<attempt> ranked;
  times.choice += milliseconds_of([&] { ranked = recommended(request.chosen_by, request.searches); });
  return ranked;
}

const std::vector<attempt>& workload_runner::recommended(const model& chosen_by, std::size_t searches) {
  const std::shared_ptr<const model_data> data = access::share(chosen_by);
  if (ranker_ == data && ranked_searches_ == searches) return ranking_;
  ranker_.reset();
  ranking_.clear();
  auto entry = recommenders_.find(data);
  if (entry == recommenders_.end())
    entry = recommenders_.emplace(data, problems::recommender(entry_, device_->backend->info(), data->choice)).first;
  problems::workload_facts facts = {.name = workload_->record.name, .features = {}, .loaded = workload_.get()};
  for (const std::string_view name : entry->second.features()) facts.features.emplace(name, feature_(name));
  for (auto& recommendation : entry->second.recommend(facts, {.searches = searches}))
    ranking_.push_back(attempt_of(std::move(recommendation)));
  ranker_ = data;
  ranked_searches_ = searches;
  return ranking_;
}

const labelled_configuration& workload_runner::parsed(const std::string& text) {
  const auto entry = parsed_configurations_.find(text);
  if (entry != parsed_configurations_.end()) return entry->second;
  return parsed_configurations_.emplace(text, parameters_.parse_label(text)).first->second;
}

void workload_runner::make_ready(const labelled_configuration& configuration, tuner::instrumentation mode,
                                 solve_times& times) {
  times.upload += upload();
  const variant_name name(configuration.label(), mode);
  if (prepared_ == name) return;
  std::shared_ptr<const backends::kernel>& compiled = kernels_[name];
  if (compiled == nullptr) {
    compiled = device_->backend->compile(instance_->variant(configuration, mode));
    times.compile += compiled->properties().compile_ms;
    times.compiled = !compiled->properties().from_cache;
  }
  prepared_.reset();
  times.prepare += milliseconds_of([&] { instance_->prepare(configuration, compiled, mode); });
  prepared_ = name;
}

choice workload_runner::describe(const attempt& candidate) const {
  return {.configuration = candidate.configuration.label(),
          .device = device_->facts.selector,
          .device_name = device_->facts.name,
          .by = candidate.chosen_by,
          .predicted = candidate.predicted,
          .reason = candidate.reason};
}

}  // namespace mlmq::detail
