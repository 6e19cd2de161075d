// SPDX-License-Identifier: Apache-2.0
// Results of other auto-tuners: Kernel Tuner's cache, T4, and the search space of T1.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "db/query.hpp"
#include "message.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tuner/import_results.hpp"
#include "tuner/python_expression.hpp"
#include "tuner/replay.hpp"
#include "tuner/results_file.hpp"

using namespace mlmq;
using namespace mlmq::tuner;

namespace {

constexpr const char* cache_text = R"({"device_name": "GPU 1", "kernel_name": "blur", "problem_size": [64, 32],
 "tune_params_keys": ["x", "wide"], "tune_params": {"x": [1, 2], "wide": [false, true]}, "objective": "time",
 "cache": {
"1,False": {"x": 1, "wide": false, "time": 2.5, "times": [2.0, 3.0], "compile_time": 10, "verification_time": 1,
            "benchmark_time": 5, "strategy_time": 0.5, "framework_time": 2, "timestamp": "2026-01-01"},
"1,True": {"x": 1, "wide": true, "time": "CompilationFailedConfig", "compile_time": 3},
"2,False": {"x": 2, "wide": false, "__error__": "RuntimeFailedConfig", "time": "RuntimeFailedConfig"},
"2,True": {"x": 2, "wide": true, "time": 1e20}}})";

constexpr const char* t4_text = R"({"schema_version": "1.0.0", "results": [
 {"configuration": {"x": 1, "y": 0.5}, "invalidity": "correct", "correctness": 1, "objectives": ["time"],
  "times": {"compilation": 4, "benchmark": null, "runtimes": [1.0, 2.0, 3.0]},
  "measurements": [{"name": "GFLOP/s", "value": 9, "unit": ""}, {"name": "time", "value": 2.0, "unit": "ms"}]},
 {"configuration": {"x": 2, "y": 1}, "invalidity": "constraints", "correctness": 0, "objectives": ["time"],
  "times": {}, "measurements": [{"name": "time", "value": "InvalidConfig", "unit": ""}]},
 {"configuration": {"x": 4, "y": 1}, "invalidity": "correctness", "correctness": 0, "objectives": ["time"],
  "times": {}, "measurements": []},
 {"configuration": {"x": 8, "y": 1}, "invalidity": "timeout", "correctness": 0, "objectives": ["time"],
  "times": {}, "measurements": []}]})";

constexpr const char* t1_text = R"({"ConfigurationSpace": {"TuningParameters": [
   {"Name": "x", "Type": "int", "Values": "[2**i for i in range(4)]"},
   {"Name": "y", "Type": "float", "Values": "[0.5] + [1]"}],
  "Conditions": [{"Parameters": ["x", "y"], "Expression": "1 <= x <= 2 and y == 0.5 or x > 1 and y > 0.7"}]},
 "KernelSpecification": {"KernelName": "sharpen", "ProblemSize": [128]}})";

class folder {
 public:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(scratch_.path() / name) << text;
    return scratch_.path() / name;
  }
  [[nodiscard]] std::filesystem::path path() const { return scratch_.path(); }

 private:
  tests::scratch_folder scratch_;
};

configuration configuration_of(std::initializer_list<std::pair<const std::string, value>> values) {
  return configuration(configuration::map(values));
}

std::string translated(const std::string& text) { return translate_condition({text, {}}).text; }

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> result;
  for (const value& v : evaluate_list({text, {}})) result.push_back(to_json(v));
  return result;
}

}  // namespace

