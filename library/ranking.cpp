// SPDX-License-Identifier: Apache-2.0
#include "library/ranking.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "problems/registry.hpp"

namespace mlmq::detail {

ranking::ranking(const executor& executor, const problems::model_choice& choice)
    : executor_(executor),
      recommends_(problems::find_problem(executor.searched().name()), executor.device().backend->info(), choice) {
  workload_.graph = executor.data().csr;
  workload_.record.name = executor.data().name;
}

problems::workload_facts ranking::facts(const tuner::named_features& features) const {
  return {.name = workload_.record.name, .features = features, .loaded = &workload_};
}

std::vector<problems::recommended_configuration> ranking::recommended(const tuner::named_features& features,
                                                                      problems::graph_split split) {
  return recommends_.recommend(facts(features), {.searches = 1, .split = split});
}

std::vector<double> ranking::values(const tuner::named_features& features) const {
  return recommends_.model_values(facts(features));
}

problems::recommender& ranking::beside() {
  if (!on_processors_) {
    on_processors_.emplace(
        problems::find_problem(executor_.searched().name()), executor_.host().backend().info(),
        problems::model_choice{.origin = problems::model_choice::source::given, .model = recommends_.model()});
  }
  return *on_processors_;
}

const problems::recommended_configuration* ranking::best_on_processors(const tuner::named_features* features) {
  std::optional<best_configuration>& best = features != nullptr ? best_by_features_ : best_by_size_;
  if (!best) {
    tuner::named_features unknown;
    for (const std::string_view name : recommends_.features())
      unknown.emplace(name, std::numeric_limits<double>::quiet_NaN());
    best.emplace();
    for (auto& recommendation : beside().recommend(facts(features != nullptr ? *features : unknown))) {
      if (recommendation.origin != problems::candidate_origin::model) continue;
      *best = std::move(recommendation);
      // Without features there is no valid prediction.
      if (features == nullptr) (*best)->predicted.reset();
      break;
    }
  }
  return *best ? &**best : nullptr;
}

std::span<const labelled_configuration> ranking::searchers() {
  if (!searchers_) {
    std::vector<labelled_configuration> parsed;
    for (const selector::timed_search_label& search : model().searchers())
      parsed.push_back(recommends_.parsed_candidate(search.label));
    searchers_ = std::move(parsed);
  }
  return *searchers_;
}

}  // namespace mlmq::detail
