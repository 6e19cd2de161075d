// SPDX-License-Identifier: Apache-2.0
// The cache returns compiled code intact, or the code is compiled again.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/cache_folder.hpp"
#include "base/code_cache.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "tests/support/environment.hpp"

namespace {

namespace fs = std::filesystem;
using namespace mlmq;

const std::string code(
    "\x7f"
    "ELF\0machine code\n",
    18);

/// A cache that contains the code for "key".
struct filled_cache {
  filled_cache() { CHECK_FALSE(ask().from_cache); }

  [[nodiscard]] cached_code ask() const {
    return cache.find_or_make("key", [] { return code; });
  }
  [[nodiscard]] fs::path file() const { return place.path() / "cuda/key.cubin"; }
  void overwrite(std::string_view content) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << content;
  }
  /// Checks that the file is not used and is replaced by a valid one.
  void check_is_made_again() const {
    const cached_code compiled = ask();
    CHECK(compiled.bytes == code);
    CHECK_FALSE(compiled.from_cache);
    const cached_code cached = ask();
    CHECK(cached.bytes == code);
    CHECK(cached.from_cache);
  }

  temporary_folder place{"test"};
  tests::environment variable{"MLMQ_CACHE", place.path().c_str()};
  code_cache cache{"cuda", ".cubin"};
};

}  // namespace

TEST_CASE("code is sealed for its key, and any change breaks the seal") {
  const std::string sealed = seal_code("key", code);
  CHECK(sealed.starts_with(code));  // a loader finds the code at the beginning
  CHECK(unseal_code("key", sealed) == code);
  CHECK(unseal_code("key", seal_code("key", "")) == "");
  CHECK_FALSE(unseal_code("other", sealed));
  CHECK_FALSE(unseal_code("key", code));
  CHECK_FALSE(unseal_code("key", sealed + "\n"));
  for (std::size_t length = 0; length < sealed.size(); ++length)
    CHECK_FALSE(unseal_code("key", sealed.substr(0, length)));
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    std::string flipped = sealed;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    CHECK_FALSE(unseal_code("key", flipped));
  }
  CHECK_FALSE(unseal_code("key", std::string(sealed.size(), '\0')));
}

TEST_CASE("a damaged file is made again") {
  const filled_cache cache;
  const std::string whole = read_file(cache.file());
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, code.size(), whole.size() - 1}) {
    cache.overwrite(whole.substr(0, length));
    cache.check_is_made_again();
  }
  cache.overwrite(std::string(whole.size(), '\0'));
  cache.check_is_made_again();
  cache.overwrite("something else");
  CHECK(code_cache::inspect(cache.place.path()).damaged == 1);
  cache.check_is_made_again();
  CHECK(code_cache::inspect(cache.place.path()).damaged == 0);
  CHECK(code_cache::inspect(cache.place.path()).files == 1);
}

TEST_CASE("a whole file of another key is not used") {
  const filled_cache cache;
  static_cast<void>(cache.cache.find_or_make("other", [] { return std::string("other code"); }));
  fs::copy_file(cache.place.path() / "cuda/other.cubin", cache.file(), fs::copy_options::overwrite_existing);
  cache.check_is_made_again();
}

TEST_CASE("a whole file that others could have written is not used") {
  const filled_cache cache;
  REQUIRE(::chmod(cache.file().c_str(), 0620) == 0);
  cache.check_is_made_again();
  // The target of a link is not examined.
  const fs::path elsewhere = cache.place.path() / "elsewhere";
  fs::rename(cache.file(), elsewhere);
  fs::create_symlink(elsewhere, cache.file());
  cache.check_is_made_again();
  CHECK(fs::is_regular_file(fs::symlink_status(cache.file())));
  if (::geteuid() != 0) return;
  REQUIRE(::chown(cache.file().c_str(), 65534, 65534) == 0);
  cache.check_is_made_again();
}

TEST_CASE("a folder within the cache that others can write to is not used") {
  const filled_cache cache;
  REQUIRE(::chmod((cache.place.path() / "cuda").c_str(), 0777) == 0);
  CHECK_FALSE(cache.ask().from_cache);
  CHECK_FALSE(cache.ask().from_cache);
}

