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
  std::vector<std::string> files;  // of each entry
  std::string conflict;            // reported when somebody asks: nobody catches what is thrown before main()
};

registered& all() {
  static registered everything;
  return everything;
}

}  // namespace

problem_registration::problem_registration(std::initializer_list<problem_entry> entries, const char* registered_in) {
  registered& known = all();
  for (const problem_entry& added : entries) {
    const auto place =
        std::lower_bound(known.entries.begin(), known.entries.end(), added.name,
                         [](const problem_entry& one, const std::string& name) { return one.name < name; });
    const auto file = known.files.begin() + (place - known.entries.begin());
    if (place != known.entries.end() && place->name == added.name) {
      known.conflict = fmt::format("two problems are named '{}': {} and {}", added.name, *file, registered_in);
      refused_ = true;
      continue;
    }
    added_.push_back(added.name);
    known.files.insert(file, registered_in);
    known.entries.insert(place, added);
  }
}

problem_registration::~problem_registration() {
  registered& known = all();
  if (refused_) known.conflict.clear();
  for (const std::string& name : added_) {
    const auto entry = std::find_if(known.entries.begin(), known.entries.end(),
                                    [&](const problem_entry& one) { return one.name == name; });
    known.files.erase(known.files.begin() + (entry - known.entries.begin()));
    known.entries.erase(entry);
  }
}

const std::vector<problem_entry>& all_problems() {
  if (!all().conflict.empty()) throw work_error(all().conflict);
  return all().entries;
}

const problem_entry* known_problem(std::string_view name) {
  for (const problem_entry& one : all_problems()) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

const problem_entry& find_problem(const std::string& name) {
  if (const problem_entry* const found = known_problem(name)) return *found;
  std::vector<std::string> names;
  for (const problem_entry& one : all_problems()) names.push_back(one.name);
  throw input_error(fmt::format("unknown problem '{}'; known are {}", name, fmt::join(names, ", ")));
}

std::unique_ptr<tuner::problem> make_problem(const std::string& name) { return find_problem(name).make(); }

}  // namespace mlmq::problems
