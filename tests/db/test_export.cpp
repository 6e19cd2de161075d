// SPDX-License-Identifier: Apache-2.0
#include "db/export.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using nlohmann::json;

namespace {

/// Plans one configuration per outcome, with parameters of every type, one of them conditional. The first configuration
/// has counters.
sweep make_results(store& into) {
  sweep planned = make_sweep(into, 0);
  int number = 0;
  for (const outcome kind : all_outcomes) {
    const std::string more = number == 0 ? R"(, "threshold": 0.5)" : "";
    configuration_record configuration{
        "sssp", fmt::format(R"({{"l2": "bucket", "fence": {}, "wb": {}{}}})", number % 2 == 0, 1 << number, more), ""};
    configuration.label = fmt::format("configuration, {}", number);
    trial_key key{
        planned.workload, into.put_configuration(configuration), planned.device, "source=7", "kernel-1", "time"};
    into.plan(planned.experiment, std::array{key});
    into.finish(into.claim_trial(*into.find_trial(key), "w")->id,
                kind == outcome::ok ? ok_result({1.5, 1.25, 9}) : failed_result(kind, "why"));
    if (number == 0) {
      key.measurement = "counters";
      into.plan(planned.experiment, std::array{key});
      trial_result counted;
      counted.counters = {{"relaxations", 1000}, {"wb", 3}};
      into.finish(into.claim_trial(*into.find_trial(key), "w")->id, counted);
    }
    ++number;
  }
  return planned;
}

}  // namespace

TEST_CASE("export formats are named") {
  CHECK(export_format_from("t4") == export_format::t4);
  CHECK_THROWS_WITH(export_format_from("kernel-tuner"), Contains("known: csv, kernel-tuner-cache, t4, nvbench"));
  CHECK(export_format_from("nvbench") == export_format::nvbench);
}

TEST_CASE("nothing to export is an error") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  make_sweep(into, 2);
  for (const export_format format :
       {export_format::csv, export_format::kernel_tuner_cache, export_format::t4, export_format::nvbench}) {
    CHECK_THROWS_AS(export_files(into, {}, format), input_error);
  }
}

TEST_CASE("the Kernel Tuner cache has all that its readers require") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  make_results(into);
  const std::string text = export_single(into, {}, export_format::kernel_tuner_cache);
  CHECK_THAT(text, EndsWith("}\n}"));
  const json file = json::parse(text);
  CHECK(file["schema_version"] == "1.1.0");
  CHECK(file["device_name"] == "Test GPU");
  CHECK(file["kernel_name"] == "sssp");
  CHECK(file["problem_size"] == sample_workload("road-ny").bytes);
  CHECK(file["workload"] == "road-ny");
  CHECK(file["query"] == "source=7");
  CHECK(file["objective"] == "time");
  CHECK(file["tune_params_keys"] == json{"fence", "threshold", "wb"});
  CHECK(file["constant_parameters"] == json{{"l2", "bucket"}});
  CHECK(file["tune_params"]["fence"] == json{0, 1});
  CHECK(file["tune_params"]["wb"] == json{1, 2, 4, 8, 16, 32, 64, 128});
  CHECK(file["tune_params"]["threshold"] == json{0.0, 0.5});
  CHECK(file["inactive_values"] == json{{"threshold", 0.0}});
  REQUIRE(file["cache"].size() == all_outcomes.size());
  for (const auto& [key, entry] : file["cache"].items()) {
    for (const char* name :
         {"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"}) {
      CHECK(entry[name].is_number());
    }
    for (const auto& name : file["tune_params_keys"]) CHECK(entry.contains(name.get<std::string>()));
    CHECK(entry["times"].is_array());
    CHECK_THAT(entry["timestamp"].get<std::string>(), EndsWith("+00:00"));
    CHECK(entry["time"].is_number() != entry.contains("__error__"));
  }
  const json& best = file["cache"]["1,0.5,1"];
  CHECK(best["time"] == 1.5);
  CHECK(best["times"] == json{1.5, 1.25, 9});
  CHECK(best["compile_time"] == 40);
  CHECK(best["relaxations"] == 1000);
  CHECK(best["wb"] == 1);
  CHECK(best["counter_wb"] == 3);
  CHECK(file["cache"]["0,0.0,2"]["__error__"] == "CompilationFailedConfig");
  CHECK(file["cache"]["1,0.0,4"]["time"] == "RuntimeFailedConfig");
  CHECK(file["cache"]["0,0.0,128"]["time"] == "InvalidConfig");
  // One entry per line, as Kernel Tuner appends them.
  CHECK(split(text, '\n').size() == all_outcomes.size() + 3);
}

