// SPDX-License-Identifier: Apache-2.0
// The choice of the folder for compiled code, and the folders that are not trusted.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "base/cache_folder.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "tests/support/environment.hpp"

namespace {

namespace fs = std::filesystem;
using namespace mlmq;
using Catch::Matchers::Contains;
using tests::environment;

constexpr uid_t nobody = 65534;

std::string problem_of(const fs::path& folder) {
  const environment variable("MLMQ_CACHE", folder.c_str());
  return cache_folder_problem();
}

}  // namespace

TEST_CASE("the cache is where the user wants it, else where the system keeps caches") {
  const environment variable("MLMQ_CACHE", nullptr);
  const environment xdg("XDG_CACHE_HOME", nullptr);
  const environment home("HOME", nullptr);
  // In this place, each user has a folder of their own.
  CHECK(configured_cache_folder() == fs::temp_directory_path() / ("mlmq-cache-" + std::to_string(::geteuid())));
  const environment some_home("HOME", "/home/user");
  CHECK(configured_cache_folder() == "/home/user/.cache/mlmq");
  const environment some_xdg("XDG_CACHE_HOME", "/caches");
  CHECK(configured_cache_folder() == "/caches/mlmq");
  const environment some_own("MLMQ_CACHE", "/mine");
  CHECK(configured_cache_folder() == "/mine");
  // An empty variable counts as unset.
  const environment empty("MLMQ_CACHE", "");
  CHECK(configured_cache_folder() == "/caches/mlmq");
}

TEST_CASE("a missing cache folder is made for its owner alone") {
  const temporary_folder place("test");
  CHECK(problem_of(place.path() / "a/b").empty());
  for (const char* const name : {"a", "a/b"}) {
    struct stat about {};
    REQUIRE(::stat((place.path() / name).c_str(), &about) == 0);
    CHECK((about.st_mode & 0777U) == 0700U);
  }
  const environment variable("MLMQ_CACHE", (place.path() / "a/b").c_str());
  CHECK(cache_folder() == place.path() / "a/b");
}

TEST_CASE("a folder that others can write to is not used") {
  const temporary_folder place("test");
  for (const mode_t mode : {0770U, 0707U, 0777U, 01777U}) {
    REQUIRE(::chmod(place.path().c_str(), mode) == 0);
    CHECK_THAT(problem_of(place.path()), Contains("other users can write"));
  }
  REQUIRE(::chmod(place.path().c_str(), 0755) == 0);
  CHECK(problem_of(place.path()).empty());
}

TEST_CASE("a cache folder that is no folder or cannot be created is not used") {
  const temporary_folder place("test");
  write_file_atomically(place.path() / "file", "");
  CHECK_THAT(problem_of(place.path() / "file"), Contains("Not a directory"));
  CHECK_THAT(problem_of(place.path() / "file/below"), Contains("Not a directory"));
  CHECK_FALSE(problem_of("/proc/no-folder").empty());
}

TEST_CASE("instead of a folder that cannot be used one temporary folder is, until the process ends") {
  const temporary_folder place("test");
  const environment temporary("TMPDIR", place.path().c_str());
  write_file_atomically(place.path() / "file", "");
  // Runs in a child process, whose exit status is checked. Its standard error goes to a file.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (std::freopen((place.path() / "errors").c_str(), "w", stderr) == nullptr) ::_exit(2);
    const environment variable("MLMQ_CACHE", (place.path() / "file").c_str());
    const fs::path first = cache_folder();
    const bool good = first.parent_path() == place.path() && fs::is_directory(first) && cache_folder() == first;
    std::exit(good ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  const std::string errors = read_file(place.path() / "errors");
  CHECK_THAT(errors, Contains("mlmq: warning: ") && Contains((place.path() / "file").string()) &&
                         Contains("Not a directory") && Contains("MLMQ_CACHE"));
  CHECK(errors.find('\n') == errors.size() - 1);
  CHECK(std::distance(fs::directory_iterator(place.path()), {}) == 2);  // "file" and "errors"
}

TEST_CASE("a folder of another user is not used") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give a folder away");
    return;
  }
  const temporary_folder place("test");
  const fs::path folder = place.path() / "mlmq-cache-0";
  fs::create_directory(folder);
  REQUIRE(::chown(folder.c_str(), nobody, nobody) == 0);
  CHECK_THAT(problem_of(folder), Contains("belongs to another user"));
  // The folder in the temporary folder, which any user can create first, even as a link to a folder of this user.
  const environment variable("MLMQ_CACHE", nullptr);
  const environment xdg("XDG_CACHE_HOME", nullptr);
  const environment home("HOME", nullptr);
  const environment temporary("TMPDIR", place.path().c_str());
  CHECK_THAT(cache_folder_problem(), Contains("belongs to another user"));
  fs::remove(folder);
  fs::create_directory(place.path() / "ours");
  fs::create_directory_symlink(place.path() / "ours", folder);
  CHECK_THAT(cache_folder_problem(), Contains("cannot be opened"));
  // Root must not create folders in another user's home.
  const fs::path other_home = place.path() / "home";
  fs::create_directory(other_home);
  REQUIRE(::chown(other_home.c_str(), nobody, nobody) == 0);
  const environment others("HOME", other_home.c_str());
  CHECK_THAT(cache_folder_problem(), Contains("belongs to another user"));
  CHECK(fs::is_empty(other_home));
}
