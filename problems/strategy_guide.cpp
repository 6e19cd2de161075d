// SPDX-License-Identifier: Apache-2.0
#include "problems/strategy_guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "problems/recommendation.hpp"
#include "selector/installed.hpp"

namespace mlmq::problems {
namespace {

/// Maximum number of recommended configurations: more would use too much of a small budget.
constexpr std::size_t most_recommended = 4;

}  // namespace

bool can_warm_start(const tuner::problem& problem) {
  const problem_entry* const entry = known_problem(problem.name());
  if (entry == nullptr) return false;
  if (entry->recommendation != nullptr) return true;
  return std::ranges::any_of(selector::installed_selectors(), [&](const selector::installed_selector& installed) {
    return installed.about && installed.about->problem == problem.name();
  });
}

void check_warm_start(const tuner::strategy_settings& settings, const tuner::problem& problem) {
  if (!settings.warm_start || can_warm_start(problem)) return;
  throw input_error(
      fmt::format("{}the problem '{}' has no selector; remove 'warm_start'", settings.place.prefix(), problem.name()));
}

tuner::strategy_guide search_guide_for(const tuner::strategy_settings& settings, const tuner::problem& problem,
                                       const db::workload_record& record, const backends::device_info& device) {
  tuner::strategy_guide guide;
  if (!settings.warm_start) return guide;
  check_warm_start(settings, problem);
  const auto recommended = recommend(find_problem(problem.name()), facts_of(record), device);
  for (std::size_t i = 0; i < std::min(recommended.size(), most_recommended); ++i)
    guide.recommended.push_back(recommended[i].configuration);
  return guide;
}

}  // namespace mlmq::problems
