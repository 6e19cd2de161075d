// SPDX-License-Identifier: Apache-2.0
// Fields of CSV tables (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace mlmq {

/// Returns a text as a field: in quotes where it needs them, and after an apostrophe if a spreadsheet would run it as a
/// formula, such as the name of a file "=cmd()". For numbers "-1" is a number, not a formula.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace mlmq
