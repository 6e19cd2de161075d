// SPDX-License-Identifier: Apache-2.0
// A configuration as a person reads it.
#pragma once

#include <string>

#include "mlmq/configuration.hpp"

namespace mlmq::cli {

/// Of a complete label what differs from the defaults; --config accepts it in place of the label. The label itself when
/// this program does not know it.
[[nodiscard]] std::string short_label(const std::string& label);

/// Who chose it, to be put behind it: " (chosen by the selector)"; nothing when the user did.
[[nodiscard]] std::string chosen_by(const choice& made);

}  // namespace mlmq::cli
