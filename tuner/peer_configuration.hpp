// SPDX-License-Identifier: Apache-2.0
// Other people's programs ("peers") in a database of results: the configuration solver=peer,peer=NAME and, where the
// program has parameters, those. They are no configurations of a problem: nobody learns from them or measures them again.
#pragma once

#include <optional>
#include <string>

#include "tuner/configuration.hpp"

namespace mlmq::tuner {

/// @param own the peer's parameters, none of them named `solver` or `peer`
[[nodiscard]] configuration peer_configuration(const std::string& name, configuration own);

/// The peer's name; nothing when `chosen` is a configuration of a problem.
[[nodiscard]] std::optional<std::string> peer_name(const configuration& chosen);

/// The peer's own parameters.
[[nodiscard]] configuration peer_parameters(const configuration& chosen);

}  // namespace mlmq::tuner
