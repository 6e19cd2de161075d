// SPDX-License-Identifier: Apache-2.0
#include "compare/peer_registry.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "base/error.hpp"

namespace mlmq::compare {
namespace {

struct registered {
  struct place {
    peer_entry entry;
    std::string file;
  };
  std::map<std::string, place, std::less<>> problems;
  std::string conflict;  // reported when somebody asks: nobody catches what is thrown before main()
};

registered& all() {
  static registered everything;
  return everything;
}

}  // namespace

peer_registration::peer_registration(std::initializer_list<peer_entry> entries, const char* registered_in) {
  for (const peer_entry& added : entries) {
    const auto [known, is_new] = all().problems.try_emplace(added.problem, registered::place{added, registered_in});
    if (is_new) {
      added_.push_back(added.problem);
      continue;
    }
    all().conflict =
        fmt::format("two have peers for '{}': {} and {}", added.problem, known->second.file, registered_in);
    refused_ = true;
  }
}

peer_registration::~peer_registration() {
  if (refused_) all().conflict.clear();
  for (const std::string& problem : added_) all().problems.erase(problem);
}

const peer_entry* peers_of(std::string_view problem) {
  if (!all().conflict.empty()) throw work_error(all().conflict);
  const auto found = all().problems.find(problem);
  return found == all().problems.end() ? nullptr : &found->second.entry;
}

}  // namespace mlmq::compare
