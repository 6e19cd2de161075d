// SPDX-License-Identifier: Apache-2.0
// Compiling in other processes: answers, errors, and processes that crash or hang. Shell scripts stand in for them.
#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backends/cuda/compile_processes.hpp"
#include "base/error.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

const backends::kernel_source some_kernel{.file = "some.cu", .entry = "some", .block_threads = 32, .defines = {}};

/// Lets processes of a shell script compile.
void use_script(const std::string& script, std::chrono::milliseconds limit = backends::compile_limit) {
  backends::compile_in_processes({"/bin/sh", "-c", script}, limit);
}

std::string compiled() { return backends::compile_elsewhere(some_kernel, "sm_90"); }

/// @return a script that prints this for every request
std::string answering(const std::string& text) { return "while read line; do printf '" + text + "'; done"; }

}  // namespace

TEST_CASE("a process answers with code, after any other output") {
  use_script(answering("noise\\nmlmq-compiled code 5\\nhello"));
  CHECK(compiled() == "hello");
  CHECK(compiled() == "hello");
  // Code has line feeds and zeros, and may be long.
  use_script(answering("mlmq-compiled code 4\\na\\n\\000b"));
  CHECK(compiled() == std::string("a\n\0b", 4));
  use_script("while read line; do printf 'mlmq-compiled code 300000\\n'; head -c 300000 /dev/zero; done");
  CHECK(compiled() == std::string(300000, '\0'));
  use_script(answering("mlmq-compiled code 0\\n"));
  CHECK(compiled().empty());
}

TEST_CASE("a process gets the variant and the architecture, and is kept for the next variant") {
  use_script(R"(n=0; while read line; do n=$((n + 1)); text="$n $line"
                printf 'mlmq-compiled code %d\n%s' ${#text} "$text"; done)");
  backends::kernel_source source = some_kernel;
  source.defines = {{"MLMQ_WB", "16"}};
  const std::string first = backends::compile_elsewhere(source, "sm_90");
  CHECK_THAT(first, Contains("1 {") && Contains("some.cu") && Contains(R"("MLMQ_WB":"16")") && Contains("sm_90"));
  CHECK_THAT(compiled(), Contains("2 {"));
}

TEST_CASE("variants that are compiled at the same time have a process each") {
  // Each answers with its own number, after all have begun.
  use_script("while read line; do sleep 0.3; printf 'mlmq-compiled code 7\\n%7d' $$; done");
  std::vector<std::string> answers(3);
  {
    std::vector<std::jthread> callers;
    for (std::string& answer : answers) callers.emplace_back([&answer] { answer = compiled(); });
  }
  CHECK(std::set<std::string>(answers.begin(), answers.end()).size() == 3);
}

TEST_CASE("errors of the compiler differ from those of the machine, and the process is kept") {
  use_script(R"(read line; printf 'mlmq-compiled compile_error 3\nbad'
                read line; printf 'mlmq-compiled work_error 4\nfull'
                read line; printf 'mlmq-compiled code 4\nfine')");
  CHECK_THROWS_AS(compiled(), backends::compile_error);
  CHECK_THROWS_AS(compiled(), work_error);
  CHECK(compiled() == "fine");
}

TEST_CASE("a process that crashes or hangs costs its variant only") {
  use_script("read line; echo out of luck >&2; kill -SEGV $$");
  CHECK_THROWS_WITH(compiled(), Contains("some.cu: the compiler ended by SIGSEGV") && Contains("out of luck"));
  // The next variant has another process.
  CHECK_THROWS_WITH(compiled(), Contains("SIGSEGV"));
  use_script("read line; exec sleep 60", std::chrono::milliseconds(200));
  CHECK_THROWS_WITH(compiled(), Contains("has not finished after 200 ms"));
  use_script("exit 3");
  CHECK_THROWS_WITH(compiled(), Contains("exit status 3"));
  backends::compile_in_processes({"/no/such/program"});
  CHECK_THROWS_AS(compiled(), std::exception);
  backends::compile_in_processes({});
  CHECK(!backends::compiles_in_processes());
}
