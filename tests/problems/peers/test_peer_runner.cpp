// SPDX-License-Identifier: Apache-2.0
// Small shell scripts as peers, some of which misbehave.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "problems/peers/peer.hpp"
#include "problems/peers/peer_task.hpp"

using namespace mlmq;
using namespace mlmq::peers;
using Catch::Matchers::Contains;

namespace {

/// Returns 0 -5-> 1 -7-> 2.
const graph::csr_graph& small_graph() {
  static const graph::csr_graph graph({0, 1, 2, 2}, {1, 2}, std::vector<std::uint32_t>{5, 7});
  return graph;
}

/// Returns the same graph with weights that no factor makes whole.
graph::csr_graph irrational_graph() {
  return graph::csr_graph({0, 1, 2, 2}, {1, 2}, std::vector<float>{0.1234567F, 3.1415927F});
}

peer script(const std::string& text, const std::string& more = "    warmup: 0\n",
            const std::string& answer = "{reached: 'reached ([0-9]+)'}") {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  const std::string file =
      "peers:\n  - name: fake\n    device: cpu\n    program: sh\n    command: ['{program}', -c, '" + quoted +
      "', '{graph}', '{source}', '{repeat}', '{output}', '{directory}']\n" + "    format: wel\n    time_limit_s: 2\n" +
      more + "    time: {pattern: 'time ([0-9.]+)', unit: ms}\n    work: 'pops ([0-9]+)'\n    answer: " + answer + "\n";
  peer program = parse_peers(file, "fake.yaml").front();
  REQUIRE(locate(program).empty());
  return program;
}

db::trial_result run(const peer& program, std::uint64_t samples = 1) {
  return run_peer(program, *search_task(small_graph(), 0), {.samples = samples});
}

const std::string answers =
    "while read u v w; do :; done < \"$0\"; for i in $(seq $2); do echo time $i.5; done; "
    "echo reached 3; echo pops 4; ";

}  // namespace

TEST_CASE("a good peer gives its times, its work and a right answer") {
  const db::trial_result result = run(script(answers + "printf '0 0\\n1 5\\n2 12\\n' > \"$3\""), 3);
  CHECK(result.message.empty());
  CHECK(result.result == db::outcome::ok);
  CHECK(result.samples_ms == std::vector<double>{1.5, 2.5, 3.5});
  CHECK(result.counters == std::vector<std::pair<std::string, double>>{{"pops", 4}});
}

TEST_CASE("warm-up times are requested and do not count") {
  const db::trial_result result = run(script(answers + "printf '0 0\\n1 5\\n2 12\\n' > \"$3\"", "    warmup: 2\n"), 2);
  CHECK(result.samples_ms == std::vector<double>{3.5, 4.5});
}

TEST_CASE("wrong answers are found, whatever they are wrong in") {
  const auto message = [](const peer& program) {
    const db::trial_result result = run(program);
    CHECK(result.result == db::outcome::wrong_answer);
    CHECK(result.samples_ms.empty());
    return result.message;
  };
  CHECK_THAT(message(script("echo time 1; echo reached 2; : $3")), Contains("reached 2 vertices, expected 3"));
  CHECK_THAT(message(script("echo time 1")), Contains("did not print the number of reached vertices"));
  CHECK_THAT(message(script("echo time 1; echo reached 3")), Contains("did not write its distances"));
  CHECK_THAT(message(script("echo time 1; echo reached 3; printf '0 0\\n1 5\\n2 13\\n' > \"$3\"")),
             Contains("of vertex 2 is 13, expected 12"));
  CHECK_THAT(message(script("echo time 1; echo time 2; echo right", "", "{right: '^right'}")),
             Contains("right 1 times of 2"));
}

TEST_CASE("the distances of an earlier run do not count for a later one") {
  const auto task = search_task(small_graph(), 0);
  const peer writes = script(answers + "printf '0 0\\n1 5\\n2 12\\n' > \"$3\"");
  CHECK(run_peer(writes, *task).result == db::outcome::ok);
  CHECK(run_peer(script(answers), *task).result == db::outcome::wrong_answer);
}

