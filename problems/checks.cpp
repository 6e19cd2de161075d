// SPDX-License-Identifier: Apache-2.0
#include "problems/checks.hpp"

#include <algorithm>

namespace mlmq::problems {
namespace {

std::vector<check_entry>& registered() {
  static std::vector<check_entry> all;
  return all;
}

}  // namespace

check_registration::check_registration(std::initializer_list<check_entry> entries) {
  std::vector<check_entry>& all = registered();
  for (const check_entry& added : entries) {
    added_.push_back(added.name);
    const auto before = [](const check_entry& one, const check_entry& other) { return one.name < other.name; };
    all.insert(std::upper_bound(all.begin(), all.end(), added, before), added);
  }
}

check_registration::~check_registration() {
  for (const std::string& name : added_) {
    std::vector<check_entry>& all = registered();
    all.erase(std::find_if(all.begin(), all.end(), [&](const check_entry& one) { return one.name == name; }));
  }
}

const std::vector<check_entry>& all_checks() { return registered(); }

std::vector<std::string> subjects_named(const check_entry& check, const std::string& name) {
  std::vector<std::string> found;
  for (std::string& subject : check.subjects()) {
    if (name == check.name || subject == name || subject.starts_with(name + ":")) found.push_back(std::move(subject));
  }
  return found;
}

}  // namespace mlmq::problems
