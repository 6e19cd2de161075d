// SPDX-License-Identifier: Apache-2.0
#include "tuner/peer_configuration.hpp"

namespace mlmq::tuner {

configuration peer_configuration(const std::string& name, configuration parameters) {
  parameters.set("solver", std::string("peer"));
  parameters.set("peer", name);
  return parameters;
}

std::optional<std::string> peer_name(const configuration& chosen) {
  const value* const solver = chosen.find("solver");
  if (solver == nullptr || to_text(*solver) != "peer") return std::nullopt;
  const value* const name = chosen.find("peer");
  return name == nullptr ? "" : to_text(*name);
}

configuration peer_parameters(const configuration& chosen) {
  configuration parameters;
  for (const auto& [name, parameter_value] : chosen.values()) {
    if (name != "solver" && name != "peer") parameters.set(name, parameter_value);
  }
  return parameters;
}

}  // namespace mlmq::tuner
