// SPDX-License-Identifier: Apache-2.0
// One maker at a time for each thing in a shared folder: the others wait and then find it made.
#pragma once

#include <filesystem>
#include <string_view>

namespace mlmq {

/// Held from construction to destruction, against other objects in this and other processes. Gone with the process,
/// however it ends. All keys share one file, "lock", in the folder; two keys block each other by chance with 2^-62.
class cache_lock {
 public:
  /// Waits. Where locks are not supported it does not lock: then a thing may be made twice.
  /// @throws work_error when the folder cannot be made or written
  cache_lock(const std::filesystem::path& folder, std::string_view key);
  cache_lock(const cache_lock&) = delete;
  cache_lock& operator=(const cache_lock&) = delete;
  ~cache_lock();

 private:
  int descriptor_;
};

}  // namespace mlmq
