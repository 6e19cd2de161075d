// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mlmq {

/// "0.1.0", recorded with every result.
[[nodiscard]] std::string program_version();

}  // namespace mlmq
