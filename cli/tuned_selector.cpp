// SPDX-License-Identifier: Apache-2.0
#include "cli/tuned_selector.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "selector/time_model.hpp"
#include "selector/told_features.hpp"
#include "selector/train.hpp"

namespace mlmq::cli {
namespace {

using selector::held_out_choices;
using selector::training_set;

std::map<std::string_view, std::size_t> places_of(const training_set& set) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t c = 0; c < set.candidates.size(); ++c) places.emplace(set.candidates[c].label, c);
  return places;
}

/// What a baseline chooses for each own workload; nothing when one of its choices was not measured.
std::optional<held_out_choices> choices_of(const baseline& way, const training_set& own,
                                           const selector::performance_matrix& performance,
                                           const std::function<bool(const std::string&)>& fits) {
  const auto places = places_of(own);
  const auto runs = [&](const std::string& label) {
    const auto found = places.find(label);
    if (found == places.end()) return fits(label);  // if so, it was not measured
    for (std::size_t w = 0; w < own.workloads.size(); ++w) {
      if (performance.relative(w, found->second) > 0) return true;
    }
    return false;
  };
  held_out_choices all;
  for (const selector::workload_example& one : own.workloads) {
    std::vector<std::size_t>& chosen = all.emplace_back();
    for (const std::string& label : way.choices(one, runs)) {
      const auto found = places.find(label);
      if (found == places.end()) return std::nullopt;
      chosen.push_back(found->second);
    }
  }
  return all;
}

/// The searches of both records, with the features of the first.
training_set joined(training_set first, const training_set& second) {
  std::map<std::string, std::size_t> places;
  for (const selector::candidate& one : first.candidates) places.emplace(one.label, places.size());
  std::set<std::string> names;
  for (const selector::workload_example& one : first.workloads) names.insert(one.name);
  std::map<std::size_t, std::size_t> added;
  for (std::size_t w = 0; w < second.workloads.size(); ++w) {
    selector::workload_example one = second.workloads[w];
    if (!names.insert(one.name).second) continue;
    one.features = selector::pick_features(first.features, second.features, one.features);
    added.emplace(w, first.workloads.size());
    first.workloads.push_back(std::move(one));
  }
  for (selector::observation one : second.observations) {
    const auto workload = added.find(one.workload);
    const auto candidate = places.find(second.candidates[one.candidate].label);
    if (workload == added.end() || candidate == places.end()) continue;
    one.workload = workload->second;
    one.candidate = candidate->second;
    first.observations.push_back(one);
  }
  return selector::in_canonical_order(first);
}

/// Modelled times are none that a machine takes.
void add_times(selector::model& to, const complete_record& own, const selector::training_data& data,
               const selector::training_data* record, bool same_device) {
  if (data.source.times != "measured") return;
  std::set<std::string_view> labels;
  for (const selector::candidate& one : to.candidates) labels.insert(one.label);
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < own.searches.candidates.size(); ++c) {
    if (labels.contains(own.searches.candidates[c].label)) kept.push_back(c);
  }
  training_set searches = selector::keep_candidates(own.searches, kept);
  if (record != nullptr && same_device) searches = joined(std::move(searches), record->set);
  const selector::processor_record* const processors =
      record != nullptr && record->processors ? &*record->processors : nullptr;
  to.times = selector::fit_times(searches, processors, to.inputs.features, data.source.problem);
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

/// On processors a search of a small graph takes less time than a pass over it, so that selectors know its size only.
std::vector<std::string> learned_features(const selector::training_data& data) {
  const auto lists = data.kind->lists();
  const bool has_size = std::any_of(lists.begin(), lists.end(), [](const auto& list) { return list.word == "size"; });
  if (!has_size || backends::traits_of_kind(data.source.device_kind).grid) return standard_features(data);
  return selector::named_by(std::vector<std::string>{"size"}, data.set.features, *data.kind);
}

void keep_choices(selector::tuned_about& about, const training_set& own, const held_out_choices& choices) {
  for (std::size_t w = 0; w < choices.size(); ++w) {
    std::vector<std::string>& labels = about.held_out[own.workloads[w].name];
    for (const std::size_t candidate : choices[w]) labels.push_back(own.candidates[candidate].label);
  }
}

}  // namespace

void group_by_workload(selector::training_data& data) {
  if (data.source.problem == "sssp" || data.source.problem == "bfs") return;
  for (selector::workload_example& one : data.set.workloads) one.group = one.workload;
}

std::vector<std::string> standard_features(const selector::training_data& data) {
  return selector::named_by(std::vector<std::string>{"standard"}, data.set.features, *data.kind);
}

