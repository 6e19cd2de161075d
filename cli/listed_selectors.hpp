// SPDX-License-Identifier: Apache-2.0
// Installed selectors, for commands that list them.
#pragma once

#include <string>
#include <vector>

#include "cli/json_output.hpp"
#include "selector/installed.hpp"

namespace mlmq::cli {

struct listed_selector {
  selector::installed_selector installed;
  bool is_used = false;  ///< whether it is in use; at most one of several selectors for a device is

  /// Returns "used", "not used" or "damaged".
  [[nodiscard]] const char* state() const;
};

/// Returns the selectors in the order of selector::installed_selectors().
[[nodiscard]] std::vector<listed_selector> list_selectors();

/// Returns an array with one object per selector: docs/reference/json.md, mlmq/selector-list.
[[nodiscard]] json_document selectors_document(const std::vector<listed_selector>& selectors);

}  // namespace mlmq::cli
