// SPDX-License-Identifier: Apache-2.0
// The files of report/page/, compiled into the program.
#pragma once

#include <string_view>

namespace mlmq::report {

/// page.html, with {{names}} where the other parts go.
[[nodiscard]] std::string_view page_template();
[[nodiscard]] std::string_view page_style();
/// All scripts, one after the other.
[[nodiscard]] std::string_view page_script();

}  // namespace mlmq::report
