// SPDX-License-Identifier: Apache-2.0
// External programs ("peers") in a result database: configuration solver=peer,peer=NAME with the program's parameters.
// They are not configurations of a problem: they are neither learned from nor measured again.
#pragma once

#include <optional>
#include <string>

#include "tuner/configuration.hpp"

namespace mlmq::tuner {

/// @param parameters the peer's parameters, none of them named `solver` or `peer`
[[nodiscard]] configuration peer_configuration(const std::string& name, configuration parameters);

/// Returns the peer's name, or nothing for a configuration of a problem.
[[nodiscard]] std::optional<std::string> peer_name(const configuration& chosen);

/// Returns the peer's own parameters.
[[nodiscard]] configuration peer_parameters(const configuration& chosen);

}  // namespace mlmq::tuner
