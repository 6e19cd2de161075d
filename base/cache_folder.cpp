// SPDX-License-Identifier: Apache-2.0
#include "base/cache_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/temporary_folder.hpp"

namespace mlmq {

namespace fs = std::filesystem;

namespace {

constexpr mode_t owner_alone = 0700;

fs::path variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? fs::path(value) : fs::path();
}

bool is_chosen_by_name() { return !variable("MLMQ_CACHE").empty(); }
bool is_in_temporary_folder() {
  return !is_chosen_by_name() && variable("XDG_CACHE_HOME").empty() && variable("HOME").empty();
}

/// Creates the missing parents of `folder`. @return the reason of a failure, or ""
std::string make_parents(const fs::path& folder) {
  const fs::path parent = fs::absolute(folder).lexically_normal().parent_path();
  struct stat about {};
  if (::stat(parent.c_str(), &about) == 0) {
    // A folder that root creates in another user's home folder would be unusable for that user.
    if (!is_chosen_by_name() && ::geteuid() == 0 && about.st_uid != 0) {
      if (::access(folder.c_str(), F_OK) != 0) return fmt::format("{} belongs to another user", parent.string());
    }
    return "";
  }
  if (errno != ENOENT) return fmt::format("{}: {}", parent.string(), std::strerror(errno));
  if (std::string problem = make_parents(parent); !problem.empty()) return problem;
  if (::mkdir(parent.c_str(), owner_alone) != 0 && errno != EEXIST) {
    return fmt::format("{} cannot be created: {}", parent.string(), std::strerror(errno));
  }
  return "";
}

/// Returns why files cannot be created in the folder; "" if they can. Permissions are not sufficient: the file system
/// may be read-only.
std::string writing_problem(int folder) {
  const descriptor lock(::openat(folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  return lock ? "" : fmt::format("files cannot be created in it: {}", std::strerror(errno));
}

/// The decision about one requested folder.
struct decision {
  fs::path folder;
  std::unique_ptr<temporary_folder> temporary;  // removed when the process ends
};

decision decide(const fs::path& folder) {
  const std::string problem = cache_folder_problem();
  if (problem.empty()) return {.folder = folder, .temporary = nullptr};
  decision replacement;
  std::string instead = "a temporary folder is used instead and removed at the end";
  try {
    replacement.temporary = std::make_unique<temporary_folder>("cache");
    replacement.folder = replacement.temporary->path();
  } catch (const work_error& error) {
    instead = fmt::format("nothing is cached ({})", error.what());
  }
  fmt::print(stderr,
             "mlmq: warning: the cache of compiled code, {}, cannot be used: {}; {}. Set MLMQ_CACHE to choose another "
             "folder\n",
             printable(folder.string()), printable(problem), instead);
  return replacement;
}

}  // namespace

fs::path configured_cache_folder() {
  if (fs::path from_environment = variable("MLMQ_CACHE"); !from_environment.empty()) return from_environment;
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "mlmq";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "mlmq";
  std::error_code failure;
  const fs::path temporary = fs::temp_directory_path(failure);
  return (failure ? fs::path("/tmp") : temporary) / fmt::format("mlmq-cache-{}", ::geteuid());
}

descriptor open_own_folder(int parent, const fs::path& name, bool follow_links, std::string& problem) {
  // Those who may read the folder above may read this one (MLMQ_SHARED_CACHE).
  struct stat above {};
  const bool has_above = parent != AT_FDCWD && ::fstat(parent, &above) == 0;
  const mode_t others_read = S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH;
  const bool is_new = ::mkdirat(parent, name.c_str(), owner_alone) == 0;
  if (is_new && has_above) ::fchmodat(parent, name.c_str(), owner_alone | (above.st_mode & others_read), 0);
  if (!is_new && errno != EEXIST) {
    problem = fmt::format("it cannot be created: {}", std::strerror(errno));
    return {};
  }
  descriptor folder(
      ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow_links ? 0 : O_NOFOLLOW)));
  struct stat about {};
  if (!folder || ::fstat(folder.get(), &about) != 0) {
    problem = fmt::format("it cannot be opened: {}", std::strerror(errno));
  } else if (about.st_uid != ::geteuid()) {
    problem = "it belongs to another user";
  } else if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    problem = "other users can write to it (chmod go-w)";
  } else {
    return folder;
  }
  return {};
}

std::string cache_folder_problem() {
  const fs::path folder_path = configured_cache_folder();
  if (std::string problem = make_parents(folder_path); !problem.empty()) return problem;
  std::string problem;
  // In the temporary folder, any user can create a link with this name.
  const descriptor folder = open_own_folder(AT_FDCWD, folder_path, !is_in_temporary_folder(), problem);
  return folder ? writing_problem(folder.get()) : problem;
}

fs::path cache_folder() {
  static std::mutex mutex;
  static std::map<fs::path, decision> decisions;
  const std::lock_guard lock(mutex);
  const fs::path path = configured_cache_folder();
  const auto entry = decisions.find(path);
  return (entry != decisions.end() ? entry : decisions.emplace(path, decide(path)).first)->second.folder;
}

}  // namespace mlmq