TEST_CASE("a Kernel Tuner cache is read with its failures") {
  folder files;
  const results_file read = read_results_file(files.write("c.json", cache_text));
  CHECK(read.format == "Kernel Tuner cache");
  CHECK((read.device == "GPU 1" && read.kernel == "blur" && read.problem == "64x32"));
  REQUIRE(read.results.size() == 4);
  const auto result_at = [&](std::int64_t x, bool wide) {
    return read.results.at(configuration_of({{"x", value(x)}, {"wide", value(wide)}}));
  };
  const foreign_result fast = result_at(1, false);
  CHECK(fast.milliseconds == 2.5);
  CHECK(fast.samples_ms == std::vector<double>{2, 3});
  CHECK((fast.compile_ms == 10 && fast.check_ms == 1 && fast.measure_ms == 5 && fast.other_ms == 2.5));
  CHECK(result_at(1, true).outcome == db::outcome::compile_error);
  CHECK(result_at(2, false).outcome == db::outcome::launch_error);
  CHECK(result_at(2, true).outcome == db::outcome::launch_error);
  CHECK_FALSE(result_at(2, true).milliseconds);
  const recorded_workload recorded = recorded_from(read);
  CHECK(recorded.best_cost == 2.5);
  CHECK(recorded.results.at(configuration_of({{"x", value(std::int64_t{1})}, {"wide", value(false)}})).seconds ==
        0.0185);
}

TEST_CASE("a cache that Kernel Tuner has not closed is read") {
  folder files;
  std::string text = cache_text;
  text.resize(text.find("\"2,True\""));
  CHECK(read_results_file(files.write("open.json", text)).results.size() == 3);
}

TEST_CASE("T4 results are read, and values get one type") {
  folder files;
  const results_file read = read_results_file(files.write("A100.json", t4_text));
  CHECK(read.format == "T4");
  CHECK(read.device == "A100");
  REQUIRE(read.results.size() == 4);
  const auto outcome_at = [&](std::int64_t x, double y) {
    return read.results.at(configuration_of({{"x", value(x)}, {"y", value(y)}})).outcome;
  };
  CHECK(outcome_at(1, 0.5) == db::outcome::ok);
  CHECK(outcome_at(2, 1) == db::outcome::constraint);
  CHECK(outcome_at(4, 1) == db::outcome::wrong_answer);
  CHECK(outcome_at(8, 1) == db::outcome::timeout);
}

