// SPDX-License-Identifier: Apache-2.0
#include "problems/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"

namespace mlmq::problems {
namespace {

struct registered {
  std::vector<problem_entry> entries;
  std::vector<std::string> files;  // one per entry
  std::string conflict;            // reported on first use, because an exception before main() cannot be caught
};

registered& global_registry() {
  static registered everything;
  return everything;
}

}  // namespace

problem_registration::problem_registration(std::initializer_list<problem_entry> entries, const char* registered_in) {
  registered& registry = global_registry();
  for (const problem_entry& added : entries) {
    const auto place =
        std::lower_bound(registry.entries.begin(), registry.entries.end(), added.name,
                         [](const problem_entry& entry, const std::string& name) { return entry.name < name; });
    const auto file = registry.files.begin() + (place - registry.entries.begin());
    if (place != registry.entries.end() && place->name == added.name) {
      registry.conflict = fmt::format("two problems are named '{}': {} and {}", added.name, *file, registered_in);
      has_conflict_ = true;
      continue;
    }
    added_.push_back(added.name);
    registry.files.insert(file, registered_in);
    registry.entries.insert(place, added);
  }
}

problem_registration::~problem_registration() {
  registered& registry = global_registry();
  if (has_conflict_) registry.conflict.clear();
  for (const std::string& name : added_) {
    const auto entry = std::find_if(registry.entries.begin(), registry.entries.end(),
                                    [&](const problem_entry& candidate) { return candidate.name == name; });
    registry.files.erase(registry.files.begin() + (entry - registry.entries.begin()));
    registry.entries.erase(entry);
  }
}

const std::vector<problem_entry>& all_problems() {
  if (!global_registry().conflict.empty()) throw work_error(global_registry().conflict);
  return global_registry().entries;
}

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
