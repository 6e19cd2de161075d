// SPDX-License-Identifier: Apache-2.0
#include "db/store.hpp"
#include "db/text_pool.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "db/code.hpp"
#include "db/query.hpp"
#include "db/recorded.hpp"
#include "db/status.hpp"
#include "db/worker.hpp"
#include "tests/db/fixture.hpp"

using namespace mlmq;
using namespace mlmq::db;
using namespace mlmq::db::test;
using Catch::Matchers::Contains;

namespace {

store open_in(const temporary_folder& folder) { return store::open(folder / "sweep.db", open_mode::read_write_create); }

std::string single_text(const store& database, const std::string& sql) {
  return run_query(database, sql).rows.at(0).at(0).text;
}

}  // namespace

TEST_CASE("outcomes have names that read back") {
  for (const outcome value : all_outcomes) CHECK(outcome_from(to_string(value)) == value);
  CHECK_THROWS_WITH(outcome_from("time-out"), Contains("'time-out'") && Contains("did you mean 'timeout'"));
}

TEST_CASE("hashes depend on the content, not on how the JSON is written") {
  const configuration_record first{"sssp", R"({"a": 1, "b": 2})", "x"};
  const configuration_record same{"sssp", R"({"b":2,"a":1})", "other label"};
  const configuration_record other{"bfs", R"({"a": 1, "b": 2})", "x"};
  CHECK(first.hash() == same.hash());
  CHECK(first.hash() != other.hash());
  CHECK_THROWS_AS((configuration_record{"sssp", "{", ""}.hash()), input_error);

  device_record device = sample_device();
  const std::string hash = device.hash();
  device.memory_bytes -= 1000;
  device.description_json = "{}";
  CHECK(device.hash() == hash);
  device.multiprocessors = 16;
  CHECK(device.hash() != hash);
  device_record simulated{"simt", "simt", true, "simt", 0, 4, R"({"dram": 400})"};
  device_record cheaper = simulated;
  cheaper.description_json = R"({"dram": 300})";
  CHECK(simulated.hash() != cheaper.hash());
}

TEST_CASE("workloads are listed with their features, which are read by name") {
  const temporary_folder folder;
  store sweep = open_in(folder);
  CHECK(sweep.workloads().empty());
  workload_record second = sample_workload();
  second.hash = std::string(32, 'f');
  second.name = "a first name";
  sweep.put_workload(sample_workload());
  sweep.put_workload(second);
  const std::vector<workload_record> workloads = sweep.workloads();
  REQUIRE(workloads.size() == 2);
  CHECK(workloads[0].name == "a first name");
  CHECK(workloads[1].hash == sample_workload().hash);
  CHECK(workloads[1].features == workloads[0].features);
  CHECK(workloads[1].feature("avg_degree") == 2.77);
  CHECK_FALSE(workloads[1].feature("hops").has_value());
  const std::vector<std::string_view> names{"max_degree", "avg_degree"};
  CHECK(workloads[1].features_named(names) == std::vector<double>{workloads[1].feature("max_degree").value(), 2.77});
  const std::vector<std::string_view> more{"avg_degree", "hops"};
  CHECK_THROWS_WITH(workloads[1].features_named(more), Catch::Contains(workloads[1].name) &&
                                                           Catch::Contains("'hops'") &&
                                                           Catch::Contains("mlmq db features"));
}

TEST_CASE("putting the same thing twice gives the same row") {
  const temporary_folder folder;
  store sweep = open_in(folder);
  CHECK(sweep.put_device(sample_device()) == sweep.put_device(sample_device()));
  CHECK(sweep.put_host({"node1", "{}"}) == sweep.put_host({"node1", "{}"}));
  workload_record workload = sample_workload();
  const std::int64_t id = sweep.put_workload(workload);
  workload.origin = "/moved/road-ny.mtx";
  workload.features.emplace_back("std_degree", 0.98);
  workload.features[1].second = 9;
  CHECK(sweep.put_workload(workload) == id);
  const workload_record read = sweep.workload(id);
  CHECK(read.origin == "/moved/road-ny.mtx");
  CHECK(read.workload_class == "road");
  CHECK(read.features ==
        std::vector<std::pair<std::string, double>>{{"avg_degree", 2.77}, {"max_degree", 9}, {"std_degree", 0.98}});
  CHECK(sweep.put_configuration(sample_configuration(1)) == sweep.put_configuration(sample_configuration(1)));
  CHECK(sweep.put_configuration(sample_configuration(1)) != sweep.put_configuration(sample_configuration(2)));
  CHECK(sweep.put_experiment("a", "text", "{}") == sweep.put_experiment("a", "text", "{ }"));
  CHECK(sweep.put_experiment("a", "text", "{}") != sweep.put_experiment("a", "changed", "{}"));
  CHECK(single_text(sweep, "SELECT count(*) FROM configuration") == "2");
  CHECK_THROWS_AS(sweep.put_experiment("a", "text", "{"), input_error);
}

