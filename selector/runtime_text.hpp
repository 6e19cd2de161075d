// SPDX-License-Identifier: Apache-2.0
// The text of runtime.hpp, for headers that stand alone.
#pragma once

#include <string_view>

namespace mlmq::selector {

/// Returns the text, byte for byte.
[[nodiscard]] std::string_view runtime_text();

}  // namespace mlmq::selector