complete_record complete_part(const selector::training_data& data, const std::vector<std::string>& needed) {
  const training_set all = selector::keep_features(data.set, standard_features(data));
  const std::set<std::string_view> wanted(needed.begin(), needed.end());
  std::vector<std::set<std::size_t>> measured(all.workloads.size());
  for (const selector::observation& one : all.observations) measured[one.workload].insert(one.candidate);
  std::vector<std::size_t> workloads;
  for (std::size_t w = 0; w < all.workloads.size(); ++w) {
    const auto has = static_cast<std::size_t>(std::count_if(measured[w].begin(), measured[w].end(), [&](std::size_t c) {
      return wanted.contains(all.candidates[c].label);
    }));
    if (has == wanted.size()) workloads.push_back(w);
  }
  complete_record result;
  result.incomplete = all.workloads.size() - workloads.size();
  if (workloads.empty()) return result;
  std::vector<std::size_t> candidates;
  for (std::size_t c = 0; c < all.candidates.size(); ++c) {
    if (std::all_of(workloads.begin(), workloads.end(), [&](std::size_t w) { return measured[w].contains(c); }))
      candidates.push_back(c);
  }
  result.searches =
      selector::in_canonical_order(selector::keep_candidates(selector::keep_workloads(all, workloads), candidates));
  result.means = selector::mean_over_queries(result.searches);
  // A workload that failed from one of its vertices with every configuration has no best one.
  const selector::performance_matrix performance(result.means);
  std::vector<std::size_t> solved;
  for (std::size_t w = 0; w < result.means.workloads.size(); ++w) {
    if (performance.solved(w)) solved.push_back(w);
  }
  result.means = selector::keep_workloads(result.means, solved);
  return result;
}

tuned_selector make_tuned_selector(const complete_record& own, const selector::training_data& data,
                                   const selector::training_data* record, bool same_device,
                                   const std::vector<baseline>& present,
                                   const std::function<bool(const std::string&)>& fits,
                                   const selector::tuned_settings& settings) {
  if (own.means.workloads.empty()) throw work_error(std::string(nothing_complete));
  selector::tuning_record training_record{.own = selector::keep_features(own.means, learned_features(data)),
                                          .recorded = std::nullopt,
                                          .same_device = same_device};
  if (record != nullptr) {
    training_record.recorded =
        selector::mean_over_queries(selector::keep_features(record->set, learned_features(*record)));
  }
  const selector::tuned_learner learner(std::move(training_record), settings);
  const training_set& set = learner.own();
  tuned_selector result;
  result.graphs = set.workloads.size();
  result.incomplete = own.incomplete;
  result.configurations = set.candidates.size();
  result.present_name = present.front().name;
  std::vector<std::size_t> everything(set.workloads.size());
  for (std::size_t w = 0; w < everything.size(); ++w) everything[w] = w;
  const std::size_t fixed = learner.best_fixed(everything);
  result.best_fixed = set.candidates[fixed].label;
  result.is_fixed = true;
  const auto evaluation = evaluate_tuned(learner);
  selector::judged_ways judged;
  if (evaluation) {
    for (const selector::workload_example& workload : set.workloads) judged.workloads.push_back(workload.name);
    for (const selector::candidate& candidate : set.candidates) judged.configurations.push_back(candidate.label);
    const selector::judged_way by_features =
        selector::judge("new selector", learner.performance(), evaluation->learned);
    const selector::judged_way by_fixed =
        selector::judge("best fixed configuration", learner.performance(), evaluation->fixed);
    result.is_fixed = !(by_features.mean_relative > by_fixed.mean_relative);
    result.fresh_relative = std::max(by_features.mean_relative, by_fixed.mean_relative);
    const training_set with_all_features = selector::in_canonical_order(own.means);
    std::optional<double> used;
    std::optional<double> of_program;
    for (const baseline& way : present) {
      const auto choices = choices_of(way, with_all_features, learner.performance(), fits);
      if (!choices) continue;
      judged.ways.push_back(selector::judge(way.name, learner.performance(), *choices));
      if (&way == &present.front()) used = judged.ways.back().mean_relative;
      if (!way.is_installed) of_program = judged.ways.back().mean_relative;
    }
    judged.selector_way = result.is_fixed ? by_fixed.name : by_features.name;
    judged.ways.push_back(by_features);
    judged.ways.push_back(by_fixed);
    judged.ways.push_back({.name = "best measured", .mean_relative = 1, .near_best = 1, .worst = 1});
    if (used) {
      // Sums in another order are no difference.
      constexpr double rounding = 1e-9;
      result.present_relative = *used;
      result.found = result.fresh_relative > *used + rounding ? verdict::fresh : verdict::present;
      result.program_is_best = present.front().is_installed && of_program && *of_program > *used + rounding &&
                               *of_program >= result.fresh_relative;
    }
  }
  const selector::tuned_fit fit = learner.learn(everything);
  selector::model& model = result.made.chooser;
  model = result.is_fixed ? learner.build_fixed(fixed, data.source) : learner.build(fit, data.source);
  result.way = result.is_fixed ? "the best fixed configuration" : fit.how.text();
  result.recorded_graphs = !result.is_fixed && fit.how.from_record ? learner.recorded_workloads() : 0;
  add_times(model, own, data, record, same_device);
  result.made.about = {.device = data.source.device_name,
                       .problem = data.source.problem,
                       .made = today(),
                       .how = result.way,
                       .workloads = result.graphs,
                       .held_out = {},
                       .evaluation = std::move(judged)};
  if (evaluation) keep_choices(result.made.about, set, result.is_fixed ? evaluation->fixed : evaluation->learned);
  return result;
}

}  // namespace mlmq::cli
