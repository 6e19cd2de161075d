// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>

#include "base/temporary_folder.hpp"

namespace {

using namespace mlmq;
namespace fs = std::filesystem;

/// Sets TMPDIR for its lifetime.
class temporary_place {
 public:
  temporary_place() { ::setenv("TMPDIR", folder_.path().c_str(), 1); }
  temporary_place(const temporary_place&) = delete;
  temporary_place& operator=(const temporary_place&) = delete;
  ~temporary_place() {
    if (before_.empty()) {
      ::unsetenv("TMPDIR");
    } else {
      ::setenv("TMPDIR", before_.c_str(), 1);
    }
  }
  [[nodiscard]] const fs::path& path() const { return folder_.path(); }

 private:
  std::string before_ = ::getenv("TMPDIR") != nullptr ? ::getenv("TMPDIR") : "";
  temporary_folder folder_{"test-place"};
};

void make_old(const fs::path& folder) {
  fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(1));
}

/// Returns the only entry of a folder.
fs::path only_entry(const fs::path& folder) {
  auto entry = fs::directory_iterator(folder);
  REQUIRE(entry != fs::directory_iterator());
  return entry->path();
}

}  // namespace

TEST_CASE("a temporary folder of a killed process is removed by the next one") {
  const temporary_place place;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const temporary_folder folder("compile");
    std::ofstream(folder.path() / "kernel.so") << "half of a kernel";
    ::kill(::getpid(), SIGKILL);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const fs::path abandoned = only_entry(place.path());
  REQUIRE(fs::exists(abandoned / "kernel.so"));

  // A young folder may be one that its process has not locked yet.
  { const temporary_folder next("compile"); }
  CHECK(fs::exists(abandoned));
  make_old(abandoned);
  { const temporary_folder other_purpose("graph"); }
  CHECK(fs::exists(abandoned));
  { const temporary_folder next("compile"); }
  CHECK_FALSE(fs::exists(abandoned));
}

TEST_CASE("a temporary folder in use stays, however old it is") {
  const temporary_place place;
  const temporary_folder used("compile");
  make_old(used.path());
  { const temporary_folder next("compile"); }
  CHECK(fs::exists(used.path()));
}

TEST_CASE("only temporary folders are removed") {
  const temporary_place place;
  const fs::path target = place.path() / "results";
  fs::create_directory(target);
  fs::create_directory_symlink(target, place.path() / "mlmq-compile.abcdef");
  // Other names, a file, and the cache of the user with this id.
  for (const char* const name :
       {"mlmq-compile.abcdefg", "mlmq-compile-abcdef", "mlmq-cache-100000", "compile.abcdef"}) {
    fs::create_directory(place.path() / name);
    make_old(place.path() / name);
  }
  std::ofstream(place.path() / "mlmq-cache.abcdef") << "a file";
  make_old(place.path() / "mlmq-cache.abcdef");
  make_old(target);
  { const temporary_folder next("compile"); }
  { const temporary_folder next("cache"); }
  CHECK(std::distance(fs::directory_iterator(place.path()), fs::directory_iterator()) == 7);
}
