// SPDX-License-Identifier: Apache-2.0
// The cache lock: one process compiles at a time.
#include <fcntl.h>
#include <signal.h>
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
#include "base/descriptor.hpp"
#include "base/temporary_folder.hpp"

namespace {

using mlmq::cache_lock;

/// An open folder.
struct open_folder {
  mlmq::temporary_folder place{"test"};
  mlmq::descriptor open{::open(place.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

}  // namespace

TEST_CASE("threads hold the lock of one key one after the other") {
  const open_folder folder;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const cache_lock alone(folder.open.get(), "key");
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
  const open_folder folder;
  const cache_lock lock(folder.open.get(), "one");
  const cache_lock two(folder.open.get(), "two");  // does not wait
  CHECK(std::filesystem::exists(folder.place.path() / "lock"));
}

TEST_CASE("the lock of a killed process is free") {
  const open_folder folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const cache_lock held(folder.open.get(), "key");
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
  const cache_lock mine(folder.open.get(), "key");
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(50));
  killer.join();
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("without a folder no process waits") {
  const cache_lock lock(-1, "key");
  const cache_lock two(-1, "key");
}
