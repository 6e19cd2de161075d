// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/peer.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "base/error.hpp"

namespace mlmq::compare {
namespace {

struct registry_state {
  struct registration {
    peer_entry entry;
    std::string file;
  };
  std::map<std::string, registration, std::less<>> problems;
  std::string conflict;  // reported by peers_of(): an exception before main() cannot be caught
};

registry_state& registry() {
  static registry_state instance;
  return instance;
}

}  // namespace

peer_registration::peer_registration(std::initializer_list<peer_entry> entries, const char* registered_in) {
  for (const peer_entry& entry : entries) {
    const auto [existing, is_new] =
        registry().problems.try_emplace(entry.problem, registry_state::registration{entry, registered_in});
    if (is_new) {
      added_.push_back(entry.problem);
      continue;
    }
    registry().conflict = fmt::format("two files register peers for '{}': {} and {}", entry.problem,
                                      existing->second.file, registered_in);
    refused_ = true;
  }
}

peer_registration::~peer_registration() {
  if (refused_) registry().conflict.clear();
  for (const std::string& problem : added_) registry().problems.erase(problem);
}

const peer_entry* peers_of(std::string_view problem) {
  if (!registry().conflict.empty()) throw work_error(registry().conflict);
  const auto match = registry().problems.find(problem);
  return match == registry().problems.end() ? nullptr : &match->second.entry;
}

}  // namespace mlmq::compare