TEST_CASE("T1 gives the space of the results") {
  folder files;
  results_file read = read_results_file(files.write("r.json", t4_text));
  const t1_input input = read_t1_input(files.write("t1.json", t1_text));
  CHECK((input.kernel == "sharpen" && input.problem == "128"));
  convert_to_types(read, input);
  const replayed_space replayed = space_of_recorded(input.space, recorded_from(read));
  // x=2,y=0.5 is allowed, too, but has no result.
  CHECK_FALSE(replayed.is_whole);
  CHECK(search_space(input.space).count() == 5);
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST_CASE("Python conditions and lists are translated") {
  CHECK(translated("a==1 or b % 32 != 0") == "a == 1 or b % 32 != 0");
  CHECK(translated("32 <= x * y <= 1024") == "(32 <= x * y and x * y <= 1024)");
  CHECK(translated("not (a == 1 and b**2 > 4)") == "not (a == 1 and b ^ 2 > 4)");
  CHECK(translated("a in [1, 2] and b not in (3,)") == "(a == 1 or a == 2) and (b != 3)");
  CHECK(translated("max(a, b) // 2 == -1 and c == True and d == 'x'") ==
        "max(a, b) // 2 == -1 and c == true and d == \"x\"");
  CHECK(listed("[1, 2] + list(range(4, 9, 2))") == std::vector<std::string>{"1", "2", "4", "6", "8"});
  CHECK(listed("[16*i for i in range(1, 4) if i != 2]") == std::vector<std::string>{"16", "48"});
  CHECK(listed("[0.5, 'fast', True]") == std::vector<std::string>{"0.5", "\"fast\"", "true"});
  CHECK(listed("[2**62 + 1, 2**53 + 1]") == std::vector<std::string>{"4611686018427387905", "9007199254740993"});
  CHECK(listed("[i for i in range(3, 0, -1)]") == std::vector<std::string>{"3", "2", "1"});
  const std::vector<std::pair<std::string, std::string>> wrong = {{"a = 1", "unexpected '='"},
                                                                  {"a & b", "unexpected '&'"},
                                                                  {"(a == 1", "expected ')'"},
                                                                  {"", "the text ends"},
                                                                  {"a ==", "the text ends"},
                                                                  {"lambda p: 1", "got 'lambda'"},
                                                                  {"a == 'x", "no closing quote"},
                                                                  {"a in b", "list of values"},
                                                                  {"f(a", "expected ')'"},
                                                                  {std::string(5000, '('), "deeply"},
                                                                  {std::string(5000, '-'), "deeply"},
                                                                  {"1" + repeated("**1", 50'000), "deeply"}};
  for (const auto& [text, message] : wrong) {
    CHECK_THAT(message_of([&] { (void)translated(text); }), Catch::Contains(message));
  }
  const std::vector<std::pair<std::string, std::string>> wrong_lists = {
      {"[1, 2", "expected ','"},          {"range(9999999999)", "million"},
      {"range(1, 2, 0)", "step"},         {"[x]", "not a number"},
      {"[1/0]", "not a finite number"},   {"[2**63]", "fit"},
      {"[i for i in 3]", "expected '['"}, {"{1}", "expected '['"},
      {"[1] 2", "unexpected '2'"},        {"[open('f')]", "not a number"}};
  for (const auto& [text, message] : wrong_lists) {
    CHECK_THAT(message_of([&] { (void)listed(text); }), Catch::Contains(message));
  }
}

TEST_CASE("each mistake in a file is one line that names the file") {
  folder files;
  const auto changed = [](std::string text, const std::string& before, const std::string& after) {
    REQUIRE(text.find(before) != std::string::npos);
    return text.replace(text.find(before), before.size(), after);
  };
  const std::string cache = cache_text;
  const std::string t4 = t4_text;
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "truncated"},
      {"{", "truncated"},
      {cache.substr(0, cache.size() / 2), "truncated"},
      {"{\"cache\": {}} x", "not JSON"},
      {R"({"cache": {"1": {"time": 1e999}}})", "number overflow parsing '1e999'"},
      {R"({"results": [{"configuration": {"b": -1e400}}]})", "number overflow parsing '-1e400'"},
      {"[1]", "neither a Kernel Tuner cache"},
      {"{\"a\": 1}", "neither a Kernel Tuner cache"},
      {t1_text, "--t1"},
      {"{\"results\": 5}", "results: expected a list"},
      {"{\"results\": []}", "no results"},
      {changed(cache, "\"tune_params_keys\"", "\"keys\""), "missing 'tune_params_keys'"},
      {changed(cache, "[\"x\", \"wide\"]", "[\"x\", 7]"), "tune_params_keys[1]: expected a text"},
      {changed(cache, "{\"x\": 1, \"wide\": true,", "{\"x\": 1,"), "1,True: missing 'wide'"},
      {changed(cache, "\"wide\": true", "\"wide\": [1]"), "1,True: wide: expected a number"},
      {changed(cache, "\"time\": 2.5", "\"time\": -1"), "expected a time above 0"},
      {changed(cache, "\"time\": 2.5", "\"time\": []"), "expected a time"},
      {changed(cache, "\"time\": 2.5", "\"t\": 2.5"), "missing 'time'"},
      {changed(cache, "[2.0, 3.0]", "[2.0, \"3\"]"), "times[1]: expected a time"},
      {changed(cache, "\"compile_time\": 10", "\"compile_time\": \"long\""), "compile_time: expected a number"},
      {changed(cache, "\"wide\": true, \"time\": \"C", "\"wide\": \"a\\nb\", \"time\": \"C"), "printable"},
      {changed(cache, "{\"x\": 1,", "{\"x\": 18446744073709551615,"), "does not fit a signed 64-bit integer"},
      {changed(cache, "{\"x\": 1,", "{\"x\": 18446744073709551616,"), "does not fit a signed 64-bit integer"},
      {changed(cache, "{\"x\": 1,", "{\"x\": -9223372036854775809,"), "does not fit a signed 64-bit integer"},
      {changed(cache, "\"time\": 2.5", "\"time\": 1e999"), "number overflow"},
      {changed(cache, "\"wide\": true, \"time\": \"C", "\"wide\": 3, \"time\": \"C"), "mix boolean and integer"},
      {changed(t4, "\"correct\"", "\"perfect\""), "unknown invalidity 'perfect'"},
      {changed(t4, "\"invalidity\": \"correct\", ", ""), "results[0]: missing 'invalidity'"},
      {changed(t4, "{\"name\": \"time\", \"value\": 2.0, \"unit\": \"ms\"}", "{\"name\": \"power\", \"value\": 2}"),
       "no measurement 'time'"},
      {changed(t4, "{\"x\": 2, \"y\": 1}", "{\"x\": 2}"), "not the same parameters"},
      {changed(t4, "{\"x\": 2, \"y\": 1}", "[2]"), "configuration: expected an object"},
      {changed(t4, "\"times\": {},", ""), "results[1]: missing 'times'"},
  };
  for (const auto& [text, message] : wrong) {
    const std::string name = files.write("wrong.json", text).string();
    const std::string printed = message_of([&] { (void)read_results_file(name); });
    INFO(text);
    CHECK_THAT(printed, Catch::StartsWith(name + ": ") && Catch::Contains(message));
    CHECK(printed.find('\n') == std::string::npos);
  }
  const std::string t1 = t1_text;
  const std::vector<std::pair<std::string, std::string>> wrong_spaces = {
      {"{}", "missing 'ConfigurationSpace'"},
      {cache, "missing 'ConfigurationSpace'"},
      {changed(t1, "\"Type\": \"int\"", "\"Type\": \"half\""), "unknown type 'half'"},
      {changed(t1, "range(4)]", "range(4)"), "parameter 'x': in '[2**i for i in range(4)' at"},
      {changed(t1, "[0.5] + [1]", "['a']"), "a is not of the type float"},
      {changed(t1, "[0.5] + [1]", "[1, 1]"), "1 is repeated"},
      {changed(t1, "[0.5] + [1]", "[]"), "no values"},
      {changed(t1, "\"Name\": \"x\"", "\"Name\": \"max\""), "'max' cannot be the name"},
      {changed(t1, "1 <= x", "1 <= <= x"), "expected a value"},
      {changed(t1, "\"Expression\"", "\"Text\""), "missing 'Expression'"},
  };
  for (const auto& [text, message] : wrong_spaces) {
    const std::string name = files.write("t1.json", text).string();
    INFO(text);
    CHECK_THAT(message_of([&] { (void)read_t1_input(name); }), Catch::StartsWith(name) && Catch::Contains(message));
  }
  const t1_input input = read_t1_input(files.write("t1.json", t1_text));
  results_file other = read_results_file(files.write("c.json", cache_text));
  CHECK_THAT(message_of([&] { convert_to_types(other, input); }), Catch::Contains("'wide' is not in"));
  results_file fractions = read_results_file(files.write("t.json", changed(t4, "\"x\": 1", "\"x\": 1.5")));
  CHECK_THAT(message_of([&] { convert_to_types(fractions, input); }), Catch::Contains("'x': 1.5 is not of its type"));
  const std::string failing = changed(changed(t4, "\"correct\"", "\"runtime\""), "\"value\": 2.0", "\"value\": null");
  const results_file all_failed = read_results_file(files.write("f.json", failing));
  CHECK_THAT(message_of([&] { (void)recorded_from(all_failed); }), Catch::Contains("every configuration failed"));
}

TEST_CASE("imported results are trials of a database, once") {
  folder files;
  const results_file read = read_results_file(files.write("c.json", cache_text));
  auto store = db::store::open(files.path() / "d.sqlite", db::open_mode::read_write_create);
  import_report report = import_results(store, read, nullptr);
  CHECK((report.added == 4 && report.failed == 3 && report.already_present == 0));
  report = import_results(store, read, nullptr);
  CHECK((report.added == 0 && report.already_present == 4));
  const db::experiment_row experiment = store.experiments().at(0);
  CHECK(experiment.name == "blur GPU 1");
  const recorded_workload recorded = read_recorded(store, experiment).at(0);
  CHECK(recorded.results.size() == 4);
  CHECK(recorded.best_cost == 2.5);
  CHECK(space_of_recorded(experiment, nullptr, recorded).is_whole);
}