TEST_CASE("a shared cache is read, if only its owner can write to it") {
  const filled_cache owner;
  const temporary_folder place("test");
  const tests::environment reader("MLMQ_CACHE", place.path().c_str());
  const tests::environment shared("MLMQ_SHARED_CACHE", owner.place.path().c_str());
  CHECK(owner.ask().from_cache);
  CHECK(owner.ask().bytes == code);
  CHECK(fs::is_empty(place.path() / "cuda"));
  // A damaged or foreign file, and a folder of several writers, are not used; the code is made for the own cache.
  for (const fs::path& writable : {owner.file(), owner.place.path() / "cuda", owner.place.path()}) {
    const fs::perms before = fs::status(writable).permissions();
    fs::permissions(writable, fs::perms::group_write, fs::perm_options::add);
    CHECK_FALSE(owner.cache.find("key"));
    fs::permissions(writable, before);
    CHECK(owner.cache.find("key") == code);
  }
  owner.overwrite("something else");
  owner.check_is_made_again();
  CHECK(fs::exists(place.path() / "cuda/key.cubin"));
  CHECK(read_file(owner.file()) == "something else");
}

TEST_CASE("those who may read the folder of the cache may read its files") {
  const temporary_folder place("test");
  fs::permissions(place.path(), fs::perms::group_read | fs::perms::group_exec, fs::perm_options::add);
  const tests::environment variable("MLMQ_CACHE", place.path().c_str());
  const code_cache cache("cuda", ".cubin");
  static_cast<void>(cache.find_or_make("key", [] { return code; }));
  CHECK((fs::status(place.path() / "cuda").permissions() & fs::perms::mask) == fs::perms(0750));
  CHECK((fs::status(place.path() / "cuda/key.cubin").permissions() & fs::perms::mask) == fs::perms(0640));
}

TEST_CASE("files are for their owner alone, and nothing else is left behind") {
  const filled_cache cache;
  struct stat about {};
  REQUIRE(::stat(cache.file().c_str(), &about) == 0);
  CHECK((about.st_mode & 0777U) == 0600U);
  CHECK(std::distance(fs::directory_iterator(cache.place.path() / "cuda"), {}) == 2);  // the code and "lock"
}

TEST_CASE("only one of several threads that request the same code compiles it") {
  const filled_cache cache;
  std::atomic<int> compile_count{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        const cached_code cached = cache.cache.find_or_make("shared", [&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          ++compile_count;
          return code;
        });
        if (cached.bytes != code) compile_count += 100;
      });
    }
  }
  CHECK(compile_count == 1);
}

TEST_CASE("a cache that has been deleted meanwhile is created again") {
  const filled_cache cache;
  fs::remove_all(cache.place.path() / "cuda");
  cache.check_is_made_again();
}

TEST_CASE("forgotten code is compiled again, and forgetting absent code has no effect") {
  const filled_cache cache;
  cache.cache.forget("other");
  CHECK(cache.ask().from_cache);
  cache.cache.forget("key");
  cache.check_is_made_again();
}

TEST_CASE("a bounded cache removes the files that were not used for the longest time") {
  const temporary_folder place("test");
  const tests::environment variable{"MLMQ_CACHE", place.path().c_str()};
  const std::string content(1000, 'x');
  // Three files fit: a seal has fewer than 100 bytes.
  const code_cache cache("parts", ".parts", {.most_bytes = 3300, .is_synced = false});
  const auto add = [&](const std::string& key) {
    static_cast<void>(cache.find_or_make(key, [&] { return content; }));
    // Times of files may be as coarse as the clock of the system.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  for (const char* const key : {"a", "b", "c"}) add(key);
  CHECK(cache.find("a") == content);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  add("d");
  CHECK(cache.find("a") == content);
  CHECK_FALSE(cache.find("b"));
  CHECK(cache.find("c") == content);
  CHECK(cache.find("d") == content);
  // A temporary file of a process that was killed counts, and is removed in its turn.
  const fs::path temporary = place.path() / "parts" / "e.parts.1.0.tmp";
  std::ofstream(temporary) << content;
  fs::last_write_time(temporary, fs::file_time_type::clock::now() - std::chrono::hours(1));
  add("f");
  CHECK_FALSE(fs::exists(temporary));
  CHECK(cache.find("f") == content);
}
