// SPDX-License-Identifier: Apache-2.0
// The folder that keeps compiled code between runs. A user who can write there can run code as this user, so a folder
// is used only if it belongs to this user and no other user can write to it.
#pragma once

#include <filesystem>
#include <string>

#include "base/descriptor.hpp"

namespace mlmq {

/// $MLMQ_CACHE, or $XDG_CACHE_HOME/mlmq, or ~/.cache/mlmq, or mlmq-cache-USER_ID in the system's temporary folder.
[[nodiscard]] std::filesystem::path wanted_cache_folder();

/// Why the wanted folder cannot be used, "" when it can. Makes it when it is missing, with access for its owner alone.
[[nodiscard]] std::string cache_folder_problem();

/// The wanted folder, or a temporary folder of this process when that one cannot be used; then the first call says so
/// on standard error. Empty when there is neither. The answer for one wanted folder stays the same in a process.
[[nodiscard]] std::filesystem::path cache_folder();

/// Opens a folder in an open one (or a path, with AT_FDCWD), made when it is missing. It must belong to this user and
/// must not be writable by others. @param problem set when the answer holds nothing
/// @param follow_links whether `name` may be a symbolic link
[[nodiscard]] descriptor open_own_folder(int parent, const std::filesystem::path& name, bool follow_links,
                                         std::string& problem);

}  // namespace mlmq
