// SPDX-License-Identifier: Apache-2.0
#include "base/cache_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace mlmq {
namespace {

/// Which byte of the file stands for the key.
off_t place_of(std::string_view key) {
  return static_cast<off_t>(std::stoull(hash_text(key).substr(0, 16), nullptr, 16) >> 2U);
}

}  // namespace

cache_lock::cache_lock(const std::filesystem::path& folder, std::string_view key) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw work_error(folder.string() + ": cannot be made: " + failure.message());
  const std::filesystem::path file = folder / "lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw work_error(file.string() + ": cannot be opened: " + std::strerror(errno));
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = place_of(key);
  wanted.l_len = 1;
  // Locks of the open file, not of the process: threads exclude each other too.
  while (::fcntl(descriptor_, F_OFD_SETLKW, &wanted) != 0 && errno == EINTR) {
  }
}

cache_lock::~cache_lock() { ::close(descriptor_); }

}  // namespace mlmq
