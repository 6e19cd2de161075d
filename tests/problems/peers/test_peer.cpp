// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "problems/peers/peer.hpp"

using namespace mlmq;
using namespace mlmq::peers;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const input_error& error) {
    return error.what();
  }
  return "";
}

const std::string good = R"(peers:
  - name: fast
    device: cpu
    program: sh
    command: '{program} -f {graph} -r {source} -n{repeat} -t {threads} -d {delta}'
    format: dimacs
    delta: [2, 0.5]
    warmup: 1
    turns: 3
    time_limit_s: 0.5
    time: {pattern: 'Trial Time:\s+([0-9.]+)', unit: s}
    work: 'pops ([0-9]+)'
    answer: {reached: 'reaches ([0-9]+) nodes', sum: 'sum=([0-9.e+]+)', largest: 'max ([0-9]+)', right: 'PASS'}
)";

std::vector<peer> parse(const std::string& text) { return parse_peers(text, "p.yaml"); }

std::string text_with(const std::string& old_part, const std::string& new_part) {
  std::string text = good;
  const auto position = text.find(old_part);
  REQUIRE(position != std::string::npos);
  return text.replace(position, old_part.size(), new_part);
}

}  // namespace

TEST_CASE("a time limit beyond every clock is refused") {
  CHECK(message_of([] { (void)parse(text_with("time_limit_s: 0.5", "time_limit_s: 1e300")); }) ==
        "p.yaml:10: 'time_limit_s': expected at most 100000000 seconds, got '1e300'");
}

TEST_CASE("aliases without end, and of too much, are refused") {
  CHECK(message_of([] { (void)parse("peers:\n  - &p {name: a,\n     probe: [*p]}\n"); }) ==
        "p.yaml:3: an alias refers to a node that contains it");
  std::string doubled = "peers:\n  - name: a\n    probe:\n    - &a0 [sixteen letters.]\n";
  for (int i = 1; i < 40; ++i) doubled += fmt::format("    - &a{} [*a{}, *a{}]\n", i, i - 1, i - 1);
  CHECK_THAT(message_of([&] { (void)parse(doubled); }), Contains("is longer than 65536 characters with all aliases"));
}

TEST_CASE("an entry says how to start a peer and how to read it") {
  const std::vector<peer> peers = parse(good);
  REQUIRE(peers.size() == 1);
  peer fast = peers.front();
  CHECK(fast.problem == "sssp");
  CHECK(fast.deltas == std::vector<double>{2, 0.5});
  CHECK(fast.time_limit == std::chrono::milliseconds(500));
  CHECK(fast.turns == 3);
  CHECK_FALSE(fast.writes_distances);
  CHECK(fast.text != parse(text_with("warmup: 1", "warmup: 2")).front().text);
  CHECK(fast.text == parse("# a remark\n" + good).front().text);

  fast.located = "/bin/fast";
  const placeholder_values values = {
      {"graph", "/tmp/my graph.gr"}, {"source", "7"}, {"repeat", "4"}, {"threads", "16"}, {"delta", "32"}};
  CHECK(command_line(fast, values) ==
        std::vector<std::string>{"/bin/fast", "-f", "/tmp/my graph.gr", "-r", "7", "-n4", "-t", "16", "-d", "32"});
}

TEST_CASE("numbers are found in the output of a peer, line by line") {
  const peer fast = parse(good).front();
  const peer_output said = read_output(fast,
                                       "Read Time:  9.5\nTrial Time:          0.01234\nSSSP Tree reaches 1 nodes\n"
                                       "Trial Time:\n0.7\nTrial Time: 2 sum=1.5e3 max 12\r\npops 99\nPASS\nPASS\n"
                                       "SSSP Tree reaches 31 nodes");
  REQUIRE(said.numbers("time_ms").size() == 2);
  CHECK(said.numbers("time_ms")[0] == Approx(12.34));
  CHECK(said.numbers("time_ms")[1] == Approx(2000));
  CHECK(said.last("pops") == 99.0);
  CHECK(said.last("reached") == 31.0);  // the last number counts
  CHECK(said.last("sum") == 1500.0);
  CHECK(said.last("largest") == 12.0);
  CHECK(said.numbers("right").size() == 2);
}

TEST_CASE("garbage holds no numbers") {
  const peer fast = parse(good).front();
  for (const std::string& text :
       {std::string(), std::string("Trial Time: ..\n"), std::string("Trial Time: 1.2.3\n"), std::string(100000, 'x'),
        std::string("\0\xff\xfe\n\n\r", 6), std::string(5000, ' ') + "Trial Time: 1"}) {
    const peer_output said = read_output(fast, text);
    CHECK(said.numbers("time_ms").empty());
    CHECK_FALSE(said.last("reached"));
  }
}

TEST_CASE("units become milliseconds") {
  for (const auto& [unit, factor] : {std::pair("s", 1000.0), {"ms", 1.0}, {"us", 1e-3}, {"ns", 1e-6}}) {
    const peer program = parse(text_with("unit: s", std::string("unit: ") + unit)).front();
    CHECK(read_output(program, "Trial Time: 5").numbers("time_ms").at(0) == Approx(5 * factor));
  }
}

