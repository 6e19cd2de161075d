// SPDX-License-Identifier: Apache-2.0
// Formats fields of CSV tables (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace mlmq {

/// Returns a text as a field: in quotes if necessary, and after an apostrophe if a spreadsheet would run it as a
/// formula (a file may be named "=cmd()"). Only for texts: a number such as "-1" would be taken for a formula.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace mlmq
