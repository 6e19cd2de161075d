// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using namespace mlmq;

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("a file is read as it was written, byte for byte") {
  const tests::scratch_folder folder;
  const std::string content("first\r\n\0\xFFlast", 13);
  write_file_atomically(folder / "file", content);
  CHECK(read_file(folder / "file") == content);
  write_file_atomically(folder / "file", "");
  CHECK(read_file(folder / "file").empty());
}

TEST_CASE("missing folders are made, and nothing but the file is left behind") {
  const tests::scratch_folder folder;
  write_file_atomically(folder / "a/b/file", "one");
  write_file_atomically(folder / "a/b/file", "two");
  CHECK(read_file(folder / "a/b/file") == "two");
  CHECK(folder.entries() == names{"a", "a/b", "a/b/file"});
}

TEST_CASE("a write that fails leaves everything as it was and names the file") {
  const tests::scratch_folder folder;
  write_file_atomically(folder / "file", "old");
  fs::create_directory(folder / "taken");
  write_file_atomically(folder / "taken/inner", "inner");
  const names before = folder.entries();

  // The temporary file is complete, but a folder occupies its final path.
  CHECK_THROWS_AS(write_file_atomically(folder / "taken", "new"), work_error);
  CHECK_THROWS_WITH(write_file_atomically(folder / "taken", "new"), Catch::Contains((folder / "taken").string()));
  CHECK(folder.entries() == before);

  // A file is where a folder is needed.
  CHECK_THROWS_AS(write_file_atomically(folder / "file/below", "new"), work_error);
  CHECK_THROWS_WITH(write_file_atomically(folder / "file/below", "new"),
                    Catch::Contains("Not a directory") && Catch::Contains((folder / "file/below").string()));
  CHECK(read_file(folder / "file") == "old");
  CHECK(folder.entries() == before);
}

TEST_CASE("content that does not fit leaves the old file and no half of the new one") {
  const tests::scratch_folder folder;
  write_file_atomically(folder / "file", "old");
  // A limit on the size of files stands in for a full disk. It is set in a child process because it cannot be lifted
  // again.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {.rlim_cur = 100'000, .rlim_max = 100'000};
    int exit_code = ::setrlimit(RLIMIT_FSIZE, &small) == 0 ? 1 : 2;
    try {
      write_file_atomically(folder / "file", std::string(1'000'000, 'n'));
    } catch (const work_error& error) {
      if (std::string_view(error.what()).find("File too large") != std::string_view::npos) exit_code = 0;
    }
    ::_exit(exit_code);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(read_file(folder / "file") == "old");
  CHECK(folder.entries() == names{"file"});
}

TEST_CASE("threads that write the same file leave one of their contents, whole") {
  const tests::scratch_folder folder;
  std::vector<std::string> contents;
  for (char letter = 'a'; letter < 'e'; ++letter) contents.emplace_back(50'000, letter);
  std::vector<std::string> failures(contents.size());
  {
    std::vector<std::jthread> writers;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      writers.emplace_back([&, i] {
        try {
          for (int round = 0; round < 50; ++round) write_file_atomically(folder / "file", contents[i]);
        } catch (const work_error& error) {
          failures[i] = error.what();
        }
      });
    }
  }
  for (const std::string& failure : failures) CHECK(failure == "");
  const std::string text = read_file(folder / "file");
  CHECK(std::find(contents.begin(), contents.end(), text) != contents.end());
  CHECK(folder.entries() == names{"file"});
}

TEST_CASE("unreadable files are named, with the reason") {
  const tests::scratch_folder folder;
  const auto message = [](const fs::path& file) -> std::string {
    try {
      static_cast<void>(read_file(file));
    } catch (const input_error& error) {
      return error.what();
    }
    return "(no input_error)";
  };
  CHECK(message(folder / "absent") == (folder / "absent").string() + ": cannot be read: No such file or directory");
  CHECK(message(folder / "") == (folder / "").string() + ": cannot be read: it is a folder");
  const fs::path long_name = folder / std::string(300, 'n');
  CHECK(message(long_name) == long_name.string() + ": cannot be read: File name too long");
  write_file_atomically(folder / "file", "");
  CHECK(message(folder / "file/below") == (folder / "file/below").string() + ": cannot be read: Not a directory");
}

TEST_CASE("a file that opens but gives an error when read is not taken for an empty one") {
  // No memory is mapped at address 0.
  CHECK_THROWS_AS(read_file("/proc/self/mem"), input_error);
  CHECK_THROWS_WITH(read_file("/proc/self/mem"), Catch::Contains("/proc/self/mem: cannot be read: "));
}

TEST_CASE("code of a program is in the program's folder") { CHECK(module_folder() == program_folder()); }

TEST_CASE("the program's folder is the folder of this test") { CHECK(fs::exists(program_folder() / "test_base")); }