TEST_CASE("mistakes in the file are named with their line") {
  const auto says = [](const std::string& text, const std::string& part) {
    const std::string message = message_of([&] { (void)parse(text); });
    CHECK_THAT(message, StartsWith("p.yaml:") && Contains(part));
  };
  says(text_with("format: dimacs", "format: metis"), ":6: 'format': expected galois, dimacs, mtx or wel");
  says(text_with("warmup", "warmupp"), "unknown key 'warmupp'; did you mean 'warmup'?");
  says(text_with("{threads}", "{thread}"), "unknown placeholder {thread}; did you mean 'threads'?");
  says(text_with("-f {graph}", ""), "does not use {graph}");
  says(text_with("-d {delta}", ""), "require each other");
  says(text_with("unit: s", "unit: h"), "expected s, ms, us or ns");
  says(text_with("([0-9.]+)'", "[0-9.]+'"), "has 0 groups, expected one");
  says(text_with("'pops ([0-9]+)'", "'pops ([0-9'"), "is not a regular expression");
  says(text_with("'pops ([0-9]+)'", "'pops ([0-9]{99999999999999999999})'"), "a number of more than 4 digits");
  says(text_with("'PASS'", "'(PASS)'"), "has 1 groups, expected none");
  says(text_with("name: fast", "name: very fast"), "a name must not contain blanks");
  says(text_with("device: cpu", "device: tpu"), "expected cuda or cpu");
  says(text_with("    program: sh\n", ""), "needs 'program' or 'variable'");
  says(text_with("right: 'PASS'", "infinity: 5"), "it applies only to distances that the command writes");
  says(good + good.substr(good.find("  - name")), "given twice, first on line 2");
  std::string unchecked = good.substr(0, good.find("    answer")) + "    answer: {}\n";
  says(unchecked, "no answer can be checked");
}

TEST_CASE("a program is found by its variable, its name or its path, or why not is said") {
  peer fast = parse(good).front();
  CHECK(locate(fast).empty());
  CHECK_THAT(fast.located, Contains("/sh"));

  fast.program = "no-such-program-of-mlmq";
  CHECK(locate(fast) == "no program 'no-such-program-of-mlmq' on PATH");
  fast.program = "./nothing/here";
  CHECK_THAT(locate(fast), Contains("no executable file") && Contains("nothing/here"));

  fast.program = "";
  fast.variable = "MLMQ_TEST_PEER";
  ::unsetenv("MLMQ_TEST_PEER");
  CHECK(locate(fast) == "the environment variable MLMQ_TEST_PEER is not set to the path of the program");
  ::setenv("MLMQ_TEST_PEER", "/etc/passwd", 1);
  CHECK(locate(fast) == "MLMQ_TEST_PEER is '/etc/passwd', which is not an executable file");
  ::setenv("MLMQ_TEST_PEER", "/bin/sh", 1);
  CHECK(locate(fast).empty());
  CHECK(fast.located == "/bin/sh");

  fast.probe = {"{program}", "-c", "exit 3"};
  CHECK(locate(fast) == "its probe ended with exit status 3");
  fast.probe = {"{program}", "-c", "sleep 30"};
  CHECK(locate(fast) == "its probe did not finish within the time limit");
  fast.probe = {"{program}", "-c", "exit 0"};
  CHECK(locate(fast).empty());
  ::unsetenv("MLMQ_TEST_PEER");
}

TEST_CASE("the peers that come with the program can be read") {
  const std::vector<peer> peers = load_peers(MLMQ_TEST_PEERS);
  CHECK(peers.size() >= 6);
  const auto named = [&](const std::string& name) -> const peer& {
    for (const peer& program : peers) {
      if (program.name == name) return program;
    }
    throw std::runtime_error("no peer " + name);
  };
  CHECK(read_output(named("gapbs"), "Trial Time:          0.00217\n").numbers("time_ms").at(0) == Approx(2.17));
  CHECK(read_output(named("gapbs"), "SSSP Tree reaches 259960 nodes\n").last("reached") == 259960.0);
  const peer_output lonestar = read_output(named("lonestar"), "Total time: 11 ms\nTotal time: 11100000 ns\n");
  REQUIRE(lonestar.numbers("time_ms").size() == 1);
  CHECK(lonestar.numbers("time_ms")[0] == Approx(11.1));
  const peer_output adds = read_output(named("published_adds"), "road18.gr 6.610 1234567\n");
  CHECK(adds.numbers("time_ms").at(0) == Approx(6.61));
  CHECK(adds.last("pops") == 1234567.0);
  CHECK(read_output(named("gunrock"), "GPU Elapsed Time : 12.5 (ms)\nNumber of errors : 0\n").numbers("right").size() ==
        1);
  CHECK(read_output(named("gunrock"), "Number of errors : 10\n").numbers("right").empty());
  CHECK(read_output(named("cugraph"), "time 3.250000 ms\nreached 4\nsum 1e3\nlargest 7\n").last("sum") == 1000.0);
}
