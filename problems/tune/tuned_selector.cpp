// SPDX-License-Identifier: Apache-2.0
#include "problems/tune/tuned_selector.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "problems/tune/complete_record.hpp"
#include "problems/tune/installation.hpp"
#include "selector/model_inputs.hpp"
#include "selector/time_model.hpp"
#include "selector/train.hpp"

namespace mlmq::tune {
namespace {

using selector::held_out_choices;
using selector::training_set;

std::map<std::string_view, std::size_t> places_of(const training_set& set) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t c = 0; c < set.candidates.size(); ++c) places.emplace(set.candidates[c].label, c);
  return places;
}

/// Returns the choices of a baseline for each workload, or nothing if one of its choices was not measured.
std::optional<held_out_choices> choices_of(const baseline& baseline, const training_set& set,
                                           const selector::performance_matrix& performance,
                                           const std::function<bool(const std::string&)>& fits) {
  const auto places = places_of(set);
  const auto runs = [&](const std::string& label) {
    const auto place = places.find(label);
    if (place == places.end()) return fits(label);  // if so, it was not measured
    for (std::size_t w = 0; w < set.workloads.size(); ++w) {
      if (performance.relative(w, place->second) > 0) return true;
    }
    return false;
  };
  held_out_choices result;
  for (const selector::workload_example& workload : set.workloads) {
    std::vector<std::size_t>& chosen = result.emplace_back();
    for (const std::string& label : baseline.choices(workload, runs)) {
      const auto place = places.find(label);
      if (place == places.end()) return std::nullopt;
      chosen.push_back(place->second);
    }
  }
  return result;
}

/// Joins the searches of both sets, with the features of the first.
training_set joined(training_set first, const training_set& second) {
  std::map<std::string, std::size_t> places;
  for (const selector::candidate& candidate : first.candidates) places.emplace(candidate.label, places.size());
  std::set<std::string> names;
  for (const selector::workload_example& workload : first.workloads) names.insert(workload.name);
  std::map<std::size_t, std::size_t> added;
  for (std::size_t w = 0; w < second.workloads.size(); ++w) {
    selector::workload_example workload = second.workloads[w];
    if (!names.insert(workload.name).second) continue;
    workload.features = selector::pick_features(first.features, second.features, workload.features);
    added.emplace(w, first.workloads.size());
    first.workloads.push_back(std::move(workload));
  }
  for (selector::observation observation : second.observations) {
    const auto workload = added.find(observation.workload);
    const auto candidate = places.find(second.candidates[observation.candidate].label);
    if (workload == added.end() || candidate == places.end()) continue;
    observation.workload = workload->second;
    observation.candidate = candidate->second;
    first.observations.push_back(observation);
  }
  return selector::in_canonical_order(first);
}

/// Adds a time model to the selector, for measured (not modelled) times.
void add_times(selector::model& model, const complete_record& own_record, const selector::training_data& data,
               const earlier_record& record) {
  if (data.source.times != "measured") return;
  std::set<std::string_view> labels;
  for (const selector::candidate& candidate : model.candidates) labels.insert(candidate.label);
  std::vector<std::size_t> positions;
  for (std::size_t c = 0; c < own_record.searches.candidates.size(); ++c) {
    if (labels.contains(own_record.searches.candidates[c].label)) positions.push_back(c);
  }
  training_set searches = selector::keep_candidates(own_record.searches, positions);
  if (record.data && record.same_device) searches = joined(std::move(searches), record.data->set);
  model.times = selector::fit_times(searches, model.inputs.features, data.source.problem);
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

/// Returns the features to learn from. On processors only the size is used, since searching a small graph is faster
/// than a pass over it for other features.
std::vector<std::string> learned_features(const selector::training_data& data) {
  const auto lists = data.kind->lists();
  const bool has_size = std::any_of(lists.begin(), lists.end(), [](const auto& list) { return list.word == "size"; });
  if (!has_size || backends::traits_of_kind(data.source.device_kind).grid) return standard_features(data);
  return selector::expand_feature_list(std::vector<std::string>{"size"}, data.set.features, *data.kind);
}

void keep_choices(selector::tuned_about& about, const training_set& set, const held_out_choices& choices) {
  for (std::size_t w = 0; w < choices.size(); ++w) {
    std::vector<std::string>& labels = about.held_out[set.workloads[w].name];
    for (const std::size_t candidate : choices[w]) labels.push_back(set.candidates[candidate].label);
  }
}

}  // namespace