TEST_CASE("a rerun plans nothing new, and a finished trial is shared by experiments") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 4);
  CHECK(into.plan(planned.experiment, planned.keys) == 0);
  const auto claimed = into.claim(planned.experiment, planned.device, "w");
  REQUIRE(claimed);
  CHECK(into.finish(claimed->id, ok_result()));

  const std::int64_t second = into.put_experiment("second", "other space", "{}");
  std::vector<trial_key> keys = planned.keys;
  keys.push_back(keys.front());  // the same trial twice in one plan is still one trial
  keys.push_back(keys.front());
  keys.back().measurement = "counters";
  keys.push_back(keys.front());
  keys.back().kernel_source_hash = "kernel-2";
  CHECK(into.plan(second, keys) == 2);
  const progress counts = into.experiment_progress(second);
  CHECK(counts.total == 6);
  CHECK(counts.done == 1);
  CHECK(counts.pending == 5);
  CHECK(into.experiment_progress(planned.experiment).total == 4);
  CHECK(into.find_trial(keys.front()) == claimed->id);
  trial_key unknown = keys.front();
  unknown.query = "source=8";
  CHECK_FALSE(into.find_trial(unknown));
}

TEST_CASE("the trials of an experiment on one input are listed in the order of the plan, whatever their state") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 3);
  const trial_key& first = planned.keys.front();
  trial_key elsewhere = first;
  elsewhere.query = "source=9";
  into.plan(planned.experiment, std::array{elsewhere});
  std::vector<std::int64_t> expected;
  for (const trial_key& key : planned.keys) expected.push_back(*into.find_trial(key));
  const auto listed = [&] {
    return into.planned_trials(planned.experiment, first.workload, first.query, first.device);
  };
  const auto ids = [&] {
    std::vector<std::int64_t> listed_ids;
    for (const planned_trial& trial : listed()) listed_ids.push_back(trial.id);
    return listed_ids;
  };
  CHECK(ids() == expected);
  CHECK_FALSE(listed().front().done);
  CHECK(listed().front().configuration == first.configuration);
  CHECK(listed().front().measurement == "time");
  REQUIRE(into.claim_trial(expected.front(), "w"));
  into.finish(expected.front(), failed_result(outcome::timeout, "late"));
  CHECK(ids() == expected);
  CHECK(listed().front().done);
  CHECK_FALSE(listed().back().done);
  CHECK(into.planned_trials(planned.experiment, first.workload, "source=9", first.device).size() == 1);
  CHECK(into.planned_trials(planned.experiment + 1, first.workload, first.query, first.device).empty());
}

TEST_CASE("trials are claimed workload by workload, and the loaded workload comes first") {
  const temporary_folder folder;
  store into = open_in(folder);
  sweep planned = make_sweep(into, 2);
  const std::int64_t other_graph = into.put_workload(sample_workload("social"));
  std::vector<trial_key> keys = planned.keys;
  for (trial_key& key : keys) key.workload = other_graph;
  into.plan(planned.experiment, keys);
  trial_key counters = planned.keys[0];
  counters.measurement = "counters";
  into.plan(planned.experiment, std::array{counters});

  claim_options options;
  options.measurement = "time";
  const auto next = into.upcoming(planned.experiment, planned.device, 10, options);
  REQUIRE(next.size() == 4);
  CHECK(next[0].workload == planned.workload);
  CHECK(next[1].workload == planned.workload);
  CHECK(next[0].configuration < next[1].configuration);
  CHECK(next[2].workload == other_graph);
  options.preferred_workload = other_graph;
  CHECK(into.upcoming(planned.experiment, planned.device, 3, options)[2].workload == planned.workload);

  const auto claimed = into.claim(planned.experiment, planned.device, this_worker(), options);
  REQUIRE(claimed);
  CHECK(claimed->workload == other_graph);
  CHECK(claimed->workload_name == "social");
  CHECK(claimed->workload_origin == "/workloads/social.mtx");
  CHECK(claimed->problem == "sssp");
  CHECK(claimed->parameters_json == R"({"delta":0,"l2":"bucket"})");
  CHECK(claimed->label == "bucket 0");
  CHECK(claimed->query == "source=7");
  CHECK(claimed->attempt == 1);
  CHECK(claimed->kernel_source_hash == "kernel-1");
  CHECK_FALSE(into.claim_trial(claimed->id, this_worker()));
  CHECK_FALSE(into.claim(planned.experiment, planned.device + 1, this_worker()));
  CHECK(into.claim_trial(into.upcoming(planned.experiment, planned.device, 1)[0].id, this_worker()));
}

