// SPDX-License-Identifier: Apache-2.0
#include "problems/strategy_guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include "base/error.hpp"
#include "problems/recommendation.hpp"
#include "selector/installed.hpp"

namespace mlmq::problems {
namespace {

/// Number of recommended configurations that a search begins with, in addition to the first of each other pair of
/// queues. More would use too much of a small budget.
constexpr std::size_t most_recommended = 4;

/// Returns what distinguishes families of configurations: the solver and its queues.
std::string kind_of(const tuner::configuration& chosen) {
  std::string kind;
  for (const auto& [name, value] : chosen.values()) {
    if (name == "solver" || name == "l0" || name == "l1" || name == "l2" || name == "queue")
      kind += name + '=' + tuner::to_text(value) + ',';
  }
  return kind;
}

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
  std::set<std::string> kinds;
  for (std::size_t i = 0; i < recommended.size(); ++i) {
    const bool is_first_of_kind = kinds.insert(kind_of(recommended[i].configuration)).second;
    if (i < most_recommended || is_first_of_kind) guide.recommended.push_back(recommended[i].configuration);
  }
  return guide;
}

}  // namespace mlmq::problems
