// SPDX-License-Identifier: Apache-2.0
// Installs a tuned selector.
#pragma once

#include <filesystem>
#include <string>

#include "problems/tune/tuned_selector.hpp"

namespace mlmq::tune {

enum class install_outcome {
  installed,
  kept,       ///< the current selector is as good or better, or no judgement was possible
  overtaken,  ///< another command has installed or removed a selector in the meantime
  written,    ///< written to a file instead of installed
};

struct installation {
  install_outcome outcome = install_outcome::kept;
  std::filesystem::path file = {};  ///< file of the new selector
  bool is_used = false;             ///< false if the user's own selector takes precedence
};

/// Returns the text of the selector that is installed for a device and a problem; empty: none.
[[nodiscard]] std::string installed_text(const std::string& device, const std::string& problem);

/// Installs the selector if it is better. Holds the lock of the folder and checks that the installed selector is still
/// the one that was compared. @throws work_error like selector::install_selector()
[[nodiscard]] installation install(const tuned_selector& tuned, const std::filesystem::path& folder);

}  // namespace mlmq::tune