tuned_selector learn_selector(const sweep_series& series, const record_request& recorded,
                              const selector::tuned_settings& settings) {
  const selector::training_data& data = series.data();
  const std::vector<baseline>& baselines = series.baselines();
  std::string replaced_text = installed_text(data.source.device_name, data.source.problem);
  const complete_record own_record = complete_part(data, series.needed());
  if (own_record.means.workloads.empty()) throw work_error(std::string(nothing_complete));
  const earlier_record record = load_record(recorded, data, series.device());
  selector::tuning_record training_record{.own_set = selector::keep_features(own_record.means, learned_features(data)),
                                          .recorded = std::nullopt,
                                          .same_device = record.same_device};
  if (record.data) {
    training_record.recorded =
        selector::mean_over_queries(selector::keep_features(record.data->set, learned_features(*record.data)));
  }
  const selector::tuned_learner learner(std::move(training_record), settings);
  const training_set& set = learner.own_set();
  tuned_selector result;
  result.graphs = set.workloads.size();
  result.incomplete = own_record.incomplete;
  result.configurations = set.candidates.size();
  result.also_recorded = also_recorded(own_record, record);
  result.same_device = record.same_device;
  result.replaced_text = std::move(replaced_text);
  result.current_name = baselines.front().name;
  std::vector<std::size_t> everything(set.workloads.size());
  for (std::size_t w = 0; w < everything.size(); ++w) everything[w] = w;
  const std::size_t fixed = learner.best_fixed(everything);
  result.best_fixed = set.candidates[fixed].label;
  result.is_fixed = true;
  const auto evaluation = evaluate_tuned(learner);
  selector::strategy_evaluations scores;
  if (evaluation) {
    for (const selector::workload_example& workload : set.workloads) scores.workloads.push_back(workload.name);
    for (const selector::candidate& candidate : set.candidates) scores.configurations.push_back(candidate.label);
    const selector::strategy_evaluation by_features =
        selector::evaluate_strategy("new selector", learner.performance(), evaluation->learned);
    const selector::strategy_evaluation by_fixed =
        selector::evaluate_strategy("best fixed configuration", learner.performance(), evaluation->fixed);
    result.is_fixed = !(by_features.mean_relative > by_fixed.mean_relative);
    result.fresh_relative = std::max(by_features.mean_relative, by_fixed.mean_relative);
    const training_set with_all_features = selector::in_canonical_order(own_record.means);
    std::optional<double> used;
    std::optional<double> of_program;
    for (const baseline& baseline : baselines) {
      const auto choices = choices_of(baseline, with_all_features, learner.performance(),
                                      [&](const std::string& label) { return series.fits(label); });
      if (!choices) continue;
      scores.strategies.push_back(selector::evaluate_strategy(baseline.name, learner.performance(), *choices));
      if (&baseline == &baselines.front()) used = scores.strategies.back().mean_relative;
      if (!baseline.is_installed) of_program = scores.strategies.back().mean_relative;
    }
    scores.selector_strategy = result.is_fixed ? by_fixed.name : by_features.name;
    scores.strategies.push_back(by_features);
    scores.strategies.push_back(by_fixed);
    scores.strategies.push_back({.name = "best measured", .mean_relative = 1, .near_best = 1, .worst = 1});
    if (used) {
      // Ignore differences by rounding.
      constexpr double rounding = 1e-9;
      result.current_relative = *used;
      result.outcome = result.fresh_relative > *used + rounding ? verdict::fresh : verdict::current;
      result.program_is_best = baselines.front().is_installed && of_program && *of_program > *used + rounding &&
                               *of_program >= result.fresh_relative;
    }
  }
  const selector::tuned_fit fit = learner.learn(everything);
  selector::model& model = result.file.learned_model;
  model = result.is_fixed ? learner.build_fixed(fixed, data.source) : learner.build(fit, data.source);
  result.learned_by = result.is_fixed ? "the best fixed configuration" : fit.chosen_correction.text();
  result.recorded_graphs = !result.is_fixed && fit.chosen_correction.from_record ? learner.recorded_workloads() : 0;
  add_times(model, own_record, data, record);
  result.file.about = {.device = data.source.device_name,
                       .problem = data.source.problem,
                       .creation_day = today(),
                       .origin = result.learned_by,
                       .workloads = result.graphs,
                       .held_out = {},
                       .evaluation = std::move(scores)};
  if (evaluation) keep_choices(result.file.about, set, result.is_fixed ? evaluation->fixed : evaluation->learned);
  return result;
}

}  // namespace mlmq::tune
