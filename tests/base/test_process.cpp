// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace mlmq;
using namespace std::chrono_literals;

process_result shell(const std::string& script, std::chrono::milliseconds time_limit = 20s) {
  return run_process({"sh", "-c", script}, {.time = time_limit});
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns whether the process ends within a minute. Its parent may reap it at any time; a zombie counts as ended.
bool ends_soon(pid_t process) {
  for (int i = 0; i < 6000; ++i) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string number;
    std::string name;
    std::string state;
    if (!(file >> number >> name >> state) || state == "Z" || state == "X") return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

}  // namespace

TEST_CASE("both outputs are collected in the order in which they were written") {
  const process_result result = shell("echo one; echo two >&2; echo three");
  CHECK(result.output == "one\ntwo\nthree\n");
  CHECK(result.exit_code == 0);
  CHECK_FALSE(result.timed_out);
}

TEST_CASE("output beyond the limit is dropped, and the program still ends") {
  const process_result result =
      run_process({"sh", "-c", "yes | head -c 1000000; exit 3"}, {.time = 20s, .kept_output = 1001});
  CHECK(result.output.size() == 1001);
  CHECK(result.exit_code == 3);
}

TEST_CASE("output larger than a pipe holds is collected whole") {
  const process_result result = shell("head -c 1000000 /dev/zero | tr '\\0' x; exit 3");
  CHECK(result.output == std::string(1'000'000, 'x'));
  CHECK(result.exit_code == 3);
}

TEST_CASE("arguments reach the program as they are, without a shell") {
  CHECK(run_process({"printf", "%s|", "a b", "$HOME", "*", ""}, {.time = 20s}).output == "a b|$HOME|*||");
}

TEST_CASE("the program finds nothing to read") { CHECK(shell("cat; echo done").output == "done\n"); }

TEST_CASE("the exit code is the program's, or 128 and the signal that ended it") {
  CHECK(shell("exit 0").exit_code == 0);
  CHECK(shell("exit 255").exit_code == 255);
  const process_result killed = shell("kill -SEGV $$");
  CHECK(killed.exit_code == 128 + SIGSEGV);
  CHECK_FALSE(killed.timed_out);
}

TEST_CASE("at the time limit the program and all that it started are killed") {
  process_result result;
  // Both the shell and its child ignore every signal but a kill.
  const double seconds = seconds_of([&] {
    result = shell("trap '' TERM; sh -c \"trap '' TERM; while :; do sleep 1; done\" & echo $!; wait", 500ms);
  });
  CHECK(seconds >= 0.49);
  CHECK(result.timed_out);
  CHECK(result.exit_code == 128 + SIGKILL);
  const pid_t grandchild = std::stoi(result.output);
  REQUIRE(grandchild > 1);
  CHECK(ends_soon(grandchild));
}

TEST_CASE("the time limit holds for a program that has closed its output") {
  // The program sleeps longer than a test may take.
  const process_result result = shell("echo said; exec >&- 2>&-; sleep 1000", 300ms);
  CHECK(result.timed_out);
  CHECK(result.output == "said\n");
  // A program that ends in time is not killed.
  CHECK(shell("exec >&- 2>&-; sleep 0.2; exit 7").exit_code == 7);
}

TEST_CASE("what a program leaves behind ends with it") {
  const process_result result = shell("sleep 1000 & echo $!; exit 5");
  CHECK_FALSE(result.timed_out);
  CHECK(result.exit_code == 5);
  CHECK(ends_soon(std::stoi(result.output)));
}

TEST_CASE("a process outside of the group that keeps the output open does not delay the end") {
  const tests::scratch_folder folder;
  const std::string file = (folder.path() / "started").string();
  const process_result result = shell("setsid sh -c 'touch " + file + "; exec sleep 1000' & echo $!; while ! [ -e " +
                                      file + " ]; do sleep 0.01; done; echo end");
  CHECK_FALSE(result.timed_out);
  CHECK(result.output.ends_with("end\n"));
  ::kill(std::stoi(result.output), SIGKILL);
}

TEST_CASE("whatever ends a process, the group of its program is killed") {
  for (const int signal : {SIGKILL, SIGTERM, SIGSEGV, 0}) {
    INFO("signal " << signal);
    const tests::scratch_folder folder;
    const std::string file = (folder.path() / "processes").string();
    const pid_t parent = ::fork();
    if (parent == 0) {
      // The thread that runs the program is not the one that is waited for, and another program has already ended.
      std::jthread running([&] {
        (void)shell("exit 0");
        (void)shell("sleep 1000 & echo $! $$ > " + file + ".new; mv " + file + ".new " + file + "; sleep 1000");
      });
      while (!std::filesystem::exists(file)) std::this_thread::sleep_for(1ms);
      if (signal == 0) ::_exit(0);
      std::signal(signal, SIG_DFL);
      ::raise(signal);
      for (;;) ::pause();
    }
    ::waitpid(parent, nullptr, 0);
    std::ifstream processes(file);
    pid_t background = 0;
    pid_t leader = 0;
    REQUIRE(processes >> background >> leader);
    CHECK(ends_soon(background));
    CHECK(ends_soon(leader));
  }
}

TEST_CASE("the watcher of groups is no child of this process") {
  CHECK(shell("exit 0").exit_code == 0);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("the memory of a program is limited") {
  const std::string most_of_a_pipe = "head -c 100000000 /dev/zero | tail | wc -c";
  CHECK(run_process({"sh", "-c", most_of_a_pipe}, {.time = 60s}).output == "100000000\n");
  const process_result result =
      run_process({"sh", "-c", most_of_a_pipe}, {.time = 60s, .memory_bytes = std::uint64_t{32} << 20});
  CHECK_THAT(result.output, Catch::Contains("memory exhausted"));
  // Commands of a kernel's reference have limits of their own, too.
  CHECK(process_limits{.time = 1s}.memory_bytes < std::uint64_t{1} << 60);
}

TEST_CASE("the files that a program writes are limited") {
  const tests::scratch_folder folder;
  const std::string file = (folder.path() / "large").string();
  const process_result result =
      run_process({"sh", "-c", "exec head -c 100000000 /dev/zero > " + file}, {.time = 20s, .file_bytes = 1'000'000});
  CHECK(result.exit_code == 128 + SIGXFSZ);
  CHECK(std::filesystem::file_size(file) == 1'000'000);
}

TEST_CASE("a program that is not there is named") {
  CHECK_THROWS_AS(run_process({"mlmq-no-such-program", "x"}, {.time = 1s}), work_error);
  CHECK_THROWS_WITH(run_process({"mlmq-no-such-program", "x"}, {.time = 1s}),
                    Catch::Contains("mlmq-no-such-program") && Catch::Contains("No such file"));
  CHECK_THROWS_WITH(run_process({"/etc/passwd"}, {.time = 1s}), Catch::Contains("Permission denied"));
}

TEST_CASE("processes that run at the same time do not mix their outputs") {
  std::vector<std::string> outputs(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 10; ++round) outputs[i] += shell("echo " + std::to_string(i)).output;
      });
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::string expected;
    for (int round = 0; round < 10; ++round) expected += std::to_string(i) + "\n";
    CHECK(outputs[i] == expected);
  }
}
