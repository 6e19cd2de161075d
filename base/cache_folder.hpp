// SPDX-License-Identifier: Apache-2.0
// The folder that keeps compiled code between runs. A user who can write there can run code as this user, so a folder
// is used only if it belongs to this user and no other user can write to it.
#pragma once

#include <filesystem>
#include <string>

#include "base/descriptor.hpp"

namespace mlmq {

/// Returns the configured path of the cache folder: $MLMQ_CACHE, $XDG_CACHE_HOME/mlmq, ~/.cache/mlmq, or
/// mlmq-cache-USER_ID in the system's temporary folder.
[[nodiscard]] std::filesystem::path configured_cache_folder();

/// Returns why wanted_cache_folder() cannot be used; "" if it can be used. Creates the folder if it is missing, with
/// access only for its owner.
[[nodiscard]] std::string cache_folder_problem();

/// Returns wanted_cache_folder(), or a temporary folder of this process if the former cannot be used; the first call
/// then prints a note to standard error. Empty if neither can be used. Within a process, the result for one configured
/// path never changes.
[[nodiscard]] std::filesystem::path cache_folder();

/// Opens a folder that is relative to an open folder (or a path, with AT_FDCWD), and creates it if it is missing. The
/// folder must belong to this user and must not be writable by others.
/// @param follow_links whether `name` may be a symbolic link
/// @param problem set to the reason if nothing is returned
[[nodiscard]] descriptor open_own_folder(int parent, const std::filesystem::path& name, bool follow_links,
                                         std::string& problem);

}  // namespace mlmq
