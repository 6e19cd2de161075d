// SPDX-License-Identifier: Apache-2.0
#include "problems/tune/complete_record.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "selector/model_inputs.hpp"

namespace mlmq::tune {

void group_by_workload(selector::training_data& data) {
  if (data.source.problem == "sssp" || data.source.problem == "bfs") return;
  for (selector::workload_example& workload : data.set.workloads) workload.group = workload.workload;
}

std::vector<std::string> standard_features(const selector::training_data& data) {
  return selector::expand_feature_list(std::vector<std::string>{"standard"}, data.set.features, *data.kind);
}

complete_record complete_part(const selector::training_data& data, const std::vector<std::string>& needed) {
  const selector::training_set set = selector::keep_features(data.set, standard_features(data));
  const std::set<std::string_view> needed_labels(needed.begin(), needed.end());
  std::vector<std::set<std::size_t>> measured(set.workloads.size());
  for (const selector::observation& observation : set.observations)
    measured[observation.workload].insert(observation.candidate);
  std::vector<std::size_t> workloads;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    const auto measured_count =
        static_cast<std::size_t>(std::count_if(measured[w].begin(), measured[w].end(), [&](std::size_t c) {
          return needed_labels.contains(set.candidates[c].label);
        }));
    if (measured_count == needed_labels.size()) workloads.push_back(w);
  }
  complete_record result;
  result.incomplete = set.workloads.size() - workloads.size();
  if (workloads.empty()) return result;
  std::vector<std::size_t> candidates;
  for (std::size_t c = 0; c < set.candidates.size(); ++c) {
    if (std::all_of(workloads.begin(), workloads.end(), [&](std::size_t w) { return measured[w].contains(c); }))
      candidates.push_back(c);
  }
  result.searches =
      selector::in_canonical_order(selector::keep_candidates(selector::keep_workloads(set, workloads), candidates));
  result.means = selector::mean_over_queries(result.searches);
  // Drop workloads that no configuration solved from all of their sources.
  const selector::performance_matrix performance(result.means);
  std::vector<std::size_t> solved;
  for (std::size_t w = 0; w < result.means.workloads.size(); ++w) {
    if (performance.solved(w)) solved.push_back(w);
  }
  result.means = selector::keep_workloads(result.means, solved);
  return result;
}

}  // namespace mlmq::tune
