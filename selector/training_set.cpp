// SPDX-License-Identifier: Apache-2.0
#include "selector/training_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace mlmq::selector {
namespace {

constexpr std::size_t dropped = std::numeric_limits<std::size_t>::max();

/// new_index[old] = position of `old` in `kept_indices`, or `dropped`.
std::vector<std::size_t> new_indices(std::span<const std::size_t> kept_indices, std::size_t count) {
  std::vector<std::size_t> result(count, dropped);
  for (std::size_t i = 0; i < kept_indices.size(); ++i) result.at(kept_indices[i]) = i;
  return result;
}

template <typename T, typename Less>
std::vector<std::size_t> sorted_indices(const std::vector<T>& items, Less less) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return less(items[a], items[b]); });
  return order;
}

void validate_workloads(const training_set& set) {
  std::set<std::string_view> names;
  for (const workload_example& workload : set.workloads) {
    if (!names.insert(workload.name).second)
      throw input_error(fmt::format("training set: workload '{}' appears twice", workload.name));
    if (workload.features.size() != set.features.size())
      throw input_error(fmt::format("training set: workload '{}' has {} features instead of {}", workload.name,
                                    workload.features.size(), set.features.size()));
    for (std::size_t i = 0; i < set.features.size(); ++i) {
      if (std::abs(workload.features[i]) > double{std::numeric_limits<float>::max()})
        throw input_error(
            fmt::format("training set: workload '{}': feature '{}' is {}, not a number in float32's range",
                        workload.name, set.features[i], workload.features[i]));
    }
  }
}

void validate_features(const training_set& set) {
  if (set.features.empty()) throw input_error("training set: the workloads have no features");
  std::set<std::string_view> names;
  for (const std::string& name : set.features) {
    if (!names.insert(name).second) throw input_error(fmt::format("training set: feature '{}' appears twice", name));
  }
}

void validate_candidates(const training_set& set) {
  std::set<std::string_view> labels;
  for (const candidate& candidate : set.candidates) {
    if (!labels.insert(candidate.label).second)
      throw input_error(fmt::format("training set: candidate '{}' appears twice", candidate.label));
    std::set<std::string_view> names;
    for (const auto& [name, value] : candidate.parameters) {
      if (!names.insert(name).second)
        throw input_error(fmt::format("training set: candidate '{}' has parameter '{}' twice", candidate.label, name));
    }
  }
}

}  // namespace

void validate(const training_set& set) {
  if (set.workloads.empty()) throw input_error("training set: no workloads; run a sweep first");
  if (set.candidates.empty()) throw input_error("training set: no candidate configurations; run a sweep first");
  validate_features(set);
  validate_workloads(set);
  validate_candidates(set);
  std::set<std::pair<std::size_t, std::size_t>> seen;
  bool any_success = false;
  for (const observation& observation : set.observations) {
    if (observation.workload >= set.workloads.size() || observation.candidate >= set.candidates.size())
      throw input_error(fmt::format("training set: an observation names workload {} of {} and candidate {} of {}",
                                    observation.workload, set.workloads.size(), observation.candidate,
                                    set.candidates.size()));
    const auto location = [&] {
      return fmt::format("training set: workload '{}', candidate '{}'", set.workloads[observation.workload].name,
                         set.candidates[observation.candidate].label);
    };
    if (!seen.emplace(observation.workload, observation.candidate).second)
      throw input_error(location() + ": observed twice, expected one observation with the median of its samples");
    if (observation.ok && !(observation.milliseconds > 0 && std::isfinite(observation.milliseconds)))
      throw input_error(
          fmt::format("{}: a time of {} ms, expected a finite number above 0", location(), observation.milliseconds));
    any_success = any_success || observation.ok;
  }
  if (!any_success) throw input_error("training set: no successful trial; there is nothing to learn from");
}

training_set in_canonical_order(const training_set& set) {
  const auto workloads = sorted_indices(
      set.workloads, [](const workload_example& a, const workload_example& b) { return a.name < b.name; });
  const auto candidates =
      sorted_indices(set.candidates, [](const candidate& a, const candidate& b) { return a.label < b.label; });
  training_set result = keep_candidates(keep_workloads(set, workloads), candidates);
  std::sort(result.observations.begin(), result.observations.end(), [](const observation& a, const observation& b) {
    return std::pair(a.workload, a.candidate) < std::pair(b.workload, b.candidate);
  });
  return result;
}

training_set keep_workloads(const training_set& set, std::span<const std::size_t> workloads) {
  const std::vector<std::size_t> renamed = new_indices(workloads, set.workloads.size());
  training_set result;
  result.features = set.features;
  result.candidates = set.candidates;
  for (std::size_t index : workloads) result.workloads.push_back(set.workloads[index]);
  for (observation observation : set.observations) {
    observation.workload = renamed.at(observation.workload);
    if (observation.workload != dropped) result.observations.push_back(observation);
  }
  return result;
}

training_set keep_candidates(const training_set& set, std::span<const std::size_t> candidates) {
  const std::vector<std::size_t> renamed = new_indices(candidates, set.candidates.size());
  training_set result;
  result.features = set.features;
  result.workloads = set.workloads;
  for (std::size_t index : candidates) result.candidates.push_back(set.candidates[index]);
  for (observation observation : set.observations) {
    observation.candidate = renamed.at(observation.candidate);
    if (observation.candidate != dropped) result.observations.push_back(observation);
  }
  return result;
}

