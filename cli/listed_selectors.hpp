// SPDX-License-Identifier: Apache-2.0
// The selectors that are installed for devices, as commands show them.
#pragma once

#include <string>
#include <vector>

#include "cli/json_output.hpp"
#include "selector/installed.hpp"

namespace mlmq::cli {

struct listed_selector {
  selector::installed_selector found;
  bool is_used = false;  ///< it is the one that is used on its device; of several for a device only one is

  /// "used", "not used", "damaged".
  [[nodiscard]] const char* state() const;
};

/// In the order of selector::installed_selectors().
[[nodiscard]] std::vector<listed_selector> list_selectors();

/// An array with an object for each: docs/reference/json.md, mlmq/selector-list.
[[nodiscard]] json_document selectors_document(const std::vector<listed_selector>& all);

}  // namespace mlmq::cli
