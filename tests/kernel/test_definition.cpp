// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/definition.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "problems/kernel/bindings.hpp"
#include "problems/kernel/kernel_problem.hpp"

namespace mlmq::kernel {
namespace {

using Catch::Matchers::Contains;

/// Returns an experiment file with these lines under `kernel`, and others elsewhere.
std::string file_with(const std::string& kernel, const std::string& rest = "") {
  return "name: n\nproblem: kernel\nkernel:\n" + kernel + "parameters: {threads: [32, 64]}\nworkloads: [{n: 10}]\n" +
         rest;
}

const std::string launch = "  source: k.cu\n  function: f\n  block: threads\n  grid: n\n";
const std::string arguments = "  arguments:\n    - {name: a, type: float, size: n, role: out}\n";

kernel_problem read(const std::string& text) { return kernel_problem(tuner::parse_experiment(text, "x.yaml")); }

}  // namespace

TEST_CASE("a definition is read, and its problem has the file's parameters") {
  const kernel_problem problem = read(file_with(launch + arguments + "  reference: none\n"));
  CHECK(problem.name() == "kernel:f");
  REQUIRE(problem.declarations().size() == 1);
  CHECK(problem.declarations()[0].name == "threads");
  CHECK(problem.declarations()[0].macro.name == "threads");
  CHECK(problem.workloads().options().size() == 1);
}

TEST_CASE("mistakes in a definition are errors at their lines") {
  const auto check = [](const std::string& text, const std::string& message) {
    CAPTURE(text);
    CHECK_THROWS_AS(read(text), input_error);
    CHECK_THROWS_WITH(read(text), Contains("x.yaml:") && Contains(message));
  };
  const std::string reference = "  reference: none\n";
  check("name: n\nproblem: kernel\nparameters: {t: [1]}\nworkloads: [{generate: n}]\n", "needs the key 'kernel'");
  check(file_with("  function: f\n"), "missing key 'source'");
  check(file_with(launch + reference), "missing key 'arguments'");
  check(file_with(launch + arguments), "missing key 'reference'");
  check(file_with(launch + arguments + "  reference: some\n"), "expected none, or a map");
  check(file_with(launch + arguments + "  reference: {files: {b: x.npy}}\n"), "is named 'b'");
  check(file_with(launch + arguments + reference + "  blok: 1\n"), "unknown key 'blok'");
  check(file_with(launch + "  arguments: [{name: a, type: float, size: n, fill: random}]\n" + reference),
        "there is no result to check");
  check(file_with(launch + "  arguments: [{name: a, type: float, size: n}]\n" + reference), "needs 'fill'");
  check(file_with(launch + "  arguments: [{name: a, type: float, size: n, role: output}]\n" + reference),
        "expected in, out, inout, got 'output'");
  check(file_with(launch + "  arguments: [{name: a, type: float, size: n, role: out, fill: ones}]\n" + reference),
        "has no contents before a run");
  check(file_with(launch + "  arguments: [{name: a, type: float, size: n, fill: ones, seed: 2, role: inout}]\n" +
                  reference),
        "'seed': it requires 'fill: random'");
  check(file_with(launch + "  arguments: [{name: 1a, type: float, size: n, role: out}]\n" + reference),
        "expected an identifier");
  check(file_with(launch + arguments + "    - {name: a, type: int, value: 1}\n" + reference),
        "two arguments are named 'a'");
  check(file_with(launch + arguments + "  pass: [b]\n" + reference), "no argument is named 'b'");
  check(file_with("  source: k.cu\n  function: \"f; system(1)\"\n  block: 1\n  grid: 1\n" + arguments + reference),
        "the name of a __global__ function");
  check(file_with("  source: k.cu\n  function: f\n  block: [1, 1, 1, 1]\n  grid: 1\n" + arguments + reference),
        "one to three sizes");
  check(file_with(launch + arguments + reference + "  options: fast\n"), "begins with '-'");
  check(file_with(launch + arguments + reference + "  tolerance: -1\n"), "tolerance");
  check(file_with(launch + arguments + reference + "  launches: [{function: g, block: 1, grid: 1}]\n"),
        "belongs into an entry of 'launches'");
  check("name: n\nproblem: kernel\nkernel:\n" + launch + arguments + reference +
            "parameters: {n: [1]}\nworkloads: [{n: 10}]\n",
        "both a parameter and a size");
}

TEST_CASE("expressions and texts use parameters and sizes") {
  const bindings values({{"n", std::int64_t{1000}}, {"threads", std::int64_t{64}}, {"type", std::string("float")}});
  CHECK(values.number({"ceil(n / threads)", {}}) == 16);
  CHECK(values.number({"n // threads", {}}) == 15);
  CHECK(values.number({"-7 // 2", {}}) == -4);
  CHECK(values.number({"floor(n / threads) + min(1, 2)", {}}) == 16);
  CHECK(values.substituted("sum<type, threads>(n1, n)") == "sum<float, 64>(n1, 1000)");
  CHECK(values.type({"type", {}}).bytes == 4);
  CHECK_THROWS_WITH(values.type({"typ", {}}), Contains("unknown type 'typ'"));
  CHECK_THROWS_WITH(values.number({"m", {"x.yaml", 3}}), Contains("x.yaml:3") && Contains("unknown name 'm'"));
  CHECK_THROWS_WITH(values.number({"1 / 0", {}}), Contains("is not a number"));
  CHECK_THROWS_AS(values.whole_number({"n / threads", {}}, 1, 100), backends::launch_error);
  CHECK_THROWS_AS(values.whole_number({"threads - 64", {}}, 1, 100), backends::launch_error);
  const std::vector<placed_text> sizes = {{"threads", {}}, {"2", {}}};
  CHECK(values.extent(sizes) == backends::extent{64, 2, 1});
}

}  // namespace mlmq::kernel
