// SPDX-License-Identifier: Apache-2.0
#include "cli/tuned_selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "selector/candidates.hpp"
#include "selector/evaluate.hpp"
#include "selector/shipped.hpp"
#include "selector/time_model.hpp"
#include "selector/told_features.hpp"
#include "selector/train.hpp"

namespace mlmq::cli {
namespace {

/// A time that a configuration did not have a chance to beat says nothing: only what was measured whole is learned from.
selector::training_set keep_complete(const selector::training_set& set) {
  std::vector<std::size_t> measured(set.workloads.size(), 0);
  for (const selector::observation& one : set.observations) ++measured[one.workload];
  std::vector<std::size_t> kept;
  for (std::size_t w = 0; w < measured.size(); ++w) {
    if (measured[w] == set.candidates.size()) kept.push_back(w);
  }
  return selector::keep_workloads(set, kept);
}

std::size_t solved_groups(const selector::training_set& set) {
  const selector::performance_matrix performance(set);
  std::set<std::string> groups;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    if (performance.solved(w)) groups.insert(set.workloads[w].group);
  }
  return groups.size();
}

way_to_choose judged(const char* name, const selector::evaluation_report& report, std::string_view strategy) {
  const selector::strategy_score score = selector::score_of(report, report.strategy(strategy));
  return {.name = name,
          .mean_relative = score.mean_relative.value,
          .near_best = score.near_best.value,
          .worst = score.worst};
}

/// What the selector of the program would have chosen, where it knows the features and its choice was measured.
std::optional<way_to_choose> judged_shipped(const selector::training_set& set, const selector::training_data& data) {
  if (data.source.problem != selector::shipped_time_problem()) return std::nullopt;
  const selector::performance_matrix performance(set);
  std::map<std::string_view, std::size_t> known;
  for (std::size_t c = 0; c < set.candidates.size(); ++c) known.emplace(set.candidates[c].label, c);
  way_to_choose way{.name = shipped_selector_name, .mean_relative = 0, .near_best = 0, .worst = 1};
  std::size_t count = 0;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    if (!performance.solved(w)) continue;
    selector::named_features features;
    for (std::size_t i = 0; i < set.features.size(); ++i) {
      if (!std::isnan(set.workloads[w].features[i])) features.emplace(set.features[i], set.workloads[w].features[i]);
    }
    const auto values =
        selector::told_features(features, selector::shipped_features(), *data.kind, set.workloads[w].name);
    const auto found = known.find(selector::shipped_label(selector::shipped_select(values)));
    // Of a choice that was not measured nothing is known: another space was swept.
    if (found == known.end()) return std::nullopt;
    const double relative = performance.relative(w, found->second);
    way.mean_relative += relative;
    way.near_best += relative >= 0.9 ? 1 : 0;
    way.worst = std::min(way.worst, relative);
    ++count;
  }
  if (count == 0) return std::nullopt;
  way.mean_relative /= static_cast<double>(count);
  way.near_best /= static_cast<double>(count);
  return way;
}

}  // namespace

tuned_selector make_tuned_selector(const selector::training_data& data, const selector::learning& learned,
                                   double tolerance, std::size_t most_candidates) {
  const selector::training_set complete = keep_complete(data.set);
  if (complete.workloads.empty()) throw work_error(std::string(nothing_complete));
  const selector::training_set set = selector::mean_over_queries(complete);
  const selector::performance_matrix performance(set);
  tuned_selector result;
  result.graphs = set.workloads.size();
  result.incomplete = data.set.workloads.size() - complete.workloads.size();
  std::vector<std::size_t> kept{selector::best_fixed_candidate(performance)};
  result.best_fixed = set.candidates[kept.front()].label;
  result.chosen = best_fixed_way_name;
  if (solved_groups(set) >= 2) {
    const selector::evaluation_report report = selector::evaluate(
        set, std::array{learned},
        {.folds = 5, .repeats = 3, .cover_tolerance = tolerance, .most_candidates = most_candidates});
    result.ways = {judged(new_selector_name, report, selector::to_string(learned.how)),
                   judged(best_fixed_way_name, report, selector::best_fixed_name)};
    if (result.ways[0].mean_relative > result.ways[1].mean_relative) {
      result.chosen = new_selector_name;
      kept = selector::covering_candidates(performance, tolerance, most_candidates);
    }
    if (const auto shipped = judged_shipped(set, data)) {
      result.shipped_is_better =
          shipped->mean_relative > std::max(result.ways[0].mean_relative, result.ways[1].mean_relative);
      result.ways.push_back(*shipped);
    }
  }
  result.model = selector::train_model(selector::keep_candidates(set, kept), learned, data.source);
  // A modelled time is none that a machine takes.
  if (data.source.times == "measured") {
    const selector::training_set searches = selector::keep_candidates(selector::in_canonical_order(complete), kept);
    result.model.times = selector::fit_times(searches, nullptr, result.model.inputs.features, data.source.problem);
  }
  return result;
}

}  // namespace mlmq::cli
