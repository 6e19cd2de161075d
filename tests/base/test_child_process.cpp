// SPDX-License-Identifier: Apache-2.0
// A child process: its output, its input, and how it ends.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "tests/support/environment.hpp"

namespace {

using mlmq::child_process;
using mlmq::process_end;

child_process shell(const std::string& script) { return child_process({"/bin/sh", "-c", script}); }

/// Reads both streams until they end.
process_end finish(child_process& child, std::string& output, std::string& errors) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (;;) {
    child.read_output(output);
    child.read_errors(errors);
    if (child.output() < 0 && child.errors() < 0) {
      if (const auto end = child.poll_end()) return *end;
    }
    REQUIRE(std::chrono::steady_clock::now() < give_up);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

process_end finish(child_process& child) {
  std::string ignored;
  return finish(child, ignored, ignored);
}

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

}  // namespace

TEST_CASE("a child's streams are read apart, and its exit status is known") {
  child_process child = shell("echo out; echo err >&2; exit 3");
  std::string output;
  std::string errors;
  const process_end end = finish(child, output, errors);
  CHECK(output == "out\n");
  CHECK(errors == "err\n");
  CHECK(end.signal == 0);
  CHECK(end.exit_code == 3);
  CHECK(end.describe() == "exit status 3");
}

TEST_CASE("a child answers its input") {
  child_process child = shell("read a; read b; echo \"$b $a\"");
  CHECK(child.send("one\ntwo\n"));
  std::string output;
  std::string errors;
  finish(child, output, errors);
  CHECK(output == "two one\n");
}

TEST_CASE("variables are set for a child, the others stay") {
  const mlmq::tests::environment inherited("MLMQ_TEST_INHERITED", "from here");
  const mlmq::tests::environment replaced("MLMQ_TEST_REPLACED", "old");
  child_process child({"/bin/sh", "-c", "echo $MLMQ_TEST_INHERITED, $MLMQ_TEST_REPLACED, $MLMQ_TEST_NEW"},
                      {{"MLMQ_TEST_REPLACED", "new"}, {"MLMQ_TEST_NEW", "a=b"}});
  std::string output;
  std::string errors;
  finish(child, output, errors);
  CHECK(output == "from here, new, a=b\n");
}

TEST_CASE("the signal that ended a child has a name") {
  child_process child = shell("kill -SEGV $$");
  const process_end end = finish(child);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.describe().starts_with("SIGSEGV ("));
}

TEST_CASE("killing a child also ends its own children") {
  child_process child = shell("sleep 600 & echo $!; wait");
  std::string output;
  while (output.find('\n') == std::string::npos) {
    pollfd waiting{.fd = child.output(), .events = POLLIN, .revents = 0};
    REQUIRE(::poll(&waiting, 1, 20'000) == 1);
    child.read_output(output);
  }
  const pid_t grandchild = std::stoi(output);
  CHECK(exists(grandchild));
  child.kill();
  CHECK(finish(child).signal == SIGKILL);
  // The streams have ended, so no process holds them any more.
  CHECK(child.output() < 0);
}

TEST_CASE("writing to a dead child fails without further effect") {
  child_process child = shell("exit 0");
  finish(child);
  const std::string much(1 << 20, 'x');
  CHECK_FALSE(child.send(much));
}

TEST_CASE("writing to a stopped child does not wait for it") {
  child_process child = shell("kill -STOP $$; wc -c");
  while (!child.is_stopped()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK_FALSE(child.poll_end());
  CHECK(child.is_stopped());  // the answer is the same when asked twice
  const std::string much((1 << 20) - 1, 'x');
  CHECK(child.send(much));
  CHECK(child.unsent() >= 0);
  ::kill(child.pid(), SIGCONT);
  CHECK(child.send("\n"));
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (child.unsent() >= 0 && std::chrono::steady_clock::now() < give_up) {
    CHECK(child.flush());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(child.unsent() < 0);
  CHECK_FALSE(child.is_stopped());
}

TEST_CASE("a child does not outlive its object") {
  pid_t pid = 0;
  {
    child_process child = shell("sleep 600");
    pid = child.pid();
    CHECK(exists(pid));
    child_process moved(std::move(child));
    CHECK(moved.pid() == pid);
    CHECK(exists(pid));
  }
  CHECK_FALSE(exists(pid));
}

TEST_CASE("a program that is not there cannot be started") {
  CHECK_THROWS_AS(child_process({"/nonexistent/program"}), mlmq::work_error);
}
