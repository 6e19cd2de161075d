// SPDX-License-Identifier: Apache-2.0
#include "base/cache_lock.hpp"

#include <fcntl.h>

#include <cerrno>
#include <string>

#include "base/hash.hpp"

namespace mlmq {
namespace {

/// Returns the byte of the lock file that represents the key.
off_t place_of(std::string_view key) {
  return static_cast<off_t>(std::stoull(hash_text(key).substr(0, 16), nullptr, 16) >> 2U);
}

}  // namespace

cache_lock::cache_lock(int folder, std::string_view key)
    : file_(::openat(folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (!file_) return;
  struct flock request {};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  request.l_start = place_of(key);
  request.l_len = 1;
  // Locks belong to the open file, not to the process, so threads also exclude each other.
  while (::fcntl(file_.get(), F_OFD_SETLKW, &request) != 0 && errno == EINTR) {
  }
}

}  // namespace mlmq
