// SPDX-License-Identifier: Apache-2.0
// The problem in this process: its kernel on the simulator and for a GPU, and errors in definitions of problems.
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "cli/command_line.hpp"
#include "problems/registry.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/vector_sum/vector_sum.hpp"
#include "tests/vector_sum/vector_workload.hpp"
#include "tuner/parameter.hpp"

using namespace mlmq;
using Catch::Contains;
using vector_sum::sum_of_vector;

namespace {

class without_queries final : public sum_of_vector {
  [[nodiscard]] std::string name() const override { return "without_queries"; }
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& /*on*/,
                                                         const tuner::query_rules& /*rules*/) const override {
    return {};
  }
};

template <class Problem>
std::unique_ptr<tuner::problem> make() {
  return std::make_unique<Problem>();
}

/// The text that a command of the program writes to stderr, and its exit status.
struct outcome {
  int status = 0;
  std::string errors;
};

outcome run(std::vector<const char*> arguments) {
  const tests::scratch_folder folder;
  const std::string file = folder / "errors";
  std::fflush(stderr);
  const int before = ::dup(STDERR_FILENO);
  std::FILE* const opened = std::fopen(file.c_str(), "w");
  ::dup2(::fileno(opened), STDERR_FILENO);
  arguments.insert(arguments.begin(), "mlmq");
  outcome result;
  result.status = cli::run(static_cast<int>(arguments.size()), arguments.data());
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::fclose(opened);
  result.errors = read_file(file);
  return result;
}

bool is_one_line(const std::string& text) { return text.starts_with("mlmq: ") && text.find('\n') == text.size() - 1; }

std::unique_ptr<backends::backend> open_simt() { return backends::open_device("simt"); }

std::unique_ptr<tuner::workload> workload_of(const std::string& generated) {
  return vector_sum::vector_kind().load({.name = generated, .file = "", .generated = generated});
}

tuner::configuration configured(const sum_of_vector& problem, const std::string& label) {
  return tuner::parameter_set::from_declarations(problem.declarations()).parse_label(label);
}

}  // namespace

TEST_CASE("sums of parts of vectors are right, and additions are counted") {
  const sum_of_vector problem;
  const auto workload = workload_of("vector9:seed=5");
  const auto device = open_simt();
  const auto loaded = problem.load(*device, *workload);
  for (const char* const label : {"threads=32,items=1,blocks=1", "threads=64,items=3,blocks=2", "defaults"}) {
    const tuner::configuration chosen = configured(problem, label);
    const auto mode = tuner::instrumentation::counters;
    loaded->prepare(chosen, device->compile(loaded->variant(chosen, mode)), mode);
    for (const auto& [from, to] : {std::pair("0", "512"), {"7", "8"}, {"100", "333"}}) {
      CAPTURE(label, from, to);
      const tuner::run_report report = loaded->run({{"from", from}, {"to", to}}, 1000);
      CHECK(report.result == db::outcome::ok);
      CHECK(loaded->check().empty());
      REQUIRE(report.counters.size() == 1);
      CHECK(report.counters.front().second >= 1);
    }
  }
  CHECK_THROWS_WITH(loaded->run({{"from", "0"}, {"to", "513"}}, 1000), Contains("from=0:to=513") && Contains("512"));
}

TEST_CASE("a wrong sum is detected, and a late one is a timeout") {
  const sum_of_vector problem;
  const auto workload = workload_of("vector9");
  const auto device = open_simt();
  const auto loaded = problem.load(*device, *workload);
  const tuner::configuration chosen = configured(problem, "defaults");
  const auto mode = tuner::instrumentation::none;
  backends::kernel_source source = loaded->variant(chosen, mode);
  loaded->prepare(chosen, device->compile(source), mode);
  const tuner::query query{{"from", "0"}, {"to", "512"}};
  CHECK(loaded->run(query, 1e-9).result == db::outcome::timeout);
  CHECK(loaded->check().empty());

  const tests::scratch_folder planted;
  for (const auto& entry : std::filesystem::directory_iterator(source.folder)) {
    if (entry.path().extension() == ".cuh") std::filesystem::copy(entry.path(), planted.path());
  }
  std::string text = read_file(std::filesystem::path(source.folder) / source.file);
  const std::string right = "sum += load(";
  REQUIRE(text.find(right) != std::string::npos);
  planted.write(source.file, text.replace(text.find(right), right.size(), "sum = load("));
  source.folder = planted.path();
  loaded->prepare(chosen, device->compile(source), mode);
  CHECK(loaded->run(query, 1000).result == db::outcome::ok);
  CHECK_THAT(loaded->check(), Contains("the sum is"));
}

TEST_CASE("a problem without queries is one clear line") {
  const problems::problem_registration registered(
      {{.name = "without_queries", .description = "asks nothing", .make = make<without_queries>}});
  const tests::scratch_folder folder;
  const std::string file = folder.write("s.yaml",
                                        "name: none\nproblem: without_queries\nparameters: {threads: [32]}\n"
                                        "workloads: [{generate: vector4}]\n");
  const std::string database = folder / "r.sqlite";
  const outcome result = run({"sweep", file.c_str(), "--db", database.c_str(), "--device", "simt"});
  CHECK(result.status == cli::exit_usage);
  CHECK(is_one_line(result.errors));
  CHECK_THAT(result.errors, Contains("s.yaml:4") && Contains("give no query for vector4"));
}

TEST_CASE("two problems of one name are one clear line that tells both files") {
  const problems::problem_registration again(
      {{.name = "vector_sum", .description = "the sum again", .make = make<sum_of_vector>}});
  const outcome result = run({"problems"});
  CHECK(result.status == cli::exit_failed);
  CHECK(is_one_line(result.errors));
  CHECK_THAT(result.errors, Contains("two problems are named 'vector_sum'") && Contains("/vector_sum.cpp") &&
                                Contains("test_vector_sum.cpp"));
}
