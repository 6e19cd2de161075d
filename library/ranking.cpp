// SPDX-License-Identifier: Apache-2.0
#include "library/ranking.hpp"

#include <utility>

#include "problems/registry.hpp"

namespace mlmq::detail {

ranking::ranking(const executor& executor, const graph::csr_graph& graph, const problems::model_choice& choice)
    : executor_(executor),
      recommends_(problems::find_problem(executor.searched().name()), executor.device().backend->info(), choice) {
  workload_.graph = graph;
  workload_.record.name = executor.data().name;
}

problems::workload_facts ranking::facts(const tuner::named_features& features) const {
  return {.name = workload_.record.name, .features = features, .loaded = &workload_};
}

std::vector<problems::recommended_configuration> ranking::recommended(const tuner::named_features& features,
                                                                      problems::graph_split split) {
  return recommends_.recommend(facts(features), {.searches = 1, .split = split});
}

problems::recommender& ranking::on_processors() {
  // Without a model: its candidates are for the solver's device.
  if (!on_processors_)
    on_processors_.emplace(problems::find_problem(executor_.searched().name()), executor_.host().backend().info(),
                           problems::model_choice{.origin = problems::model_choice::source::shipped});
  return *on_processors_;
}

std::span<const problems::recommended_configuration> ranking::searches_on_processors() {
  if (searches_on_processors_.empty()) searches_on_processors_ = on_processors().recommend(facts({}));
  return searches_on_processors_;
}

}  // namespace mlmq::detail
