// SPDX-License-Identifier: Apache-2.0
#include "tuner/peer_configuration.hpp"

namespace mlmq::tuner {

configuration peer_configuration(const std::string& name, configuration own) {
  own.set("solver", std::string("peer"));
  own.set("peer", name);
  return own;
}

std::optional<std::string> peer_name(const configuration& chosen) {
  const value* const solver = chosen.find("solver");
  if (solver == nullptr || to_text(*solver) != "peer") return std::nullopt;
  const value* const name = chosen.find("peer");
  return name == nullptr ? "" : to_text(*name);
}

configuration peer_parameters(const configuration& chosen) {
  configuration own;
  for (const auto& [name, given] : chosen.values()) {
    if (name != "solver" && name != "peer") own.set(name, given);
  }
  return own;
}

}  // namespace mlmq::tuner
