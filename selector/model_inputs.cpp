// SPDX-License-Identifier: Apache-2.0
#include "selector/model_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.hpp"

namespace mlmq::selector {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool defines(const tuner::workload_features& kind, std::string_view feature) {
  const auto definitions = kind.definitions();
  return std::any_of(definitions.begin(), definitions.end(),
                     [&](const tuner::named_meaning& definition) { return definition.name == feature; });
}

const tuner::feature_list* find_list(const tuner::workload_features& kind, std::string_view word) {
  const auto lists = kind.lists();
  const auto match =
      std::find_if(lists.begin(), lists.end(), [&](const tuner::feature_list& list) { return list.word == word; });
  return match == lists.end() ? nullptr : &*match;
}

}  // namespace

std::vector<double> select_model_inputs(const named_features& known_features, std::span<const std::string_view> names,
                                        const tuner::workload_features& kind, std::string_view workload) {
  std::vector<double> values;
  for (const std::string_view name : names) {
    if (!kind.is_usable(name, known_features)) {
      values.push_back(unknown);
      continue;
    }
    const auto feature = known_features.find(name);
    if (feature == known_features.end())
      throw input_error(fmt::format(
          "'{}' has no feature '{}' on record, which the model uses; 'mlmq db features' adds it without measuring "
          "again",
          workload, name));
    values.push_back(feature->second);
  }
  return values;
}

std::vector<std::string> expand_feature_list(std::span<const std::string> list,
                                             std::span<const std::string> known_names,
                                             const tuner::workload_features& kind) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  };
  for (const std::string& word : list) {
    const bool is_general = word == "standard" || word == "all";
    const tuner::feature_list* const stands_for = find_list(kind, word);
    if (stands_for == nullptr && !is_general) {
      add(word);
      continue;
    }
    if (stands_for != nullptr) {
      for (const std::string_view name : stands_for->features) {
        if (std::find(known_names.begin(), known_names.end(), name) != known_names.end()) add(name);
      }
    }
    // The cost of features that the kind does not define is unknown, so both general words include them.
    for (const std::string& name : known_names) {
      if (is_general && (stands_for == nullptr || !defines(kind, name))) add(name);
    }
  }
  return names;
}

std::vector<std::string> sort_features(std::span<const std::string> names, const tuner::workload_features& kind) {
  std::set<std::string, std::less<>> remaining(names.begin(), names.end());
  std::vector<std::string> ordered;
  for (const tuner::named_meaning& definition : kind.definitions()) {
    const auto match = remaining.find(definition.name);
    if (match == remaining.end()) continue;
    ordered.push_back(*match);
    remaining.erase(match);
  }
  ordered.insert(ordered.end(), remaining.begin(), remaining.end());
  return ordered;
}

}  // namespace mlmq::selector
