// SPDX-License-Identifier: Apache-2.0
#include "compare/contestants.hpp"

#include <algorithm>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "cpu_solvers/search.hpp"
#include "graph/feature_list.hpp"
#include "problems/shortest_paths/told_features.hpp"
#include "selector/shipped.hpp"
#include "selector/told_features.hpp"

namespace mlmq::compare {

std::string solver_of(const tuner::configuration& chosen) {
  const tuner::value* const found = chosen.find("solver");
  return found == nullptr ? "mlmq" : tuner::to_text(*found);
}

bool runs_on(const tuner::configuration& given, const std::string& device_kind, const std::string& problem) {
  const std::string solver = solver_of(given);
  const auto names = cpu::solver_names();
  const bool for_processors = std::find(names.begin(), names.end(), solver) != names.end();
  if (for_processors && cpu::needs_unit_weights(solver) && problem != "bfs") return false;
  return for_processors != backends::traits_of_kind(device_kind).grid;
}

tuner::configuration peer_configuration(const peer& what, std::optional<double> delta) {
  tuner::configuration chosen;
  chosen.set("solver", std::string("peer"));
  chosen.set("peer", what.name);
  if (delta) chosen.set("delta", *delta);
  return chosen;
}

std::string peer_hash(const peer& what) {
  return content_hash().add("peer").add(what.text).add(hash_text(read_file(what.located))).hex();
}

tuner::measurement_settings candidate_settings(tuner::measurement_settings of_contestants) {
  constexpr std::uint64_t enough = 3;
  of_contestants.counters = false;
  of_contestants.repeats = std::min(enough, of_contestants.repeats);
  return of_contestants;
}

std::optional<tuner::experiment_file> candidates_for(const tuner::experiment_file& ours,
                                                     const tuner::experiment_file& competitors, const std::string& name,
                                                     const std::string& device_kind, const tuner::problem& of) {
  tuner::experiment_file all = ours;
  all.name = name;
  all.problem = of.name();
  all.text = ours.text + "\n# competitors\n" + competitors.text;
  all.strategy = {};
  all.measurement = candidate_settings(ours.measurement);
  all.space = {};
  all.space.place = ours.space.place;
  all.space.has_product = false;
  for (const tuner::experiment_file* const file : {&ours, &competitors}) {
    // Every point of the file's own space, so that a product of parameters works as well as a list.
    const tuner::search_space space(file->space, of.declarations());
    for (tuner::configuration& one : space.list(most_contestants)) {
      tuner::configuration_request request{.given = std::move(one), .place = file->space.place};
      if (runs_on(request.given, device_kind, of.name())) all.space.configurations.push_back(std::move(request));
    }
  }
  if (all.space.configurations.empty()) return std::nullopt;
  return all;
}

std::string short_label(const tuner::parameter_set& parameters, const tuner::configuration& chosen) {
  if (chosen.find("peer") == nullptr) return parameters.short_label(chosen);
  tuner::configuration own;
  for (const auto& [name, value] : chosen.values()) {
    if (name != "solver" && name != "peer") own.set(name, value);
  }
  return own.empty() ? "defaults" : own.label();
}

std::vector<std::string> ranked_labels(const db::workload_record& on, const std::string& problem) {
  const auto names = selector::shipped_features();
  const selector::named_features known(on.features.begin(), on.features.end());
  std::vector<double> features = selector::told_features(known, names, problems::graph_features(), on.name);
  if (problem == "bfs") {
    const double degree = on.feature("nnz").value_or(0) / std::max(1.0, on.feature("m").value_or(0));
    for (std::size_t i = 0; i < features.size(); ++i) {
      features[i] = graph::unit_weight_value(names[i], degree).value_or(features[i]);
    }
  }
  std::vector<std::string> labels;
  for (const std::size_t candidate : selector::shipped_ranked(features)) {
    labels.emplace_back(selector::shipped_label(candidate));
  }
  return labels;
}

}  // namespace mlmq::compare
