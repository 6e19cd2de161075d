// SPDX-License-Identifier: Apache-2.0
#include "problems/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace mlmq::problems {

const problem_entry* known_problem(std::string_view name) {
  for (const problem_entry& entry : all_problems()) {
    if (entry.name == name) return &entry;
    if (entry.make_defined != nullptr && name.substr(0, name.find(':')) == entry.name) return &entry;
  }
  return nullptr;
}

const problem_entry& find_problem(const std::string& name) {
  if (const problem_entry* const entry = known_problem(name)) return *entry;
  std::vector<std::string> names;
  for (const problem_entry& entry : all_problems()) names.push_back(entry.name);
  throw input_error(fmt::format("unknown problem '{}'; known: {}", name, fmt::join(names, ", ")));
}

std::unique_ptr<tuner::problem> make_problem(const std::string& name) { return find_problem(name).make(); }

std::unique_ptr<tuner::problem> problem_of(const tuner::experiment_file& experiment) {
  const problem_entry& entry = find_problem(experiment.problem);
  if (entry.make_defined != nullptr) return entry.make_defined(experiment);
  if (experiment.definition_place) {
    throw input_error(fmt::format("{}the problem '{}' takes no key 'kernel'", experiment.definition_place->prefix(),
                                  experiment.problem));
  }
  return entry.make();
}

const tuner::workload_features& features_of_problem(const std::string& problem) {
  const problem_entry* const entry = known_problem(problem);
  return entry == nullptr ? tuner::unnamed_features() : entry->make()->workloads().features();
}

}  // namespace mlmq::problems
