// SPDX-License-Identifier: Apache-2.0
#include "db/exchange_formats.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "db/export.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::vector<tuned_configuration> configurations(const std::vector<const char*>& parameters) {
  std::vector<tuned_configuration> configurations;
  for (const char* text : parameters) {
    tuned_configuration& tuned = configurations.emplace_back();
    tuned.parameters = json::parse(text);
    tuned.label = std::string("label ") + text;
    tuned.median_ms = 1.5;
    tuned.samples_ms = {1, 2, 3};
    tuned.finished_at = "2026-11-23T00:00:00.000+00:00";
  }
  return configurations;
}

std::vector<std::string> names(const std::vector<parameter_column>& columns) {
  std::vector<std::string> names;
  for (const parameter_column& column : columns) names.push_back(column.name);
  return names;
}

const parameter_column& column(const parameter_table& table, const std::string& name) {
  for (const auto* columns : {&table.searched, &table.implied}) {
    for (const parameter_column& candidate : *columns) {
      if (candidate.name == name) return candidate;
    }
  }
  throw std::out_of_range(name);
}

/// Measures one trial of `planned`'s workload and device, with a kernel variant compiled from `defines`.
void measure(store& into, const sweep& planned, const char* parameters, const char* defines, double compile_ms) {
  const trial_key key{planned.workload, into.put_configuration({"sssp", parameters, ""}),
                      planned.device,   "source=7",
                      "kernel-1",       "time"};
  into.plan(planned.experiment, std::array{key});
  trial_result result = ok_result();
  result.variant = variant_record{.problem = "sssp",
                                  .defines_json = defines,
                                  .source_hash = "kernel-1",
                                  .compiler = "test",
                                  .architecture = "sm_90",
                                  .compile_ms = compile_ms,
                                  .from_cache = false,
                                  .registers = {},
                                  .shared_bytes = {}};
  into.finish(into.claim_trial(*into.find_trial(key), "w")->id, result);
}

}  // namespace

TEST_CASE("a parameter that is inactive somewhere gets a value that it has nowhere") {
  const parameter_table table = tabulate_parameters(configurations({
      R"({"l1": "vector", "batch": 0, "delta": 0.5, "fence": true})",
      R"({"l1": "vector", "batch": -1, "delta": 0.0, "fence": false})",
      R"({"l1": "vector", "batch": 8, "delta": 2, "fence": null})",
      R"({})",
      R"({"l1": "filter", "batch": 8})",
      R"({"l1": "inactive", "batch": 16})",
  }));
  CHECK(column(table, "batch").values == std::vector<json>{0, -1, 8, -2, 8, 16});
  CHECK(column(table, "batch").inactive == -2);
  CHECK(column(table, "fence").values == std::vector<json>{1, 0, -1, -1, -1, -1});
  CHECK(column(table, "delta").values == std::vector<json>{0.5, 0.0, 2.0, -1.0, -1.0, -1.0});
  for (const json& value : column(table, "delta").values) CHECK(value.is_number_float());
  CHECK(column(table, "l1").values ==
        std::vector<json>{"vector", "vector", "vector", "inactive_", "filter", "inactive"});
  CHECK(column(table, "l1").domain == std::vector<json>{"filter", "inactive", "inactive_", "vector"});
}

TEST_CASE("columns have one type, and names that mean nothing else to readers") {
  const parameter_table table = tabulate_parameters(configurations({
      R"({"capacity": "all", "time": 1})",
      R"({"capacity": 64, "time": 2})",
      R"({"capacity": 0.5, "time": 3})",
  }));
  CHECK(column(table, "capacity").values == std::vector<json>{"all", "64", "0.5"});
  CHECK(names(table.searched) == std::vector<std::string>{"capacity", "parameter_time"});
}

