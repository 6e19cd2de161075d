// SPDX-License-Identifier: Apache-2.0
#include "selector/strategy_guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "selector/recorded_rows.hpp"
#include "selector/regression.hpp"
#include "selector/shipped.hpp"
#include "selector/told_features.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::selector {
namespace {

/// More would leave little of a small budget for what the search itself finds.
constexpr std::size_t most_recommended = 4;

std::string problem_of_shipped() {
  return nlohmann::json::parse(shipped_provenance()).at("problem").get<std::string>();
}

}  // namespace

bool can_warm_start(const tuner::problem& problem) { return problem_of_shipped() == problem.name(); }

void check_warm_start(const tuner::strategy_settings& settings, const tuner::problem& problem) {
  if (!settings.warm_start || can_warm_start(problem)) return;
  throw input_error(fmt::format("{}the shipped selector is for the problem '{}', not '{}'; leave 'warm_start' out",
                                settings.place.prefix(), problem_of_shipped(), problem.name()));
}

tuner::strategy_guide search_guide_for(const tuner::strategy_settings& settings, const tuner::problem& problem,
                                       const db::workload_record& record) {
  tuner::strategy_guide guide{.learn = boosted_trees(), .recommended = {}};
  if (!settings.warm_start) return guide;
  check_warm_start(settings, problem);
  const auto parameters = tuner::parameter_set::from_declarations(problem.declarations(), problem.presets());
  const auto ranked = shipped_ranked(
      told_features(features_of(record), shipped_features(), problem.workloads().features(), record.name));
  for (std::size_t i = 0; i < std::min(ranked.size(), most_recommended); ++i) {
    guide.recommended.push_back(parameters.parse_label(shipped_label(ranked[i])));
  }
  return guide;
}

}  // namespace mlmq::selector
