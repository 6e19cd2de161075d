// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/files.hpp"
#include "base/random.hpp"
#include "message.hpp"
#include "tuner/experiment_file.hpp"

using mlmq::random_stream;
using namespace mlmq::tuner;

namespace {

const char* const quickstart = R"(name: quickstart
problem: sssp
parameters:
  l1:        {values: [none, vector], bind: compile}
  l1_capacity: {values: [64, 128], bind: compile, when: l1 == vector}
  wb:        {values: [2, 8, 32], bind: compile, when: l1 == vector}
  l2:        {values: [vector, bucket], bind: compile}
  bmax:      {values: [8, 32], bind: compile, when: l2 == bucket}
  delta:     {range: {from: 0.5, to: 64, factor: 2}, bind: launch, when: l2 == bucket, unit: average_weight}
  threads:   {range: {from: 64, to: 256, step: 64}, bind: compile}
restrictions:
  - l1_capacity >= threads / 4
  - "not (l1 == none and l2 == vector) or threads == 64"
configurations:
  - {l1: vector, wb: 16, l1_capacity: 64, l2: vector, threads: 128}
workloads:
  - generate: road12
  - file: ../graphs/*.gr.gz
    queries: {source: [0, 17]}
    weight_seed: 3
    ignore_weights: true
queries: {count: 2, choose: random, seed: 5}
strategy: {name: random, count: 50, seed: 7}
measurement: {warmup: 2, repeats: 9, time_limit_ms: 1500.5, counters: false, seed: 4}
)";

/// Returns `head` followed by the keys that every file needs.
std::string with_required(const std::string& head) {
  return head +
         "name: n\nproblem: sssp\nparameters: {a: {values: [1], bind: launch}}\nworkloads: "
         "[{generate: g}]\n";
}

std::string error(const std::string& text) {
  return message_of([&] { (void)parse_experiment(text, "x.yaml"); });
}

std::string parameter_error(const std::string& entry) {
  return error("name: n\nproblem: p\nworkloads: [{generate: g}]\nparameters:\n  " + entry + "\n");
}

std::string workload_error(const std::string& entry) {
  return error("name: n\nproblem: p\nparameters: {a: 1}\nworkloads:\n  - " + entry + "\n");
}

}  // namespace

TEST_CASE("an experiment file is read whole") {
  const experiment_file e = parse_experiment(quickstart, "experiments/quickstart.yaml");
  CHECK(e.text == quickstart);
  CHECK(e.name == "quickstart");
  CHECK(e.problem == "sssp");
  REQUIRE(e.workloads.size() == 2);
  CHECK(e.workloads[0].source == workload_request::origin::generate);
  CHECK(e.workloads[0].specifier == "road12");
  CHECK_FALSE(e.workloads[0].queries);
  CHECK(e.workloads[0].options.empty());
  CHECK(e.workloads[1].source == workload_request::origin::file);
  CHECK(e.workloads[1].specifier == "../graphs/*.gr.gz");
  CHECK(e.workloads[1].queries == query_rules{{.settings = {{"source", {"0", "17"}, {}}}}});
  CHECK(e.workloads[1].options == std::vector<setting>{{"weight_seed", {"3"}, {}}, {"ignore_weights", {"true"}, {}}});
  CHECK(e.workloads[1].place.line == 18);
  CHECK(e.queries ==
        query_rules{{.settings = {{"count", {"2"}, {}}, {"choose", {"random"}, {}}, {"seed", {"5"}, {}}}}});
  CHECK(e.strategy.name == "random");
  CHECK(e.strategy.count == 50u);
  CHECK(e.strategy.seed == 7u);
  CHECK(e.measurement ==
        measurement_settings{.warmup = 2, .repeats = 9, .time_limit_ms = 1500.5, .counters = false, .seed = 4});

  CHECK_FALSE(e.measurement.timeline);

  const search_space space(e.space);
  // l1 = none: 4 threads × 16 (bucket) + 1 (vector); l1 = vector: 3 × 4 for capacity 64 … 256/4 all
  // fit, so 2 × 3 × 4 × (1 + 16); and the listed one, whose wb is not in the product.
  CHECK(space.count() == 4 * 16 + 1 + 2 * 3 * 4 * 17 + 1);
  CHECK(space.at(0).label() == "l1=none,l2=vector,threads=64");
  CHECK(space.at(1).label() == "bmax=8,delta=0.5,l1=none,l2=bucket,threads=64");
  CHECK(space.at(space.count() - 1).label() == "l1=vector,l1_capacity=64,l2=vector,threads=128,wb=16");
  const parameter* delta = space.parameters().find("delta");
  REQUIRE(delta != nullptr);
  CHECK(delta->declared.unit == "average_weight");
  CHECK(delta->declared.bind == binding::launch);
}

TEST_CASE("settings that a file omits have defaults") {
  const experiment_file e = parse_experiment(with_required(""), "x.yaml");
  CHECK(e.queries.empty());
  CHECK(e.measurement == measurement_settings{});
  CHECK(e.strategy.name == "exhaustive");
  CHECK(e.space.has_product);
  CHECK(e.description.empty());
}

TEST_CASE("parameters have short forms") {
  const experiment_file e = parse_experiment(
      "name: n\nproblem: p\nworkloads: [{generate: g}]\nparameters:\n  a: 8\n  b: [1, 2.5]\n  c: "
      "[\"8\", x]\n",
      "x.yaml");
  REQUIRE(e.space.parameters.size() == 3);
  CHECK(e.space.parameters[0].values[0].first == value(std::int64_t{8}));
  CHECK(e.space.parameters[1].values[1].first == value(2.5));
  CHECK(e.space.parameters[2].values[0].first == value(std::string("8")));
  CHECK(e.space.parameters[2].place.line == 7);
}

TEST_CASE("configurations can stand instead of a product") {
  const experiment_file e = parse_experiment(
      "name: n\nproblem: p\nworkloads: [{generate: g}]\nconfigurations:\n  - {a: 8}\n  - {a: 9}\n", "x.yaml");
  CHECK_FALSE(e.space.has_product);
  const std::vector<parameter_declaration> declarations = {{"a", value_type::real, binding::launch, 1.0, "", "", ""}};
  const search_space space(e.space, declarations);
  CHECK(space.count() == 2);
  CHECK(space.at(1).at("a") == value(9.0));
}

TEST_CASE("unknown keys are named with file and line") {
  CHECK(error("name: n\nproblem: sssp\nparmeters: {}\n") ==
        "x.yaml:3: unknown key 'parmeters'; did you mean 'parameters'?");
  CHECK(error(with_required("measurement:\n  repeat: 3\n")) ==
        "x.yaml:2: unknown key 'repeat'; did you mean 'repeats'?");
  CHECK(error(with_required("strategy: {name: random,\n  cuont: 3}\n")) ==
        "x.yaml:2: unknown key 'cuont'; did you mean 'count'?");
  CHECK(parameter_error("a: {value: [1]}") == "x.yaml:5: unknown key 'value'; did you mean 'values'?");
  CHECK(parameter_error("a: {range: {from: 1, too: 2, step: 1}}") == "x.yaml:5: unknown key 'too'; did you mean 'to'?");
  CHECK(workload_error("{flie: a}") ==
        "x.yaml:5: 'workloads': a workload needs either 'generate' or 'file'; did you mean 'file'?");
  CHECK(workload_error("{file: a, generate: b}") ==
        "x.yaml:5: 'workloads': give either 'generate' or 'file', not both");
}

TEST_CASE("repeated and missing keys are named") {
  CHECK(error("name: n\nproblem: sssp\nname: m\n") == "x.yaml:3: key 'name' is given twice, first on line 1");
  CHECK(parameter_error("a: 1\n  b: 2\n  a: 3") == "x.yaml:7: key 'a' is given twice, first on line 5");
  CHECK(parameter_error("a: {values: [1], values: [2]}") == "x.yaml:5: key 'values' is given twice, first on line 5");
  CHECK(error("problem: sssp\n") == "x.yaml: missing key 'name'");
  CHECK(error("name: n\n") == "x.yaml: missing key 'problem'");
  CHECK(error("name: n\nproblem: p\n") == "x.yaml: missing key 'parameters' (or 'configurations')");
  CHECK(error("name: n\nproblem: p\nparameters: {a: 1}\n") == "x.yaml: missing key 'workloads'");
  CHECK(error(with_required("strategy: {count: 3}\n")) == "x.yaml:1: missing key 'name'");
}

TEST_CASE("values of another type are named") {
  CHECK(error("name: [n]\nproblem: p\n") == "x.yaml:1: 'name': expected a text, got a list");
  CHECK(error("name:\nproblem: p\n") == "x.yaml:1: 'name': expected a text, got nothing");
  CHECK(error("name: ''\nproblem: p\n") == "x.yaml:1: 'name': expected a text, got an empty string");
  CHECK(error("- a\n- b\n") == "x.yaml: expected a map, got a list");
  CHECK(error(with_required("measurement: fast\n")) == "x.yaml:1: 'measurement': expected a map, got 'fast'");
  CHECK(error(with_required("measurement:\n  warmup: 1\n  repeats: 0\n")) ==
        "x.yaml:3: 'repeats': expected a whole number from 1, got '0'");
  CHECK(error(with_required("measurement: {repeats: 2.5}\n")) ==
        "x.yaml:1: 'repeats': expected a whole number from 1, got '2.5'");
  CHECK(error(with_required("measurement: {warmup: -1}\n")) ==
        "x.yaml:1: 'warmup': expected a whole number from 0, got '-1'");
  CHECK(parse_experiment(with_required("measurement: {counters: False, warmup: 0x2}\n"), "x.yaml").measurement.warmup ==
        2);
  CHECK(parse_experiment(with_required("measurement: {slowdown_limit: 0.0}\n"), "x.yaml").measurement.slowdown_limit ==
        0);
  CHECK(error(with_required("measurement: {repeats: \"5\"}\n")) ==
        "x.yaml:1: 'repeats': expected a whole number from 1, got the text '5'; remove the quotes");
  CHECK(error(with_required("measurement: {repeats: 1e1}\n")) ==
        "x.yaml:1: 'repeats': expected a whole number from 1, got '1e1'");
  CHECK(error(with_required("measurement: {counters: yes}\n")) ==
        "x.yaml:1: 'counters': expected true or false, got 'yes'");
  CHECK(error(with_required("measurement: {timeline: 1}\n")) ==
        "x.yaml:1: 'timeline': expected true or false, got '1'");
  CHECK(error(with_required("measurement: {energy: 1}\n")) == "x.yaml:1: 'energy': expected true or false, got '1'");
  CHECK(error(with_required("measurement: {hardware_counters: true}\n")) ==
        "x.yaml:1: 'hardware_counters': expected a list, got 'true'");
  CHECK(error(with_required("measurement: {hardware_counters: [dram, l3]}\n")) ==
        "x.yaml:1: 'hardware_counters': expected atomics, dram, instructions, l1, l2, occupancy, threads, got 'l3'");
  CHECK(error(with_required("measurement: {time_limit_ms: 0}\n")) ==
        "x.yaml:1: 'time_limit_ms': expected a number above 0, got '0'");
  CHECK(error(with_required("queries: max_degree\n")) ==
        "x.yaml:1: 'queries': expected a rule (a map) or a list of rules, got 'max_degree'");
  CHECK(error(with_required("queries: []\n")) == "x.yaml:1: 'queries': the list is empty");
  CHECK(error(with_required("restrictions: a > 1\n")) == "x.yaml:1: 'restrictions': expected a list, got 'a > 1'");
  CHECK(error(with_required("restrictions:\n  - !counters\n")) ==
        "x.yaml:2: 'restrictions': YAML reads '!counters' as a tag; put the text in quotes");
  CHECK(error("name: n\nproblem: p\nparameters: {a: 1}\nworkloads: []\n") ==
        "x.yaml:4: 'workloads': the list is empty");
}

TEST_CASE("bad parameters and graphs are named") {
  CHECK(parameter_error("a: {bind: launch}") == "x.yaml:5: parameter 'a' has no values: give it 'values' or 'range'");
  CHECK(parameter_error("a: {values: []}") == "x.yaml:5: parameter 'a' has no values");
  CHECK(parameter_error("a: {values: [1], range: {from: 1, to: 2, step: 1}}") ==
        "x.yaml:5: 'a': give either 'values' or 'range', not both");
  CHECK(parameter_error("a: {range: {from: 5, to: 2, step: 1}}") == "x.yaml:5: range: 'to' (2) is below 'from' (5)");
  CHECK(parameter_error("a: {range: {from: 5, to: 8}}") ==
        "x.yaml:5: 'range': a range needs either 'step' or 'factor'");
  CHECK(parameter_error("a: {range: {from: 5, step: 1}}") == "x.yaml:5: missing key 'to'");
  CHECK(parameter_error("a: {values: [1], bind: runtime}") ==
        "x.yaml:5: 'bind': expected compile or launch, got 'runtime'");
  CHECK(parameter_error("a: {values: [[1]]}") ==
        "x.yaml:5: 'values': expected a boolean, a number or a text, got a list");
  CHECK(workload_error("{queries: {source: 1}}") ==
        "x.yaml:5: 'workloads': a workload needs either 'generate' or 'file'");
  CHECK(workload_error("road12") == "x.yaml:5: 'workloads': expected a map, got 'road12'");

  const std::string mixed =
      "name: n\nproblem: p\nworkloads: [{generate: g}]\nparameters:\n  wb:\n    bind: compile\n    "
      "values:\n      - 2\n      - auto\n";
  CHECK(message_of([&] { search_space(parse_experiment(mixed, "x.yaml").space); }) ==
        "x.yaml:9: parameter 'wb': values mix integer (2) and text (auto)");
}

TEST_CASE("errors in expressions name their line of the file") {
  const std::string head = "name: n\nproblem: p\nworkloads: [{generate: g}]\nparameters:\n";
  const auto space_error = [&](const std::string& rest) {
    return message_of([&] { search_space(parse_experiment(head + rest, "x.yaml").space); });
  };
  CHECK(space_error("  a: {values: [1], bind: launch,\n      when: b = 1}\n  b: {values: [1], "
                    "bind: launch}\n") == "x.yaml:6: in 'b = 1' at 3: '=' is not a comparison; use '=='");
  CHECK(space_error("  threads: {values: [64], bind: launch}\nrestrictions:\n  - threads > 1\n  - "
                    "thread > 1\n") ==
        "x.yaml:8: in 'thread > 1' at 1: unknown name 'thread'; did you mean 'threads'?");
  CHECK(space_error("  a: {values: [1], bind: launch, when: b == 1}\n"
                    "  b: {values: [1], bind: launch, when: a == 1}\n") ==
        "x.yaml:5: conditions ('when') form a cycle: a -> b -> a");
}

TEST_CASE("texts that are no experiment are refused") {
  CHECK(error("") == "x.yaml: the file is empty");
  CHECK(error("# nothing\n") == "x.yaml: the file is empty");
  CHECK(error("name: n\nproblem: [a\nx: 1\n").rfind("x.yaml:3: invalid YAML: ", 0) == 0);
  // yaml-cpp finds an endless number of documents in this text.
  CHECK_THAT(error(std::string("\0\0\0,sturns:nam\n    dv\ncommap", 28)), Catch::StartsWith("x.yaml:"));
  CHECK(error("name: n\n---\nname: m\n") == "x.yaml:3: a second document starts here; expected only one");
  CHECK_THROWS_AS((void)load_experiment("/nowhere/x.yaml"), mlmq::input_error);
}

TEST_CASE("a damaged file is read or refused, never worse") {
  random_stream bits = random_stream::from_state(99);
  const std::string pieces = "{}[]:,-'\"#&*!|>%@ \n\t0.e=()<abc~\x01\xff";
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = quickstart;
    for (std::uint64_t change = 1 + bits.below_by_division(4); change > 0; --change) {
      const std::size_t position = bits.below_by_division(text.size());
      const std::size_t length = bits.below_by_division(3);
      const std::string piece(bits.below_by_division(2), pieces[bits.below_by_division(pieces.size())]);
      text.replace(position, length, piece);
    }
    try {
      const experiment_file e = parse_experiment(text, "x.yaml");
      const search_space space(e.space);
      (void)space.at(space.count() - 1).to_json();
    } catch (const mlmq::input_error& failure) {
      ++refused;
      REQUIRE(std::string(failure.what()).rfind("x.yaml:", 0) == 0);
    }
  }
  CHECK(refused > 500);
  CHECK(error(std::string(100'000, '[')).rfind("x.yaml:1: invalid YAML: ", 0) == 0);
}

TEST_CASE("the settings of repetition, deadlines and finals are read") {
  const measurement_settings m =
      parse_experiment(with_required("measurement: {spread: 0.02, max_repeats: 30, slowdown_limit: 20, "
                                     "slowdown_floor_ms: 0.5, finalists: 5, final_rounds: 7}\n"),
                       "x.yaml")
          .measurement;
  CHECK(m.spread == 0.02);
  CHECK(m.max_repeats == 30);
  CHECK(m.slowdown_limit == 20);
  CHECK(m.slowdown_floor_ms == 0.5);
  CHECK(m.finalists == 5);
  CHECK(m.final_rounds == 7);
  const auto limit = [](const std::string& text) {
    return parse_experiment(with_required("measurement: {slowdown_limit: " + text + "}\n"), "x.yaml")
        .measurement.slowdown_limit;
  };
  CHECK(limit("0") == 0);
  CHECK(limit("1.5") == 1.5);
}

TEST_CASE("settings that limit a part that is not requested are mistakes") {
  CHECK(error(with_required("measurement: {max_repeats: 30}\n")) == "x.yaml:1: 'max_repeats': it requires 'spread'");
  CHECK(error(with_required("measurement: {slowdown_floor_ms: 3}\n")) ==
        "x.yaml:1: 'slowdown_floor_ms': it requires 'slowdown_limit'");
  CHECK(error(with_required("measurement: {final_rounds: 3}\n")) ==
        "x.yaml:1: 'final_rounds': it requires 'finalists'");
  CHECK(error(with_required("measurement: {finalists: 1}\n")) ==
        "x.yaml:1: 'finalists': a comparison needs at least two configurations; use 0 to skip it");
  CHECK(error(with_required("measurement: {slowdown_limit: 0.5}\n")) ==
        "x.yaml:1: 'slowdown_limit': expected 0 (no limit) or a factor above 1, got '0.5'");
  CHECK_FALSE(error(with_required("measurement: {spread: 0.1, repeats: 9, max_repeats: 5}\n")).empty());
}

TEST_CASE("values and options that programs read differently are refused") {
  for (const char* const text : {"yes", "017", "1_000", ".inf", "9223372036854775808"}) {
    INFO(text);
    const std::string start = "x.yaml:5: 'a': '" + std::string(text) + "' ";
    CHECK(parameter_error("a: [" + std::string(text) + "]").starts_with(start));
    CHECK(workload_error("{generate: g, a: " + std::string(text) + "}").starts_with(start));
  }
  const experiment_file file = parse_experiment(
      "name: n\nproblem: p\nparameters: {a: [True, False], b: [0x20, 0o20], c: ['yes', '0x20']}\n"
      "workloads: [{generate: g, size: 0x64, exact: True, text: '017'}]\n",
      "x.yaml");
  CHECK(file.space.parameters[0].values[0].first == value(true));
  CHECK(file.space.parameters[1].values[1].first == value(std::int64_t{16}));
  CHECK(file.space.parameters[2].values[1].first == value(std::string("0x20")));
  CHECK(file.workloads[0].options[0].whole_number() == 100);
  CHECK(file.workloads[0].options[1].boolean());
  CHECK(file.workloads[0].options[2].value() == "017");
  CHECK(message_of([&] { (void)file.workloads[0].options[2].whole_number(); }) ==
        "x.yaml:4: 'text': expected a whole number from 0, got the text '017'");
}
