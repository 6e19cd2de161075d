// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/contestants.hpp"

#include "base/error.hpp"
#include "problems/compare/table.hpp"
#include "problems/recommendation.hpp"
#include "tuner/configuration.hpp"
#include "tuner/search_space.hpp"

namespace mlmq::compare {

contestants::contestants(const tuner::problem& problem, const comparison_options& options)
    : problem_(problem),
      options_(options),
      parameters_(tuner::parameter_set::from_declarations(problem.declarations(), problem.presets())) {
  if (!options.rules.competitor_parameter.empty() || !options.competitors) return;
  const auto listed = [&](const tuner::experiment_file& file) {
    return tuner::search_space(file.space, problem.declarations(), problem.presets()).list(most_contestants);
  };
  for (tuner::configuration& configuration : listed(*options.competitors)) named_.insert(std::move(configuration));
  for (const tuner::configuration& configuration : listed(options.configurations)) named_.erase(configuration);
}

std::string contestants::name_of(const tuner::configuration& configuration) const {
  if (const auto peer = tuner::peer_name(configuration)) return *peer;
  if (named_.contains(configuration)) return parameters_.short_label(configuration);
  const std::string_view parameter = options_.rules.competitor_parameter;
  const tuner::value* const competitor_value = parameter.empty() ? nullptr : configuration.find(parameter);
  if (competitor_value == nullptr || *competitor_value == parameters_.find(parameter)->declared.default_value)
    return our_name;
  return tuner::to_text(*competitor_value);
}

bool contestants::is_ours(const tuner::configuration& configuration) const {
  return !tuner::peer_name(configuration) && name_of(configuration) == our_name;
}

const peer* contestants::peer_of(const tuner::configuration& configuration) const {
  const auto name = tuner::peer_name(configuration);
  if (!name) return nullptr;
  if (options_.peers != nullptr) {
    for (const peer& program : options_.peers->peers()) {
      if (program.name == *name) return &program;
    }
  }
  throw work_error("the peer '" + *name + "' is not one of the contestants");
}

std::string contestants::hash_of(const tuner::configuration& configuration) const {
  const peer* const program = peer_of(configuration);
  return program != nullptr ? program->hash : problem_.source_hash(configuration);
}

std::string contestants::shown_label(const tuner::configuration& configuration) const {
  if (!tuner::peer_name(configuration)) {
    return options_.full_configurations ? configuration.label() : parameters_.short_label(configuration);
  }
  const tuner::configuration parameters = tuner::peer_parameters(configuration);
  return parameters.empty() ? "defaults" : parameters.label();
}

bool contestants::runs_on(const tuner::configuration& configuration, const backends::device_traits& device) const {
  return options_.rules.runs_on(configuration, device);
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
