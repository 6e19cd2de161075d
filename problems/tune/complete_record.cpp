// SPDX-License-Identifier: Apache-2.0
#include "problems/tune/complete_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "problems/registry.hpp"
#include "selector/grouping.hpp"
#include "selector/model_inputs.hpp"

namespace mlmq::tune {
namespace {

namespace fs = std::filesystem;

/// Returns the path of the shipped database of a problem; the file may be missing.
fs::path shipped_record(const fs::path& folder, const std::string& problem) {
  return folder / ((problem == "sssp" ? "joint" : problem) + ".trials");
}

}  // namespace

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

earlier_record load_record(const record_request& request, const selector::training_data& own_data,
                           const backends::device_info& device) {
  const std::string& requested = request.database;
  if (requested == "none") return {};
  const fs::path file =
      requested.empty() ? shipped_record(request.shipped, own_data.source.problem) : fs::path(requested);
  std::error_code failure;
  if (requested.empty() && !fs::exists(file, failure)) return {};
  const auto load = [&](const std::string& name) {
    return selector::load_training_data({file.string()}, own_data.source.problem,
                                        problems::features_of_problem(own_data.source.problem), name, {{}},
                                        selector::grouping::workload);
  };
  earlier_record result;
  try {
    result.data = load(own_data.source.device_name);
    result.same_device = result.data->source.device_name == own_data.source.device_name;
  } catch (const input_error&) {
    // Use the record of another GPU if there is none of this one. Modelled times and processors say nothing about a
    // GPU.
    if (!device.grid || device.modelled) {
      if (!requested.empty()) throw;
      return {};
    }
    result.data = load("");
  }
  if (result.data->source.times != own_data.source.times) {
    if (!requested.empty())
      throw input_error(fmt::format("--record {}: the times on record are {}, but those of {} are {}", requested,
                                    result.data->source.times, own_data.source.device_name, own_data.source.times));
    return {};
  }
  group_by_workload(*result.data);
  return result;
}

std::size_t also_recorded(const complete_record& own_record, const earlier_record& record) {
  if (!record.data) return 0;
  std::set<std::string_view> groups;
  for (const selector::workload_example& workload : record.data->set.workloads) groups.insert(workload.group);
  return static_cast<std::size_t>(
      std::count_if(own_record.means.workloads.begin(), own_record.means.workloads.end(),
                    [&](const selector::workload_example& workload) { return groups.contains(workload.group); }));
}

}  // namespace mlmq::tune