TEST_CASE("the keys of the Kernel Tuner cache are formatted like in Python") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  const sweep planned = make_sweep(into, 0);
  trial_result result = ok_result();
  for (const char* parameters :
       {R"({"a": 1e15, "b": 1e16, "c": 0.0001, "d": 0.00001, "e": 2.0, "f": -1.5e-7, "g": 0.1, "h": -3, "i": true})",
        R"({"a": 1, "b": 1.0, "c": 1.0, "d": 1.0, "e": 1.0, "f": 1.0, "g": 1.0, "h": 1, "i": false})"}) {
    const trial_key key{
        planned.workload, into.put_configuration({"sssp", parameters, ""}), planned.device, "source=0", "k", "time"};
    into.plan(planned.experiment, std::array{key});
    into.finish(into.claim(planned.experiment, planned.device, "w")->id, result);
    // A single configuration that worked can be reached from every configuration that worked.
    result = failed_result(outcome::timeout, "late");
  }
  const json file = json::parse(export_single(into, {}, export_format::kernel_tuner_cache));
  REQUIRE(file["cache"].size() == 2);
  CHECK(file["cache"].contains("1000000000000000.0,1e+16,0.0001,1e-05,2.0,-1.5e-07,0.1,-3,1"));
  CHECK(file["cache"].contains("1.0,1.0,1.0,1.0,1.0,1.0,1.0,1,0"));
}

TEST_CASE("the T4 file has all that its schema requires") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  make_results(into);
  const json file = json::parse(export_single(into, {}, export_format::t4));
  CHECK(file["schema_version"] == "1.0.0");
  CHECK(file["metadata"]["timeunit"] == "milliseconds");
  REQUIRE(file["results"].size() == all_outcomes.size());
  std::map<std::string, int> validity;
  for (const json& entry : file["results"]) {
    ++validity[entry["invalidity"]];
    CHECK(entry["configuration"].size() == 3);
    CHECK(entry["correctness"] == (entry["invalidity"] == "correct" ? 1 : 0));
    CHECK(entry["objectives"] == json::array({"time"}));
    for (const char* name : {"compilation", "benchmark", "framework", "search_algorithm", "validation"}) {
      CHECK(entry["times"][name].is_number());
    }
    CHECK(entry["times"]["runtimes"].is_array());
    for (const json& measurement : entry["measurements"]) {
      CHECK(measurement["name"].is_string());
      CHECK(measurement["unit"].is_string());
      CHECK((measurement["value"].is_number() || measurement["value"].is_string()));
    }
    if (entry["invalidity"] == "correct") {
      CHECK(entry["measurements"][0] == json{{"name", "time"}, {"value", 1.5}, {"unit", "ms"}});
    }
  }
  CHECK(validity ==
        std::map<std::string, int>{
            {"correct", 1}, {"compile", 1}, {"runtime", 3}, {"timeout", 1}, {"correctness", 1}, {"constraints", 1}});
}

TEST_CASE("csv has one column per parameter and one row per finished trial") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  make_results(into);
  const std::string text = export_single(into, {}, export_format::csv);
  const auto lines = split(text, '\n');
  REQUIRE(lines.size() == all_outcomes.size() + 3);  // header, counters trial, end of the last line
  for (const char* column : {"trial,problem,workload", "parameter.fence", "parameter.threshold", "counter.relaxations",
                             "median_ms", "outcome", "samples_ms"}) {
    CHECK_THAT(lines[0], Contains(column));
  }
  CHECK_THAT(text, Contains("\"configuration, 0\"") && Contains("\"[1.5,1.25,9.0]\""));
  CHECK(lines.back().empty());
}

TEST_CASE("several inputs make several files, and a filter selects one") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  const sweep planned = make_results(into);
  trial_key key = {into.put_workload(sample_workload("a/b c")), 1, planned.device, "source=0", "kernel-1", "time"};
  const std::int64_t second = into.put_experiment("second", "", "{}");
  into.plan(second, std::array{key});
  into.finish(into.claim(second, planned.device, "w")->id, ok_result());

  const auto files = export_files(into, {}, export_format::t4);
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "sssp_a_b_c_source_0_Test_GPU.t4.json");
  CHECK(export_files(into, {}, export_format::csv).size() == 1);
  trial_filter filter;
  filter.experiment = second;
  CHECK(json::parse(export_single(into, filter, export_format::t4))["results"].size() == 1);
  filter = {};
  filter.workload = planned.workload;
  filter.query = "source=7";
  filter.problem = "sssp";
  filter.device = planned.device;
  CHECK(json::parse(export_single(into, filter, export_format::t4))["results"].size() == all_outcomes.size());
}
