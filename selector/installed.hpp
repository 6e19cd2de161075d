// SPDX-License-Identifier: Apache-2.0
// Selectors that were tuned on this machine: where they are, and which one is used for a device. A user's own goes before
// one for everybody, and that before the one that is compiled in.
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

/// Empty where there is none: a user without a home, a program that is not installed. The folder need not exist.
[[nodiscard]] std::filesystem::path selector_folder(install_place place);

/// The file of the selector for a device in a folder: "nvidia-h200-1a2b3c4d-sssp.json".
[[nodiscard]] std::filesystem::path selector_file(const std::filesystem::path& folder, std::string_view device,
                                                  std::string_view problem);

struct installed_selector {
  std::filesystem::path file;
  install_place place = install_place::user;
  std::optional<tuned_about> about;  ///< nothing when it is damaged
  std::string damage;                ///< why, for a person
};

/// Those of both places, the user's first, each in the order of its names. Damaged ones are among them.
[[nodiscard]] std::vector<installed_selector> installed_selectors();

/// The file that is used for a device, whether damaged or not; nothing when there is none.
[[nodiscard]] std::optional<std::filesystem::path> installed_file(std::string_view device, std::string_view problem);

/// Keeps others from installing or removing in a folder until the end of the scope.
class selector_lock {
 public:
  /// Makes the folder; waits for who has the lock. @throws work_error naming the folder
  explicit selector_lock(const std::filesystem::path& folder);
  selector_lock(const selector_lock&) = delete;
  selector_lock& operator=(const selector_lock&) = delete;

 private:
  descriptor file_;
};

/// Writes the selector into a folder, all at once: who reads it has the old one or the new one. @return the file
/// @throws work_error naming the file
std::filesystem::path install_selector(const tuned_file& tuned, const std::filesystem::path& folder);

}  // namespace mlmq::selector
