// SPDX-License-Identifier: Apache-2.0
// One maker at a time for each thing in a shared folder: the others wait and then find it made.
#pragma once

#include <string_view>

#include "base/descriptor.hpp"

namespace mlmq {

/// Held from construction to destruction, against other objects in this and other processes. Gone with the process,
/// however it ends. All keys share one file, "lock", in the folder; two keys block each other by chance with 2^-62.
class cache_lock {
 public:
  /// Waits. Where locks are not supported or the lock's file cannot be opened it does not lock: then a thing may be
  /// made twice. @param folder an open folder
  cache_lock(int folder, std::string_view key);
  cache_lock(const cache_lock&) = delete;
  cache_lock& operator=(const cache_lock&) = delete;

 private:
  descriptor file_;
};

}  // namespace mlmq
