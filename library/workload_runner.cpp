// SPDX-License-Identifier: Apache-2.0
#include "library/workload_runner.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "library/access.hpp"
#include "library/device_data.hpp"
#include "library/device_lock.hpp"
#include "library/errors.hpp"
#include "library/model_data.hpp"
#include "library/stage_time.hpp"

namespace mlmq::detail {
namespace {

labelled_configuration adapted(const labelled_configuration& configuration, const run_request& request) {
  if (!request.adapt) return configuration;
  tuner::configuration changed = configuration;
  request.adapt(changed);
  return changed;
}

}  // namespace

workload_runner::workload_runner(std::shared_ptr<device_data> device, const problems::problem_entry& problem,
                                 std::shared_ptr<const tuner::workload> workload, feature_value feature,
                                 host_copy_clock host_copy_ms)
    : device_(std::move(device)),
      entry_(problem),
      problem_(problem.make()),
      parameters_(tuner::parameter_set::from_declarations(problem_->declarations(), problem_->presets())),
      workload_(std::move(workload)),
      feature_(std::move(feature)),
      host_copy_ms_(std::move(host_copy_ms)),
      variants_(host_copy_ms_) {}

workload_runner::workload_runner(const mlmq::device& device, const problems::problem_entry& problem,
                                 std::shared_ptr<const tuner::workload> workload, feature_value feature)
    : workload_runner(single_device(device, problem.name + " runs"), problem, std::move(workload), std::move(feature)) {
}

workload_runner::~workload_runner() {
  free_on(*device_, [&] {
    instance_.reset();
    variants_ = compiled_variants();
  });
}

void workload_runner::upload(solve_times& times) {
  if (instance_ != nullptr) return;
  add_time(times.upload, times, host_copy_ms_, [&] { instance_ = problem_->load(*device_->backend, *workload_); });
}

void workload_runner::replace_workload(std::shared_ptr<const tuner::workload> workload, feature_value feature,
                                       const std::function<void(tuner::problem_instance&)>& adopt) {
  workload_ = std::move(workload);
  feature_ = std::move(feature);
  ranker_.reset();
  variants_ = compiled_variants(host_copy_ms_);  // other weights may need other variants
  if (instance_ != nullptr) adopt(*instance_);
}

choice workload_runner::choose(const run_request& request) {
  solve_times unused;
  attempt first = attempts(request, unused).front();
  first.configuration = adapted(first.configuration, request);
  return choice_of(first, device_->backend->info());
}

run_result workload_runner::run(
    const run_request& request,
    const std::function<tuner::run_report(tuner::problem_instance& ready, solve_times& times)>& run) {
  solve_times times;
  std::vector<attempt> candidates = attempts(request, times);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool is_last = i + 1 == candidates.size();
    candidates[i].configuration = adapted(candidates[i].configuration, request);
    const labelled_configuration& configuration = candidates[i].configuration;
    // Always try the last configuration, so that its error is reported.
    if (!is_last && variants_.is_unfit(configuration.label(), request.mode)) continue;
    try {
      upload(times);
      variants_.make_ready(*instance_, *device_->backend, configuration, request.mode, times);
      run_result result{.report = run(*instance_, times),
                        .chosen = choice_of(candidates[i], device_->backend->info()),
                        .times = times};
      require_ok(result.report, request.description);
      result.times = times;
      result.times.solve = result.report.milliseconds;
      return result;
    } catch (const backends::launch_error&) {
      variants_.note_unfit(configuration.label(), request.mode);
      if (is_last) throw;
    } catch (const backends::out_of_device_memory&) {
      // Another recommendation may need less.
      if (is_last || !request.configurations.empty()) throw;
    }
  }
  throw work_error("no configuration to try");
}

std::vector<attempt> workload_runner::attempts(const run_request& request, solve_times& times) {
  std::vector<attempt> requested;
  for (const std::string& text : request.configurations) requested.push_back(caller_attempt(parsed(text)));
  if (!requested.empty()) return requested;
  std::vector<attempt> ranked;
  times.choice += milliseconds_of([&] { ranked = recommended(request.chosen_by, request.plans); });
  return ranked;
}

const std::vector<attempt>& workload_runner::recommended(const model& chosen_by,
                                                         const problems::recommendation_request& plans) {
  const std::shared_ptr<const model_data> data = access::share(chosen_by);
  if (ranker_ == data && ranked_plans_ == plans) return ranking_;
  ranker_.reset();
  ranking_.clear();
  auto entry = recommenders_.find(data);
  if (entry == recommenders_.end())
    entry = recommenders_.emplace(data, problems::recommender(entry_, device_->backend->info(), data->choice)).first;
  problems::workload_facts facts = {.name = workload_->record.name, .features = {}, .loaded = workload_.get()};
  for (const std::string_view name : entry->second.features()) facts.features.emplace(name, feature_(name));
  for (auto& recommendation : entry->second.recommend(facts, plans))
    ranking_.push_back(attempt_of(std::move(recommendation)));
  ranker_ = data;
  ranked_plans_ = plans;
  return ranking_;
}

const labelled_configuration& workload_runner::parsed(const std::string& text) {
  const auto entry = parsed_configurations_.find(text);
  if (entry != parsed_configurations_.end()) return entry->second;
  return parsed_configurations_.emplace(text, parameters_.parse_label(text)).first->second;
}

}  // namespace mlmq::detail
