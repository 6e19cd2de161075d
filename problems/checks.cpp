// SPDX-License-Identifier: Apache-2.0
#include "problems/checks.hpp"

#include <algorithm>

namespace mlmq::problems {
namespace {

std::vector<check_entry>& registered() {
  static std::vector<check_entry> entries;
  return entries;
}

}  // namespace

check_registration::check_registration(std::initializer_list<check_entry> entries) {
  std::vector<check_entry>& registry = registered();
  for (const check_entry& added : entries) {
    added_.push_back(added.name);
    const auto before = [](const check_entry& first, const check_entry& second) { return first.name < second.name; };
    registry.insert(std::upper_bound(registry.begin(), registry.end(), added, before), added);
  }
}

check_registration::~check_registration() {
  for (const std::string& name : added_) {
    std::vector<check_entry>& registry = registered();
    registry.erase(
        std::find_if(registry.begin(), registry.end(), [&](const check_entry& entry) { return entry.name == name; }));
  }
}

const std::vector<check_entry>& all_checks() { return registered(); }

std::vector<std::string> subjects_named(const check_entry& check, const std::string& name) {
  std::vector<std::string> matches;
  for (std::string& subject : check.subjects()) {
    if (name == check.name || subject == name || subject.starts_with(name + ":")) matches.push_back(std::move(subject));
  }
  return matches;
}

}  // namespace mlmq::problems