TEST_CASE("constant columns, and columns that follow from another one, are left out") {
  // Two configurations per solver; `lanes` is active for one solver only, and is always 4 there.
  const parameter_table table = tabulate_parameters(configurations({
      R"({"solver": "a", "lanes": 4, "threads": 64, "l0": "none"})",
      R"({"solver": "a", "lanes": 4, "threads": 128, "l0": "none"})",
      R"({"solver": "b", "threads": 64, "l0": "none"})",
      R"({"solver": "b", "threads": 128, "l0": "none"})",
      R"({"solver": "c", "threads": 64, "l0": "none"})",
      R"({"solver": "c", "threads": 128, "l0": "none"})",
  }));
  CHECK(names(table.searched) == std::vector<std::string>{"solver", "threads"});
  CHECK(names(table.implied) == std::vector<std::string>{"lanes"});
  CHECK(table.constants == json{{"l0", "none"}});
  CHECK(table.combinations(1000) == 6);
  CHECK(table.combinations(5) == 5);
  CHECK(table.key(3) == "b,128");
  CHECK_FALSE(table.has_equal_keys());
}

TEST_CASE("of a handful of configurations nothing is taken to follow from anything") {
  const parameter_table table = tabulate_parameters(configurations({
      R"({"a": 1, "b": 10, "c": 3})",
      R"({"a": 2, "b": 20, "c": 3})",
      R"({"a": 3, "b": 30, "c": 4})",
  }));
  CHECK(names(table.searched) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("keys that commas make equal are seen") {
  CHECK(
      tabulate_parameters(configurations({R"({"a": "x,y", "b": "z"})", R"({"a": "x", "b": "y,z"})"})).has_equal_keys());
}

TEST_CASE("steps that change one value connect a full space, but not one where values change together") {
  const parameter_table full = tabulate_parameters(
      configurations({R"({"a": 1, "b": 1})", R"({"a": 1, "b": 2})", R"({"a": 2, "b": 1})", R"({"a": 2, "b": 2})"}));
  CHECK(full.connects({0, 1, 2, 3}));
  CHECK(full.connects({0, 1, 3}));
  CHECK_FALSE(full.connects({0, 3}));
  CHECK(full.connects({2}));
}

TEST_CASE("a space too large for Kernel Tuner is searched by number, with a table of the numbers") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  const sweep planned = make_sweep(into, 0);
  // Eight parameters of twelve values each; any dependency between them is accidental.
  for (int i = 0; i < 12; ++i) {
    json parameters{{"l1", i % 2 == 0 ? "none" : "vector"}};
    for (int k = 1; k <= 8; ++k) parameters[fmt::format("p{}", k)] = i * (2 * k + 1) % 13;
    if (i % 2 == 1) parameters["batch"] = i;
    measure(into, planned, parameters.dump().c_str(), "{}", 5);
  }
  export_summary summary;
  const std::vector<exported_file> files = export_files(into, {}, export_format::kernel_tuner_cache, &summary);
  REQUIRE(files.size() == 2);
  CHECK(summary.trials == 12);
  CHECK(files[1].name == "sssp_road-ny_source_7_Test_GPU.configurations.csv");
  const json file = json::parse(files[0].content);
  CHECK(file["tune_params_keys"] == json{"configuration"});
  REQUIRE(file["tune_params"]["configuration"].size() == 12);
  CHECK(file["tune_params"]["configuration"][0] == "c01");
  REQUIRE(file["cache"].size() == 12);
  for (const auto& [key, entry] : file["cache"].items()) {
    CHECK(entry["configuration"] == key);
    CHECK(entry["batch"] == (entry["l1"] == "none" ? json(0) : entry["batch"]));
    CHECK_THAT(files[1].content, Contains(key + ","));
  }
  // An inactive parameter is an empty field in the table.
  CHECK_THAT(files[1].content, Contains("configuration,label,batch,l1,p1") && Contains(",,none,"));
}

TEST_CASE("a kernel that several configurations share was compiled once") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  const sweep planned = make_sweep(into, 0);
  measure(into, planned, R"({"delta": 1})", R"({"A": "1"})", 300);
  measure(into, planned, R"({"delta": 2})", R"({"A": "1"})", 300);
  measure(into, planned, R"({"delta": 3})", R"({"A": "2"})", 450);
  const json file = json::parse(export_single(into, {}, export_format::kernel_tuner_cache));
  double sum = 0;
  for (const json& entry : file["cache"]) sum += entry["compile_time"].get<double>();
  CHECK(sum == 750);
}

