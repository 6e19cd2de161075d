// SPDX-License-Identifier: Apache-2.0
#include "library/ranking.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "problems/registry.hpp"

namespace mlmq::detail {

ranking::ranking(const executor& runs, const problems::model_choice& choice)
    : runs_(runs), recommends_(problems::find_problem(runs.searched().name()), runs.device().own->info(), choice) {
  workload_.graph = runs.data().csr;
  workload_.record.name = runs.data().name;
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
  if (!beside_) {
    beside_.emplace(
        problems::find_problem(runs_.searched().name()), runs_.host().backend().info(),
        problems::model_choice{.origin = problems::model_choice::source::given, .model = recommends_.model()});
  }
  return *beside_;
}

const problems::recommended_configuration* ranking::best_on_processors(const tuner::named_features* features) {
  std::optional<best_configuration>& best = features != nullptr ? best_by_features_ : best_by_size_;
  if (!best) {
    tuner::named_features unknown;
    for (const std::string_view name : recommends_.features())
      unknown.emplace(name, std::numeric_limits<double>::quiet_NaN());
    best.emplace();
    for (auto& next : beside().recommend(facts(features != nullptr ? *features : unknown))) {
      if (next.origin != problems::candidate_origin::model) continue;
      *best = std::move(next);
      // A prediction without features is none.
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