TEST_CASE("a hanging peer is killed at its limit with all that it started") {
  const auto folder = std::filesystem::temp_directory_path() / ("mlmq-peer-" + std::to_string(::getpid()));
  const db::trial_result result =
      run(script("echo begin; sleep 1000 & echo $! > " + folder.string() + "; trap '' TERM; wait; sleep 1000"));
  CHECK(result.result == db::outcome::timeout);
  CHECK_THAT(result.message, Contains("killed after 2 s") && Contains("its last output: begin"));
  pid_t child = 0;
  std::ifstream(folder) >> child;
  std::filesystem::remove(folder);
  REQUIRE(child > 0);
  bool running = true;
  for (int i = 0; i < 6000 && running; ++i) {
    std::ifstream status("/proc/" + std::to_string(child) + "/stat");
    std::string number;
    std::string name;
    std::string state;
    running = (status >> number >> name >> state) && state != "Z" && state != "X";
    if (running) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK_FALSE(running);
}

TEST_CASE("a crash is recorded with its signal and its last output") {
  const db::trial_result killed = run(script("echo time 1; echo reached 3; echo out of luck >&2; kill -SEGV $$"));
  CHECK(killed.result == db::outcome::crashed);
  CHECK_THAT(killed.message, Contains("signal 11 (Segmentation fault)") && Contains("out of luck"));
  const db::trial_result failed = run(script("exit 3"));
  CHECK(failed.result == db::outcome::crashed);
  CHECK_THAT(failed.message, Contains("ended with exit status 3; it printed nothing"));
}

TEST_CASE("garbage is no time") {
  const db::trial_result garbage = run(script("head -c 100000 /dev/urandom; echo; echo done"));
  CHECK(garbage.result == db::outcome::launch_error);
  CHECK_THAT(garbage.message, Contains("printed 0 times that match 'time ([0-9.]+)'"));
  const db::trial_result too_few = run(script("echo time 1; echo reached 3", "    warmup: 1\n"));
  CHECK(too_few.result == db::outcome::launch_error);
  CHECK_THAT(too_few.message, Contains("printed 1 times") && Contains("expected more than 1"));
}

TEST_CASE("a program that cannot be started, a source or a format that does not fit") {
  peer gone = script("true");
  gone.command.front() = "/nothing/here";
  CHECK(run(gone).result == db::outcome::launch_error);

  peer one_source = script("true", "    only_source: 1\n");
  const db::trial_result other = run(one_source);
  CHECK(other.result == db::outcome::constraint);
  CHECK(other.message == "it can only search from vertex 1");

  peer binary = script("true");
  binary.format = graph::file_format::galois;
  const db::trial_result unfit = run_peer(binary, *search_task(irrational_graph(), 0));
  CHECK(unfit.result == db::outcome::constraint);
  CHECK_THAT(unfit.message, Contains("only whole weights"));
}

TEST_CASE("a graph is written once for each format, and nothing is left behind") {
  std::filesystem::path file;
  {
    const auto task = search_task(small_graph(), 0);
    const auto file_of = [&](const peer& reader) -> std::filesystem::path {
      task->require_fit(reader);
      return task->write_input(reader, {}).at("graph");
    };
    const peer reader = script("true");
    file = file_of(reader);
    // The file is in a temporary_folder: if the process is killed, the next run removes it.
    CHECK_THAT(file.parent_path().filename().string(), Catch::StartsWith("mlmq-compare."));
    const auto written = std::filesystem::last_write_time(file);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(file_of(reader) == file);
    CHECK(std::filesystem::last_write_time(file) == written);
    peer other = reader;
    other.format = graph::file_format::matrix_market;
    other.ending = ".mtx";
    CHECK(file_of(other) != file);
    CHECK(std::filesystem::exists(file));
  }
  CHECK_FALSE(std::filesystem::exists(file.parent_path()));
}

namespace {

/// An entry of the shipped file, with a script instead of its program.
class shipped_peer {
 public:
  shipped_peer(const std::string& name, const std::string& text)
      : file_(std::filesystem::temp_directory_path() / fmt::format("mlmq-test-{}-{}", name, ::getpid())) {
    std::ofstream(file_) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(file_, std::filesystem::perms::owner_all);
    for (peer& program : load_peers(MLMQ_TEST_PEERS)) {
      if (program.name == name) program_ = std::move(program);
    }
    REQUIRE(program_.name == name);
    program_.located = file_.string();
  }
  shipped_peer(const shipped_peer&) = delete;
  shipped_peer& operator=(const shipped_peer&) = delete;
  ~shipped_peer() { std::filesystem::remove(file_); }

  [[nodiscard]] db::trial_result run(const graph::csr_graph& graph, graph::vertex_id source = 0) const {
    return run_peer(program_, *search_task(graph, source));
  }

 private:
  std::filesystem::path file_;
  peer program_;
};

}  // namespace

TEST_CASE("ADDS tells its times on file descriptor 3") {
  // Acts like the program: searches from the vertex of -s, writes distances to the file of -o and a line to
  // descriptor 3.
  const shipped_peer adds("published_adds",
                          "[ \"$1$3\" = -s-o ] && [ -s \"$5\" ] || exit 9\n"
                          "echo \"$5 Measured time for sample = 9.000s\"\n"
                          "printf '0 INF\\n1 0\\n2 7\\n' > \"$4\"\n"
                          "echo \"$5 0.125 17 $CUDA_VISIBLE_DEVICES\" | cut -d ' ' -f 1-3 >&3\n");
  const db::trial_result result = adds.run(small_graph(), 1);
  CHECK(result.message.empty());
  CHECK(result.result == db::outcome::ok);
  CHECK(result.samples_ms == std::vector<double>{0.125});
  CHECK(result.counters == std::vector<std::pair<std::string, double>>{{"pops", 17}});
}

TEST_CASE("Gunrock gets the source on its command line") {
  const std::string text =
      "case \"$*\" in *' --src 1 '*) ;; *) exit 9;; esac\n"
      "echo 'GPU Elapsed Time : 2.5 (ms)'; echo 'Number of errors : 0'\n";
  const db::trial_result result = shipped_peer("gunrock", text).run(small_graph(), 1);
  CHECK(result.message.empty());
  CHECK(result.samples_ms == std::vector<double>{2.5});
  CHECK(shipped_peer("gunrock", text).run(small_graph()).result == db::outcome::crashed);
}

TEST_CASE("a peer that misreads floats does not get them") {
  const shipped_peer gapbs("gapbs", "exit 9\n");
  const db::trial_result refused = gapbs.run(irrational_graph());
  CHECK(refused.result == db::outcome::constraint);
  CHECK(refused.message == "it reads only whole weights, and no factor turns these into whole numbers");
  CHECK(gapbs.run(small_graph()).result == db::outcome::crashed);
}
