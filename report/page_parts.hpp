// SPDX-License-Identifier: Apache-2.0
// The files of report/page/, compiled into the program.
#pragma once

#include <string_view>

namespace mlmq::report {

/// Returns page.html, with {{names}} as placeholders for the other parts.
[[nodiscard]] std::string_view page_template();
[[nodiscard]] std::string_view page_style();
/// Returns all scripts, concatenated.
[[nodiscard]] std::string_view page_script();

}  // namespace mlmq::report
