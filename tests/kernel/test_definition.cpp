// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/definition.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "problems/kernel/bindings.hpp"
#include "problems/kernel/first_file.hpp"
#include "problems/kernel/kernel_problem.hpp"
#include "tests/support/scratch_folder.hpp"

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

TEST_CASE("without a reference, a note says that results are not checked") {
  const auto notes_with = [](const std::string& reference) {
    const kernel_problem problem = read(file_with(launch + arguments + reference));
    tuner::workload_input input;
    input.name = input.generated = "n=64";
    return problem.workloads().load(input)->notes;
  };
  CHECK(notes_with("  reference: none\n") ==
        std::vector<std::string>{"n=64: results are not checked: 'reference' is 'none'"});
  CHECK(notes_with("  reference: {function: g, block: threads, grid: n}\n").empty());
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

TEST_CASE("mistakes in values, expressions and data are errors at their lines") {
  const auto check = [](const std::string& text, const std::string& message) {
    CAPTURE(text);
    CHECK_THROWS_AS(read(text), input_error);
    CHECK_THROWS_WITH(read(text), Contains("x.yaml:") && Contains(message) && !Contains("\n"));
  };
  const std::string reference = "  reference: none\n";
  const std::string good = launch + arguments + reference;
  const auto array = [&](const std::string& keys) {
    return file_with(launch + arguments + "    - {" + keys + "}\n" + reference);
  };
  const auto placed = [&](const std::string& block, const std::string& grid) {
    return file_with("  source: k.cu\n  function: f\n  block: " + block + "\n  grid: " + grid + "\n" + arguments +
                     reference);
  };
  const auto with_reference = [&](const std::string& text) {
    return file_with(launch + arguments + "  reference: " + text + "\n");
  };
  CHECK_NOTHROW(read(file_with(good)));
  check(file_with("  - a\n"), "kernel");
  check(file_with(launch + "  arguments: {name: a}\n" + reference), "arguments");
  check(array("type: int, size: n, fill: ones"), "missing key 'name'");
  check(array("name: b, size: n, fill: ones"), "missing key 'type'");
  check(array("name: b, type: int, fill: ones"), "missing key 'size'");
  check(array("name: b, type: int, size: m, fill: ones"), "unknown name 'm'");
  check(array("name: b, type: integer, size: n, fill: ones"), "unknown type 'integer'");
  check(array("name: b, type: bytes(0), size: n, fill: zeros"), "unknown type 'bytes(0)'");
  check(array("name: b, type: int, size: n, fill: rand"), "expected zeros, ones, index, random, got 'rand'");
  check(array("name: b, type: int, size: n, fill: ones, file: b.npy"), "give either 'fill' or 'file', not both");
  check(array("name: b, type: int, size: n, fill: random, seed: x"), "seed");
  check(array("name: b, type: int, size: n, fill: random, minimum: 1"), "'minimum' needs 'maximum'");
  check(array("name: b, type: int, size: n, fill: random, minimum: 0, maximum: 0"), "expected more than the minimum");
  check(array("name: b, type: int, size: n, fill: random, maximum: x"), "expected a number");
  check(array("name: b, type: int, value: m"), "unknown name 'm'");
  check(array("name: b, type: integer, value: n"), "unknown type 'integer'");
  check(array("name: b, value: n"), "missing key 'type'");
  check(array("name: b, type: int, value: n, size: 1"), "unknown key 'value'");
  check(placed("threads", "ceil(n / threds)"), "unknown name 'threds'; did you mean 'threads'?");
  check(placed("threads", "ceil(n / threads"), "the parenthesis is not closed");
  check(placed("threads", "[]"), "one to three sizes");
  check(placed("[threads, 1 +]", "n"), "a value is missing");
  check(file_with(good + "  cluster: [1, 1, 1, 1]\n"), "one to three sizes");
  check(file_with(good + "  shared_memory: 4 * x\n"), "unknown name 'x'");
  check(file_with(good + "  cooperative: maybe\n"), "cooperative");
  check(file_with(good + "  flush_cache: 3\n"), "flush_cache");
  check(file_with(good + "  defines: {1x: 2}\n"), "expected the name of a macro");
  check(file_with(good + "  tolerance: {abs: 1}\n"), "unknown key 'abs'");
  check(file_with(good + "  tolerance: {ulp: -1}\n"), "ulp");
  check(file_with(good + "  work: {name: GB}\n"), "missing key 'amount'");
  check(file_with(good + "  work: {name: GB, amount: n 2}\n"), "an operator is missing");
  check(file_with(good + "  symbols: [{name: s, type: int, size: 1, role: out}]\n"), "a symbol has 'role: in'");
  check(file_with("  source: k.cu\n" + arguments + reference + "  launches: []\n"), "list is empty");
  check(file_with("  source: k.cu\n" + arguments + reference + "  launches: [{function: f, block: 1}]\n"),
        "missing key 'grid'");
  check(with_reference("{function: g, grid: 1}"), "missing key 'block'");
  check(with_reference("{function: g, block: 1, grid: 1, results: [c]}"), "is named 'c'");
  check(with_reference("{command: ls, block: 1}"), "unknown key 'block'");
  check(file_with(good, "data: {arrays: {b: x.npy}}\n"), "no array is named 'b'");
  check(file_with(good, "data: {arrays: {a: x.npy}}\n"), "has no contents before a run");
  check(file_with(good, "data: {expected: {b: x.npy}}\n"), "is named 'b'");
  check(file_with(launch + arguments + "    - {name: b, type: int, size: n, role: out}\n" + reference,
                  "data: {expected: x.npy}\n"),
        "name the arrays: the kernel writes a, b");
  check(file_with(good, "metrics: [n]\n"), "metrics");
}

TEST_CASE("a text that is too long for the name of a file is none") {
  const tests::scratch_folder folder;
  folder.write("k.cu", "__global__ void f(float* a) {}\n");
  const std::string longest(300, 'a');
  const auto hash_of = [&](const std::string& text) {
    return kernel_problem(tuner::parse_experiment(text, folder / "x.yaml")).source_hash({});
  };
  CHECK_FALSE(hash_of(file_with(launch + arguments + "  reference: {command: sh -c " + longest + "}\n")).empty());
  CHECK_FALSE(
      hash_of(file_with(launch + arguments + "  options: -include " + longest + "\n  reference: none\n")).empty());
  const std::string source = "  source: " + longest + "\n  function: f\n  block: threads\n  grid: n\n";
  CHECK_THROWS_WITH(hash_of(file_with(source + arguments + "  reference: none\n")), Contains("there is no file"));
}

TEST_CASE("a first file names each parameter once") {
  const tests::scratch_folder folder;
  const std::string tile = "#ifndef TILE\n#define TILE 1\n#endif\n";
  folder.write("k.cu", tile + tile +
                           "template <class T, int ITEMS> __global__ void f(T* a, int WIDTH) { int COUNT = DEPTH; }\n");
  const std::string first = first_experiment(folder / "k.cu", folder.path());
  const kernel_problem problem(tuner::parse_experiment(first, folder / "first.yaml"));
  std::vector<std::string> names;
  for (const tuner::parameter_declaration& declared : problem.declarations()) names.push_back(declared.name);
  CHECK(names == std::vector<std::string>{"threads", "TILE", "DEPTH", "ITEMS"});
  for (const char* const source :
       {"template <int n> __global__ void f(float* a) {}", "__global__ void f(float* a, int threads) {}",
        "__constant__ float w[1 << 2], a[3];\n__global__ void f(float* a, int w) {}",
        "__constant__ float w[16u];\n__global__ void f(float* a) {}"}) {
    CAPTURE(source);
    folder.write("k.cu", source);
    const std::string text = first_experiment(folder / "k.cu", folder.path());
    CHECK_NOTHROW(kernel_problem(tuner::parse_experiment(text, folder / "first.yaml")));
  }
}

TEST_CASE("expressions and texts use parameters and sizes") {
  const bindings values({{"n", std::int64_t{1000}}, {"threads", std::int64_t{64}}, {"type", std::string("float")}});
  CHECK(values.number({"ceil(n / threads)", {}}).real() == 16);
  CHECK(values.number({"n // threads", {}}).real() == 15);
  CHECK(values.number({"-7 // 2", {}}).real() == -4);
  CHECK(values.number({"floor(n / threads) + min(1, 2)", {}}).real() == 16);
  CHECK(values.substituted("sum<type, threads>(n1, n)") == "sum<float, 64>(n1, 1000)");
  CHECK(values.type({"type", {}}).bytes == 4);
  CHECK_THROWS_WITH(values.type({"typ", {}}), Contains("unknown type 'typ'"));
  CHECK_THROWS_WITH(values.number({"m", {"x.yaml", 3}}), Contains("x.yaml:3") && Contains("unknown name 'm'"));
  CHECK_THROWS_WITH(values.number({"1 / 0", {}}), Contains("is not a finite number"));
  CHECK_THROWS_AS(values.number({"n / (threads - 64)", {}}), backends::launch_error);  // other parameters are finite
  CHECK(values.whole_number({"9007199254740992 + 1", {}}, 1, UINT64_MAX) == 9007199254740993);
  CHECK(values.whole_number({"2 ^ 64 - 1", {}}, 1, UINT64_MAX) == UINT64_MAX);
  CHECK_THROWS_AS(values.whole_number({"n / threads", {}}, 1, 100), backends::launch_error);
  CHECK_THROWS_AS(values.whole_number({"threads - 64", {}}, 1, 100), backends::launch_error);
  const std::vector<placed_text> sizes = {{"threads", {}}, {"2", {}}};
  CHECK(values.extent(sizes) == backends::extent{64, 2, 1});
}

}  // namespace mlmq::kernel