TEST_CASE("an input without any time has no file for Kernel Tuner, and is named") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  const sweep planned = make_sweep(into, 2);
  for (int i = 0; i < 2; ++i) {
    into.finish(into.claim(planned.experiment, planned.device, "w")->id, failed_result(outcome::timeout, "late"));
  }
  CHECK_THROWS_WITH(export_files(into, {}, export_format::kernel_tuner_cache), Contains("no configuration has a time"));
  CHECK(export_files(into, {}, export_format::t4).size() == 1);
  trial_key key{into.put_workload(sample_workload("other")), 1, planned.device, "source=0", "kernel-1", "time"};
  into.plan(planned.experiment, std::array{key});
  into.finish(into.claim(planned.experiment, planned.device, "w")->id, ok_result());
  export_summary summary;
  const std::vector<exported_file> files = export_files(into, {}, export_format::kernel_tuner_cache, &summary);
  CHECK(summary.without_result == std::vector<std::string>{"road-ny source=7 Test GPU"});
  REQUIRE(files.size() == 2);  // with one configuration, there is nothing to search but its number
  CHECK(json::parse(files[0].content)["tune_params"] == json{{"configuration", {"c1"}}});
}

TEST_CASE("nvbench's file has times in seconds, a state for each configuration and an axis for each parameter") {
  const temporary_folder folder;
  store into = store::open(folder / "sweep.db", open_mode::read_write_create);
  const sweep planned = make_sweep(into, 3);
  into.finish(into.claim(planned.experiment, planned.device, "w")->id, ok_result({2, 4}));
  into.finish(into.claim(planned.experiment, planned.device, "w")->id, failed_result(outcome::overflow, "full"));
  const json root = json::parse(export_single(into, {}, export_format::nvbench));
  CHECK(root["meta"]["version"]["json"]["string"] == "1.0.0");
  REQUIRE(root["devices"].size() == 1);
  CHECK(root["devices"][0]["name"] == "Test GPU");
  REQUIRE(root["benchmarks"].size() == 1);
  const json& benchmark = root["benchmarks"][0];
  CHECK(benchmark["name"] == "sssp road-ny:source=7");
  CHECK(benchmark["devices"] == json{0});
  REQUIRE(benchmark["axes"].size() == 1);
  CHECK(benchmark["axes"][0]["name"] == "delta");
  CHECK(benchmark["axes"][0]["type"] == "int64");
  REQUIRE(benchmark["states"].size() == 2);
  int skipped = 0;
  for (const json& state : benchmark["states"]) {
    CHECK(state["axis_values"][0]["value"].is_string());
    if (state["is_skipped"].get<bool>()) {
      ++skipped;
      CHECK(state["skip_reason"] == "overflow: full");
      continue;
    }
    std::map<std::string, std::string> values;
    for (const json& summary : state["summaries"]) values[summary["tag"]] = summary["data"][0]["value"];
    CHECK(values.at("nv/cold/sample_size") == "2");
    CHECK(std::stod(values.at("nv/cold/time/gpu/mean")) == 0.003);
    CHECK(std::stod(values.at("nv/cold/time/gpu/median")) == 0.003);
    CHECK(std::stod(values.at("nv/cold/time/gpu/stdev/relative")) == Approx(std::sqrt(2.0) / 3));
  }
  CHECK(skipped == 1);
}
