// SPDX-License-Identifier: Apache-2.0
// Finds selectors that were tuned on this machine and decides which one a device uses: first the user's selector, then
// the system-wide one, then the compiled-in one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "selector/tuned_file.hpp"

namespace mlmq::selector {

enum class install_place {
  user,    ///< $MLMQ_SELECTORS, or $XDG_DATA_HOME/mlmq/selectors, or ~/.local/share/mlmq/selectors
  system,  ///< share/mlmq/selectors of the installed program
};

/// Returns the folder of a place, which need not exist. Empty for a user without a home or a program that is not
/// installed.
[[nodiscard]] std::filesystem::path selector_folder(install_place place);

/// Returns the path of the selector for a device in a folder: "nvidia-h200-1a2b3c4d-sssp.json".
[[nodiscard]] std::filesystem::path selector_file(const std::filesystem::path& folder, std::string_view device,
                                                  std::string_view problem);

struct installed_selector {
  std::filesystem::path file;
  install_place place = install_place::user;
  std::optional<tuned_about> about;  ///< empty if the file is damaged
  std::string damage;                ///< readable reason why the file is damaged
};

/// Lists the selectors of both places, including damaged ones: the user's first, then the system's, each ordered by
/// name.
[[nodiscard]] std::vector<installed_selector> installed_selectors();

/// Returns the file that is used for a device, damaged or not; empty if there is none.
[[nodiscard]] std::optional<std::filesystem::path> installed_file(std::string_view device, std::string_view problem);

/// Holds an exclusive lock on a folder, so that no other process installs or removes selectors there.
class selector_lock {
 public:
  /// Creates the folder if it is missing, and waits for the lock. @throws work_error naming the folder
  explicit selector_lock(const std::filesystem::path& folder);
  selector_lock(const selector_lock&) = delete;
  selector_lock& operator=(const selector_lock&) = delete;

 private:
  descriptor file_;
};

/// Writes the selector into a folder atomically: readers see either the old file or the new one. @return the file
/// @throws work_error naming the file
std::filesystem::path install_selector(const tuned_file& tuned, const std::filesystem::path& folder);

}  // namespace mlmq::selector