TEST_CASE("a result is kept with everything that belongs to it") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 1);
  const std::int64_t trial = into.claim(planned.experiment, planned.device, this_worker())->id;
  trial_result result = ok_result({3, 1, 2, 10});
  result.counters = {{"relaxations", 1e9}, {"pops", 5}};
  result.timeline = {{"queue", 0.1, 5}, {"queue", 0.2, 7}, {"busy", 0.1, 32}};
  result.variant = variant_record{"sssp", R"({"WB":"8"})", "kernel-1", "nvrtc 12.4", "sm_90", 40, false, 64, 2048};
  result.host = into.put_host({"node1", R"({"cpu":"x"})"});
  result.seed = std::numeric_limits<std::uint64_t>::max();
  result.environment_json = R"({"sm_clock_mhz": 1980})";
  CHECK(into.finish(trial, result));
  CHECK_FALSE(into.finish(trial, failed_result(outcome::timeout, "late")));

  CHECK(into.samples(trial) == std::vector<double>{3, 1, 2, 10});
  CHECK(into.counters(trial) == std::map<std::string, double>{{"pops", 5}, {"relaxations", 1e9}});
  const auto summary = into.summary(trial);
  REQUIRE(summary);
  CHECK(summary->result == outcome::ok);
  CHECK(summary->median_ms == 2.5);
  CHECK(single_text(into, "SELECT seed FROM result") == "18446744073709551615");
  CHECK(single_text(into,
                    "SELECT registers || ' ' || shared_bytes || ' ' || compiler || ' ' || host FROM "
                    "result") == "64 2048 nvrtc 12.4 node1");
  CHECK(single_text(into, "SELECT counters FROM result") == R"({"pops":5.0,"relaxations":1000000000.0})");
  CHECK(single_text(into, "SELECT value FROM timeline WHERE name = 'queue' AND ordinal = 1") == "7");
}

TEST_CASE("a variant keeps the time of its real compilation") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 3);
  const auto finish_with = [&](double compile_ms, bool from_cache) {
    trial_result result = ok_result();
    result.variant = variant_record{"sssp", "{}", "kernel-1", "nvrtc", "sm_90", compile_ms, from_cache, {}, {}};
    into.finish(into.claim(planned.experiment, planned.device, "w")->id, result);
    return single_text(into, "SELECT compile_ms || ' ' || from_cache FROM kernel_variant");
  };
  CHECK(finish_with(0.5, true) == "0.5 1");
  CHECK(finish_with(40, false) == "40.0 0");
  CHECK(finish_with(0.4, true) == "40.0 0");
}

TEST_CASE("results that make no sense are refused and leave the trial running") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 1);
  const std::int64_t trial = into.claim(planned.experiment, planned.device, "w")->id;
  CHECK_THROWS_AS(into.finish(trial, ok_result({})), std::invalid_argument);
  CHECK_THROWS_AS(into.finish(trial, ok_result({-1})), std::invalid_argument);
  CHECK_THROWS_AS(into.finish(trial, ok_result({std::nan("")})), std::invalid_argument);
  CHECK_THROWS_AS(into.finish(trial + 1, ok_result()), std::invalid_argument);
  trial_result result = ok_result();
  result.counters = {{"x", std::numeric_limits<double>::infinity()}};
  CHECK_THROWS_AS(into.finish(trial, result), std::invalid_argument);
  result = ok_result();
  result.environment_json = "{";
  CHECK_THROWS_AS(into.finish(trial, result), input_error);
  CHECK(into.experiment_progress(planned.experiment).running == 1);
  CHECK(single_text(into, "SELECT count(*) FROM sample") == "0");
}

