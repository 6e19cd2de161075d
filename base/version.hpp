// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mlmq {

/// Returns the version, such as "0.1.0", which is recorded with every result.
[[nodiscard]] std::string program_version();

}  // namespace mlmq