training_set keep_features(const training_set& set, std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (std::find(set.features.begin(), set.features.end(), name) == set.features.end())
      throw input_error(fmt::format("no workload on record has the feature '{}'; there are {}{}", name,
                                    fmt::join(set.features, ", "), did_you_mean(name, set.features)));
  }
  training_set result = set;
  result.features.assign(names.begin(), names.end());
  for (workload_example& workload : result.workloads)
    workload.features = pick_features(names, set.features, workload.features);
  return result;
}

training_set mean_over_queries(const training_set& per_query) {
  const training_set set = in_canonical_order(per_query);      // so that sums do not depend on the order of the rows
  std::vector<std::size_t> measured(set.workloads.size(), 0);  // candidates
  for (const observation& observation : set.observations) ++measured[observation.workload];
  training_set result;
  result.features = set.features;
  result.candidates = set.candidates;
  std::map<std::string_view, std::size_t> index_of;
  std::vector<std::size_t> merged_into(set.workloads.size());
  std::vector<std::size_t> most;  // candidates measured from one query, for each workload of the result
  for (std::size_t i = 0; i < set.workloads.size(); ++i) {
    const workload_example& example = set.workloads[i];
    const auto [place, is_new] =
        index_of.try_emplace(example.workload.empty() ? example.name : example.workload, result.workloads.size());
    merged_into[i] = place->second;
    if (is_new) {
      result.workloads.push_back(example);
      result.workloads.back().name = place->first;
      most.push_back(0);
    }
    most[place->second] = std::max(most[place->second], measured[i]);
  }
  std::vector<std::size_t> queries(result.workloads.size(), 0);
  for (std::size_t i = 0; i < set.workloads.size(); ++i) {
    if (measured[i] == most[merged_into[i]]) ++queries[merged_into[i]];
  }
  struct sum {
    double milliseconds = 0;
    double range = 0;  ///< sum of the interquartile ranges, in milliseconds
    std::size_t queries = 0;
    bool ok = true;
  };
  std::map<std::pair<std::size_t, std::size_t>, sum> sums;
  for (const observation& observation : set.observations) {
    const std::size_t workload = merged_into[observation.workload];
    if (measured[observation.workload] < most[workload]) continue;
    sum& so_far = sums[{workload, observation.candidate}];
    so_far.milliseconds += observation.milliseconds;
    so_far.range += observation.spread * observation.milliseconds;
    so_far.ok = so_far.ok && observation.ok;
    ++so_far.queries;
  }
  for (const auto& [key, total] : sums) {
    const auto& [workload, candidate] = key;
    if (total.queries < queries[workload]) continue;
    result.observations.push_back(
        {.workload = workload,
         .candidate = candidate,
         .milliseconds = total.ok ? total.milliseconds / static_cast<double>(total.queries) : 0,
         .ok = total.ok,
         .spread = total.ok ? total.range / total.milliseconds : 0});
  }
  return in_canonical_order(result);
}

feature_values pick_features(std::span<const std::string> selected_names, std::span<const std::string> names,
                             std::span<const double> values) {
  feature_values picked;
  for (const std::string& name : selected_names) {
    const auto position = std::find(names.begin(), names.end(), name);
    picked.push_back(position == names.end() ? std::numeric_limits<double>::quiet_NaN()
                                             : values[static_cast<std::size_t>(position - names.begin())]);
  }
  return picked;
}

std::string hash_of(const training_set& set) {
  const training_set ordered = in_canonical_order(set);
  content_hash hash;
  hash.add(std::to_string(ordered.features.size()));
  for (const std::string& name : ordered.features) hash.add(name);
  hash.add(std::to_string(ordered.workloads.size()));
  for (const workload_example& workload : ordered.workloads) {
    hash.add(workload.name).add(workload.group).add(workload.workload_class);
    for (const double feature : workload.features)
      hash.add(std::isnan(feature) ? "unknown" : shortest_decimal(feature));
  }
  hash.add(std::to_string(ordered.candidates.size()));
  for (const candidate& candidate : ordered.candidates) {
    hash.add(candidate.label).add(std::to_string(candidate.parameters.size()));
    for (const auto& [name, value] : candidate.parameters) hash.add(name).add(value);
  }
  for (const observation& observation : ordered.observations) {
    hash.add(std::to_string(observation.workload)).add(std::to_string(observation.candidate));
    hash.add(observation.ok ? shortest_decimal(observation.milliseconds) : "failed");
  }
  return hash.hex();
}

performance_matrix::performance_matrix(const training_set& set)
    : candidates_(set.candidates.size()),
      best_(set.workloads.size(), std::numeric_limits<double>::infinity()),
      relative_(set.workloads.size() * set.candidates.size(), -1.0) {
  for (const observation& observation : set.observations) {
    if (observation.ok)
      best_.at(observation.workload) = std::min(best_.at(observation.workload), observation.milliseconds);
  }
  for (const observation& observation : set.observations) {
    relative_.at(observation.workload * candidates_ + observation.candidate) =
        observation.ok ? best_.at(observation.workload) / observation.milliseconds : 0.0;
  }
}

double performance_matrix::relative(std::size_t workload, std::size_t candidate) const {
  return std::max(0.0, relative_.at(workload * candidates_ + candidate));
}

bool performance_matrix::measured(std::size_t workload, std::size_t candidate) const {
  return relative_.at(workload * candidates_ + candidate) >= 0;
}

bool performance_matrix::solved(std::size_t workload) const { return std::isfinite(best_.at(workload)); }

}  // namespace mlmq::selector
