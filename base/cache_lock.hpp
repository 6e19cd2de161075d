// SPDX-License-Identifier: Apache-2.0
// A lock that lets one thread or process at a time create an item in a shared folder. The others wait and then find the
// item.
#pragma once

#include <string_view>

#include "base/descriptor.hpp"

namespace mlmq {

/// Locks a key against other objects in this and other processes, from construction to destruction. The system releases
/// the lock when the process ends for any reason. All keys share one file, "lock", in the folder; two different keys
/// block each other by chance with probability 2^-62.
class cache_lock {
 public:
  /// Waits for the lock. If the file system does not support locks or the lock file cannot be opened, does not lock; an
  /// item may then be created twice.
  /// @param folder an open folder
  cache_lock(int folder, std::string_view key);
  cache_lock(const cache_lock&) = delete;
  cache_lock& operator=(const cache_lock&) = delete;

 private:
  descriptor file_;
};

}  // namespace mlmq
