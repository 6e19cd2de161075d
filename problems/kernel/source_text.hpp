// SPDX-License-Identifier: Apache-2.0
// What the text of a kernel's source tells without compiling it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mlmq::kernel {

/// Returns the text with comments and literals replaced by blanks; lines stay.
[[nodiscard]] std::string without_comments(std::string_view source);

/// Returns the first of `macros` that the source declares as a variable, parameter or template argument, or "".
[[nodiscard]] std::string declared_macro(std::string_view source, std::span<const std::string> macros);

}  // namespace mlmq::kernel
