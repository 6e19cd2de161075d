// SPDX-License-Identifier: Apache-2.0
// One maker at a time.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/cache_lock.hpp"
#include "base/error.hpp"

namespace {

using mlmq::cache_lock;

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mlmq-lock-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path = name;
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  std::filesystem::path path;
};

}  // namespace

TEST_CASE("threads hold the lock of one key one after the other") {
  const temporary_folder folder;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const cache_lock alone(folder.path / "a/b", "key");
      const int now = ++inside;
      if (now > most) most = now;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --inside;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(most == 1);
}

TEST_CASE("another key is another lock") {
  const temporary_folder folder;
  const cache_lock one(folder.path, "one");
  const cache_lock two(folder.path, "two");  // does not wait
  CHECK(std::filesystem::exists(folder.path / "lock"));
}

TEST_CASE("the lock of a killed process is free") {
  const temporary_folder folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const cache_lock held(folder.path, "key");
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  const auto start = std::chrono::steady_clock::now();
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(child, SIGKILL);
  });
  const cache_lock mine(folder.path, "key");
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(50));
  killer.join();
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("a folder that cannot be made is an error that names it") {
  CHECK_THROWS_AS(cache_lock("/dev/null/folder", "key"), mlmq::work_error);
}