TEST_CASE("failures are results without a time") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, static_cast<int>(all_outcomes.size()));
  for (const outcome kind : all_outcomes) {
    trial_result result = kind == outcome::ok ? ok_result({2}) : failed_result(kind, "why");
    if (kind == outcome::wrong_answer) result.samples_ms = {0.5};
    into.finish(into.claim(planned.experiment, planned.device, "w")->id, result);
  }
  const progress counts = into.experiment_progress(planned.experiment);
  CHECK(counts.done == all_outcomes.size());
  for (const outcome kind : all_outcomes) CHECK(counts.outcomes.at(kind) == 1);
  CHECK(single_text(into, "SELECT count(*) FROM trial WHERE median_ms IS NOT NULL") == "1");
  CHECK(single_text(into, "SELECT count(*) || ' ' || max(relative_performance) FROM relative") == "1 1.0");
  CHECK(single_text(into, "SELECT count(*) FROM sample") == "2");

  CHECK(retry_all(into, planned.experiment, {outcome::wrong_answer, outcome::crashed}) == 2);
  CHECK(into.experiment_progress(planned.experiment).pending == 2);
  CHECK(single_text(into, "SELECT count(*) FROM sample") == "1");
  CHECK(retry_all(into, planned.experiment, {outcome::ok}) == 0);
}

TEST_CASE("views, counts and training rows show the newest kernel code unless another is chosen") {
  const temporary_folder folder;
  store into = open_in(folder);
  sweep planned = make_sweep(into, 2);
  for (const double time : {2.0, 8.0}) {
    into.finish(into.claim(planned.experiment, planned.device, "w")->id, ok_result({time}));
  }
  CHECK(single_text(into, "SELECT group_concat(relative_performance) FROM relative") == "1.0,0.25");

  // A changed kernel makes the first configuration slower: earlier times of both configurations no longer count.
  trial_key changed = planned.keys[0];
  changed.kernel_source_hash = "kernel-2";
  const std::int64_t second = into.put_experiment("second", "", "{}");
  into.plan(second, std::array{changed});
  into.finish(into.claim(second, planned.device, "w")->id, ok_result({16}));
  CHECK(single_text(into, "SELECT min(median_ms) || ' ' || max(best_ms) FROM relative") == "16.0 16.0");
  CHECK(single_text(into, "SELECT group_concat(DISTINCT kernel_source_hash) FROM result") == "kernel-2");
  CHECK(into.experiment_progress(planned.experiment).total == 0);
  trial_key waiting = changed;
  waiting.kernel_source_hash = "kernel-1";
  waiting.query = "source=8";
  into.plan(planned.experiment, std::array{waiting});
  CHECK(into.experiment_progress(planned.experiment).pending == 1);
  CHECK(into.training().rows.size() == 1);
  CHECK(finished_trials(into, {}).size() == 1);
  const hidden_trials hidden = count_hidden_trials(into);
  CHECK((hidden.count == 2 && hidden.versions == 1));
  CHECK(count_hidden_trials(into, second).count == 0);
  CHECK(hidden_trials_text(hidden) == "2 finished trials of other kernel code (1 version) are left out");
  CHECK_THAT(render(read_status(into)), Contains("2 finished trials of other kernel code"));

  const auto code = [&](const std::string& choice) { return store::open_record(folder / "sweep.db", choice); };
  CHECK(finished_trials(code("kernel-1"), {}).size() == 2);
  CHECK(count_hidden_trials(code("kernel-1")).count == 1);
  CHECK_THROWS_WITH(code("kernel-"), Contains("several versions match") && Contains("kernel-1, kernel-2"));
  CHECK_THROWS_WITH(code("9'"), Contains("no trial has the kernel code '9''") && Contains("kernel-1, kernel-2"));
  const store whole = code("all");
  CHECK(count_hidden_trials(whole).count == 0);
  CHECK(hidden_trials_text({}).empty());
  // The newest result of a configuration counts.
  CHECK(single_text(whole, "SELECT min(median_ms) || ' ' || max(best_ms) FROM relative") == "8.0 8.0");
  CHECK(single_text(whole, "SELECT count(*) FROM result") == "3");
  const training_data rows_of_all_code = whole.training();
  REQUIRE(rows_of_all_code.rows.size() == 2);
  std::set<double> relatives;
  for (const training_row& row : rows_of_all_code.rows) relatives.insert(row.relative);
  CHECK(relatives == std::set<double>{0.5, 1.0});
  REQUIRE(rows_of_all_code.workloads.size() == 1);
  CHECK(rows_of_all_code.workloads.begin()->second.features.size() == 2);

  trial_filter filter;
  filter.experiment = planned.experiment;
  relatives.clear();
  for (const training_row& row : whole.training(filter).rows) relatives.insert(row.relative);
  CHECK(relatives == std::set<double>{0.25, 1.0});
  filter.problem = "bfs";
  CHECK(whole.training(filter).rows.empty());
}

