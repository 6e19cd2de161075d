// SPDX-License-Identifier: Apache-2.0
#include "library/workload_runner.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/error.hpp"

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

}  // namespace

workload_runner::workload_runner(std::shared_ptr<device_data> on, const problems::problem_entry& of,
                                 std::shared_ptr<const tuner::workload> what, feature_value feature)
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
  std::vector<attempt> ranked;
  times.choice += milliseconds_of([&] { ranked = recommended(asked.chosen_by, asked.searches); });
  return ranked;
}

const std::vector<attempt>& workload_runner::recommended(const model& chosen_by, std::size_t searches) {
  const std::shared_ptr<const model_data> data = access::share(chosen_by);
  if (ranker_ == data && ranked_searches_ == searches) return ranking_;
  ranker_.reset();
  ranking_.clear();
  auto entry = recommenders_.find(data);
  if (entry == recommenders_.end())
    entry = recommenders_.emplace(data, problems::recommender(entry_, device_->own->info(), data->choice)).first;
  problems::workload_facts facts = {.name = workload_->record.name, .features = {}, .loaded = workload_.get()};
  for (const std::string_view name : entry->second.features()) facts.features.emplace(name, feature_(name));
  for (auto& next : entry->second.recommend(facts, {.searches = searches}))
    ranking_.push_back(attempt_of(std::move(next)));
  ranker_ = data;
  ranked_searches_ = searches;
  return ranking_;
}

const labelled_configuration& workload_runner::parsed(const std::string& text) {
  const auto known = given_.find(text);
  if (known != given_.end()) return known->second;
  return given_.emplace(text, parameters_.parse_label(text)).first->second;
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
