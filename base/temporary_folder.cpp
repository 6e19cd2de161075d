// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace mlmq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view random_part = "XXXXXX";

/// Locks a folder. Returns empty if a process uses the folder or locks are not supported. The system releases the lock
/// when its process ends for any reason.
descriptor lock_folder(const fs::path& folder) {
  descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return lock;
}

/// Removes folders of this user whose processes have ended. A new folder is unlocked for a moment, so recently created
/// folders are kept.
void remove_abandoned(const fs::path& place, const std::string& prefix) {
  constexpr std::time_t least_age_s = 60;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + random_part.size()) continue;
    struct stat status {};
    const bool is_own_folder =
        ::lstat(entry.path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
    if (!is_own_folder || ::time(nullptr) - status.st_mtime < least_age_s) continue;
    if (const descriptor lock = lock_folder(entry.path()); lock) fs::remove_all(entry.path(), failure);
  }
}

}  // namespace

temporary_folder::temporary_folder(std::string_view purpose) : owner_(::getpid()) {
  std::error_code failure;
  const fs::path place = fs::temp_directory_path(failure);
  if (failure) throw work_error("the temporary folder (TMPDIR) cannot be used: " + failure.message());
  // The dot keeps "mlmq-cache-1000" from being removed: it is the cache of a user without a home folder.
  const std::string prefix = "mlmq-" + std::string(purpose) + ".";
  remove_abandoned(place, prefix);
  std::string name = (place / prefix).string() + std::string(random_part);
  if (::mkdtemp(name.data()) == nullptr) {
    throw work_error(place.string() + ": cannot create a temporary folder: " + std::strerror(errno));
  }
  path_ = name;
  lock_ = lock_folder(path_);
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  if (::getpid() == owner_) fs::remove_all(path_, ignored);
}

}  // namespace mlmq
