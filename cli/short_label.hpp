// SPDX-License-Identifier: Apache-2.0
// Short labels of configurations, for users.
#pragma once

#include <span>
#include <string>

#include "mlmq/configuration.hpp"

namespace mlmq::cli {

/// Returns the differences of a complete label from the defaults, which --config accepts in its place. Returns the
/// label itself if this program does not know it.
/// @param varied  parameters that a sweep varies, which are shown even at their defaults
[[nodiscard]] std::string short_label(const std::string& label, std::span<const std::string> varied = {});

/// Returns the origin of a choice, such as " (chosen by the selector)", or "" if the user chose the configuration.
[[nodiscard]] std::string chosen_by(const choice& decision);

}  // namespace mlmq::cli
