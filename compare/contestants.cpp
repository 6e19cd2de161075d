// SPDX-License-Identifier: Apache-2.0
#include "compare/contestants.hpp"

#include "base/error.hpp"
#include "compare/table.hpp"
#include "problems/recommendation.hpp"
#include "tuner/peer_configuration.hpp"
#include "tuner/search_space.hpp"

namespace mlmq::compare {

contestants::contestants(const tuner::problem& of, const comparison_options& options)
    : problem_(of),
      options_(options),
      parameters_(tuner::parameter_set::from_declarations(of.declarations(), of.presets())) {
  if (!options.rules.competitor_parameter.empty() || !options.competitors) return;
  const auto listed = [&](const tuner::experiment_file& file) {
    return tuner::search_space(file.space, of.declarations(), of.presets()).list(most_contestants);
  };
  for (tuner::configuration& one : listed(*options.competitors)) named_.insert(std::move(one));
  for (const tuner::configuration& one : listed(options.configurations)) named_.erase(one);
}

std::string contestants::name_of(const tuner::configuration& chosen) const {
  if (const auto peer = tuner::peer_name(chosen)) return *peer;
  if (named_.contains(chosen)) return parameters_.short_label(chosen);
  const std::string_view parameter = options_.rules.competitor_parameter;
  const tuner::value* const given = parameter.empty() ? nullptr : chosen.find(parameter);
  if (given == nullptr || *given == parameters_.find(parameter)->declared.default_value) return our_name;
  return tuner::to_text(*given);
}

bool contestants::is_ours(const tuner::configuration& chosen) const {
  return !tuner::peer_name(chosen) && name_of(chosen) == our_name;
}

const peer* contestants::peer_of(const tuner::configuration& chosen) const {
  const auto name = tuner::peer_name(chosen);
  if (!name) return nullptr;
  if (options_.peers != nullptr) {
    for (const peer& one : options_.peers->peers()) {
      if (one.name == *name) return &one;
    }
  }
  throw work_error("the peer '" + *name + "' does not take part");
}

std::string contestants::hash_of(const tuner::configuration& chosen) const {
  const peer* const program = peer_of(chosen);
  return program != nullptr ? program->hash : problem_.source_hash(chosen);
}

std::string contestants::shown_label(const tuner::configuration& chosen) const {
  if (!tuner::peer_name(chosen)) {
    return options_.full_configurations ? chosen.label() : parameters_.short_label(chosen);
  }
  const tuner::configuration own = tuner::peer_parameters(chosen);
  return own.empty() ? "defaults" : own.label();
}

bool contestants::runs_on(const tuner::configuration& given, const backends::device_traits& device) const {
  return options_.rules.runs_on(given, device);
}

bool contestants::has_selector(const backends::device_info& device) const {
  return options_.recommended_for != nullptr && runs_on(parameters_.parse_label(""), device) &&
         problems::has_recommendations(*options_.recommended_for, device);
}

std::vector<problems::recommended_configuration> contestants::recommended(const tuner::workload& workload,
                                                                          const backends::device_info& device) const {
  return problems::recommend(*options_.recommended_for, problems::facts_of(workload.record, &workload), device);
}

}  // namespace mlmq::compare