TEST_CASE("kernel code is superseded on one device, by code that finished a trial later") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 2);
  device_record other = sample_device();
  other.name = "Other GPU";
  const auto measure = [&](trial_key key, const std::string& code, const std::string& experiment = "again",
                           const std::string& settings = "{}") {
    key.kernel_source_hash = code;
    into.plan(into.put_experiment(experiment, "", settings), std::array{key});
    into.finish(into.claim_trial(into.find_trial(key).value(), "w").value().id, ok_result());
  };
  const auto shown = [&] {
    return single_text(into,
                       "SELECT group_concat(kernel_source_hash, ' ') FROM (SELECT kernel_source_hash FROM "
                       "current_trial WHERE state = 'done' ORDER BY kernel_source_hash)");
  };
  trial_key elsewhere = planned.keys[0];
  elsewhere.device = into.put_device(other);
  measure(elsewhere, "kernel-1");
  measure(planned.keys[0], "kernel-1");
  measure(planned.keys[1], "kernel-1");
  // Code of another kernel has no configuration in common with this code.
  trial_key unrelated = planned.keys[0];
  unrelated.configuration = into.put_configuration(sample_configuration(99));
  measure(unrelated, "another-kernel");
  CHECK(shown() == "another-kernel kernel-1 kernel-1 kernel-1");
  // An interleaved comparison does not count as a version of the code.
  measure(planned.keys[0], "in-turns", "comparison", R"({"interleaved": true})");
  CHECK(shown() == "another-kernel in-turns kernel-1 kernel-1 kernel-1");
  measure(planned.keys[0], "kernel-2");
  CHECK(shown() == "another-kernel in-turns kernel-1 kernel-2");
  // Both configurations were measured with the older code, and one with the newer.
  CHECK(count_hidden_trials(into).count == 2);
}

TEST_CASE("training rows hold failures with relative performance 0") {
  const temporary_folder folder;
  store into = open_in(folder);
  const sweep planned = make_sweep(into, 2);
  into.finish(into.claim(planned.experiment, planned.device, "w")->id, failed_result(outcome::overflow, "full"));
  into.finish(into.claim(planned.experiment, planned.device, "w")->id, ok_result({4}));
  for (const training_row& row : into.training().rows) {
    CHECK(row.relative == (row.result == outcome::ok ? 1.0 : 0.0));
    CHECK(row.median_ms.has_value() == (row.result == outcome::ok));
    CHECK(row.device_hash == sample_device().hash());
  }
}

TEST_CASE("counters are shown by name") {
  const temporary_folder folder;
  store into = open_in(folder);
  sweep planned = make_sweep(into, 1);
  trial_key key = planned.keys[0];
  key.measurement = "counters";
  into.plan(planned.experiment, std::array{key});
  trial_result result;
  result.counters = {{"relaxations", 2.0 * 733846}};
  into.finish(into.claim_trial(*into.find_trial(key), "w")->id, result);
  CHECK(single_text(into, "SELECT value FROM work_count WHERE counter = 'relaxations'") == "1467692");
}

TEST_CASE("numbers that SQLite cannot hold are refused") {
  const temporary_folder folder;
  store into = open_in(folder);
  workload_record workload = sample_workload();
  workload.bytes = std::uint64_t{1} << 63;
  CHECK_THROWS_AS(into.put_workload(workload), input_error);
}

TEST_CASE("experiments are found by name") {
  const temporary_folder folder;
  store into = open_in(folder);
  CHECK_THROWS_WITH(into.find_experiment("fig7"), Contains("the database has no experiments"));
  const std::int64_t first = into.put_experiment("figure7", "v1", "{}");
  const std::int64_t second = into.put_experiment("figure7", "v2", "{}");
  CHECK(into.find_experiment("figure7").id == second);
  CHECK(into.find_experiment("figure7").space_text == "v2");
  CHECK(into.experiments().size() == 2);
  CHECK(first != second);
  CHECK_THROWS_WITH(into.find_experiment("figure8"), Contains("did you mean 'figure7'?"));
  CHECK_THROWS_AS(into.find_experiment("figure8"), input_error);
}

TEST_CASE("texts that rows share are stored once, also after the rows have moved") {
  text_pool texts;
  const std::string_view first = texts.share("a text that is too long for the inside of a string");
  const std::string copy(first);
  CHECK(texts.share(copy).data() == first.data());
  CHECK(texts.share("").empty());
  for (int i = 0; i < 1000; ++i) CHECK(texts.share(std::to_string(i)) == std::to_string(i));
  const text_pool moved = std::move(texts);
  CHECK(moved.size() == 1002);
  CHECK(first == copy);
}
