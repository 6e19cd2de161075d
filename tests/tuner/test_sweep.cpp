// SPDX-License-Identifier: Apache-2.0
// A sweep measures everything exactly once, even if it is interrupted.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "backends/kernel_sources.hpp"
#include "db/metrics.hpp"
#include "db/query.hpp"
#include "message.hpp"
#include "sweep_fixture.hpp"
#include "tests/support/environment.hpp"
#include "tuner/metrics.hpp"
#include "tuner/search_space.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;
using Catch::Matchers::StartsWith;

}  // namespace

TEST_CASE("every configuration is measured on every graph, and counted, once") {
  sweep_fixture setup;
  const in_process_summary summary = setup.sweep();
  CHECK_FALSE(summary.interrupted);
  CHECK(summary.progress.total == 24);
  CHECK(summary.progress.done == 24);
  CHECK(summary.progress.measured == 24);
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::ok, 24}});

  const auto counts = setup.run_counts();
  CHECK(counts.size() == 24);
  for (const auto& [trial, count] : counts) CHECK(count == (std::get<3>(trial) ? 1 : 3));
  // The vertex with the most edges: any but the ends of a path, and the middle of a star.
  for (const fake_run& run : setup.script.runs) CHECK(run.query == (run.workload == "path5" ? "source=1" : "source=0"));
  for (const fake_run& run : setup.script.runs) CHECK(run.time_limit_ms == 50);

  const auto finished = setup.finished();
  CHECK(finished.size() == 12);
  for (const auto& [name, trial] : finished) {
    CAPTURE(name);
    CHECK(trial.result == db::outcome::ok);
    REQUIRE(trial.median_ms.has_value());
    CHECK(*trial.median_ms == name[name.find("alpha=") + 6] - '0');
  }
}

TEST_CASE("samples and counters are recorded with their trials") {
  sweep_fixture setup;
  double time = 0;
  setup.script.on_run = [&](const fake_run& run) {
    run_report report = time_of(++time);
    if (run.mode == instrumentation::counters) report.counters = {{"things", 1000 + time}};
    return report;
  };
  const in_process_summary summary = setup.sweep();
  const db::training_data data = setup.store().training();
  REQUIRE(data.rows.size() == 12);
  for (const db::training_row& row : data.rows) {
    const std::vector<double> samples = setup.store().samples(row.trial);
    REQUIRE(samples.size() == 2);
    CHECK(samples[1] == samples[0] + 1);
    CHECK(setup.store().counters(row.trial).empty());
    const db::trial_key counting{.workload = row.workload,
                                 .configuration = row.configuration,
                                 .device = summary.device,
                                 .query = std::string(row.query),
                                 .kernel_source_hash = "kernels 1",
                                 .measurement = "counters"};
    const auto trial = setup.store().find_trial(counting);
    REQUIRE(trial.has_value());
    CHECK(setup.store().samples(*trial).empty());
    CHECK(setup.store().counters(*trial).at("things") > 1000);
  }
}

TEST_CASE("timelines are separate trials, on request") {
  std::string text = one_graph;
  text.insert(text.find("counters: false"), "timeline: true, ");
  sweep_fixture setup(text.c_str());
  setup.script.on_run = [](const fake_run& run) {
    run_report report = time_of(2);
    if (run.mode == instrumentation::timeline) {
      report.timeline = {{"vertices", 0, 7}, {"active_warps", 0, 3}, {"vertices", 0.5, 9}, {"active_warps", 0.5, 1}};
    }
    return report;
  };
  CHECK(setup.sweep().progress.total == 12);
  const db::table points = db::run_query(
      setup.store(),
      "SELECT t.measurement, p.name, p.ordinal, p.time_ms, p.value, count(*) FROM timeline p JOIN trial t ON "
      "t.id = p.trial GROUP BY 1, 2, 3, 4, 5 ORDER BY 2, 3");
  REQUIRE(points.rows.size() == 4);
  const auto row = [&](std::size_t i) {
    std::string line;
    for (const db::cell& cell : points.rows[i]) line += cell.text + " ";
    return line;
  };
  CHECK(row(0) == "timeline active_warps 0 0 3 6 ");  // one row per configuration, of which there are six
  CHECK(row(1) == "timeline active_warps 1 0.5 1 6 ");
  CHECK(row(2) == "timeline vertices 0 0 7 6 ");
  CHECK(row(3) == "timeline vertices 1 0.5 9 6 ");
  CHECK(setup.finished().size() == 6);  // these trials have no times
}

TEST_CASE("hardware counters and energy are separate trials, and say what the machine lacks") {
  const tests::environment no_cupti("MLMQ_CUPTI", "/nonexistent/libcupti.so");
  const tests::environment no_nvml("MLMQ_NVML", "/nonexistent/libnvidia-ml.so.1");
  std::string text = one_graph;
  text.insert(text.find("counters: false"), "hardware_counters: [dram, l2], energy: true, ");
  sweep_fixture setup(text.c_str());
  CHECK(setup.sweep().progress.total == 18);
  CHECK(setup.finished().size() == 6);
  const db::table outcomes = db::run_query(
      setup.store(), "SELECT measurement, outcome, message, count(*) FROM trial GROUP BY 1, 2, 3 ORDER BY 1");
  REQUIRE(outcomes.rows.size() == 3);
  CHECK(outcomes.rows[0][0].text == "energy");
  CHECK(outcomes.rows[0][1].text == "constraint");
  CHECK_THAT(outcomes.rows[0][2].text, StartsWith("energy: NVML"));
  CHECK(outcomes.rows[1][0].text == "hardware");
  CHECK(outcomes.rows[1][1].text == "constraint");
  CHECK_THAT(outcomes.rows[1][2].text, StartsWith("hardware counters: CUPTI cannot be opened"));
  CHECK(outcomes.rows[1][3].text == "6");
  CHECK(outcomes.rows[2][1].text == "ok");
}

TEST_CASE("hardware counters of the same configuration are values of a metric") {
  const tests::environment fake("MLMQ_CUPTI", MLMQ_TEST_FAKE_CUPTI);
  std::string text = one_graph;
  text.insert(text.find("counters: false"), "hardware_counters: [dram], ");
  text += "metrics: {traffic: dram_read_bytes / time_ms, joules: energy_mj / 1000}\n";
  sweep_fixture setup(text.c_str());
  CHECK(setup.sweep().progress.outcomes == outcome_counts{{db::outcome::ok, 12}});
  const experiment_file file = parse_experiment(text, "/x/test.yaml");
  const fake_problem problem(setup.script);
  const search_space space(file.space, problem.declarations(), problem.presets());
  const auto sources = db::read_metric_sources(setup.store(), setup.store().find_experiment("test").id);
  REQUIRE(sources.size() == 6);
  for (const db::metric_source& source : sources) {
    const workload_metrics formulas(file.metrics, space.parameters(), problem, setup.store().workload(source.workload));
    // The library counts 22. Energy has not been measured.
    CHECK(formulas.evaluate(source) == std::vector<std::pair<std::string, double>>{{"traffic", 22 / source.median_ms}});
  }
}

TEST_CASE("counters are compiled and run only on request") {
  sweep_fixture setup(one_graph);
  CHECK(setup.sweep().progress.total == 6);
  for (const fake_run& run : setup.script.runs) CHECK(run.mode == instrumentation::none);
  CHECK(setup.device.compiled() ==
        std::map<std::string, int>{{"alpha=1 counters=0", 1}, {"alpha=2 counters=0", 1}, {"alpha=3 counters=0", 1}});
}

TEST_CASE("a variant is compiled once for all graphs and launch-time parameters") {
  sweep_fixture setup;
  const in_process_summary summary = setup.sweep();
  CHECK(setup.device.compiled().size() == 6);
  for (const auto& [variant, times] : setup.device.compiled()) CHECK(times == 1);
  CHECK(summary.variants.variants == 6);
}

TEST_CASE("a graph is loaded once, the largest first, and its trials follow each other") {
  sweep_fixture setup;
  setup.sweep();
  CHECK(setup.script.loads == std::vector<std::string>{"star7", "path5"});
  std::vector<std::string> graphs;
  for (const fake_run& run : setup.script.runs) graphs.push_back(run.workload);
  CHECK(std::is_sorted(graphs.rbegin(), graphs.rend()));
}

TEST_CASE("bringing a graph to the device is charged to one trial of the graph") {
  sweep_fixture setup;
  setup.sweep();
  const db::table charged =
      db::run_query(setup.store(),
                    "SELECT workload, count(*) AS trials, sum(upload_ms > 0) AS charged FROM result "
                    "GROUP BY workload ORDER BY workload");
  REQUIRE(charged.rows.size() == 2);
  for (const auto& row : charged.rows) {
    CHECK(row.at(1).text == "12");
    CHECK(row.at(2).text == "1");
  }
}

TEST_CASE("every query of a workload is measured") {
  sweep_fixture setup((std::string(one_graph) + "queries: {count: 3, choose: first}\n").c_str());
  CHECK(setup.sweep().progress.total == 18);
  std::map<std::string, int> runs;
  for (const fake_run& run : setup.script.runs) ++runs[run.query];
  CHECK(runs == std::map<std::string, int>{{"source=0", 6}, {"source=1", 6}, {"source=2", 6}});
  CHECK(setup.script.loads.size() == 1);
}

TEST_CASE("graphs of the command line replace those of the experiment") {
  sweep_fixture setup;
  setup.options.workloads = {"cycle6"};
  CHECK(setup.sweep().progress.total == 12);
  CHECK(setup.script.loads == std::vector<std::string>{"cycle6"});
}

TEST_CASE("a finished sweep has nothing to do again") {
  sweep_fixture setup;
  setup.sweep();
  const std::size_t runs = setup.script.runs.size();
  setup.script.loads.clear();
  const in_process_summary again = setup.sweep();
  CHECK(again.progress.total == 24);
  CHECK(again.progress.done == 24);
  CHECK(again.progress.measured == 0);
  CHECK(again.progress.outcomes.empty());
  CHECK(setup.script.runs.size() == runs);
  CHECK(setup.script.loads.empty());
}

TEST_CASE("changed kernels are measured again") {
  sweep_fixture setup(one_graph);
  setup.sweep();
  setup.script.source_hash = "kernels 2";
  CHECK(setup.sweep().progress.measured == 6);
  CHECK(setup.script.runs.size() == 12);
}

TEST_CASE("changed kernels with the same instructions keep their results after one right run") {
  sweep_fixture setup;
  const std::string changed = "alpha=2";  // the variant that has other instructions in each version
  const temporary_folder kernels;
  const tests::environment variable("MLMQ_KERNELS", kernels.path().string());
  const auto write_sources = [&](const std::string& text) {
    kernels.write("fake.cu", text);
    setup.script.source_hash = backends::kernel_sources::load(kernels.path().string(), "fake.cu").code_hash();
  };
  setup.device.on_compile = [&](const backends::kernel_source& source) {
    const std::string text = text_of(source);
    const std::string& sources = setup.script.source_hash;
    backends::kernel_properties properties;
    properties.source_hash = sources + text;
    properties.instructions = text + (text.starts_with(changed) ? sources : "");
    return properties;
  };
  write_sources("version = 1;");
  setup.sweep();
  const auto before = setup.finished();
  setup.script.runs.clear();
  write_sources("version = 2;");
  setup.script.on_run = [](const fake_run&) { return time_of(100); };
  const auto runs_of = [&](const std::string& label) {
    return std::ranges::count_if(setup.script.runs, [&](const fake_run& run) {
      return run.workload == "path5" && run.label == label && run.mode == instrumentation::none;
    });
  };
  SECTION("equal instructions") {
    CHECK(setup.sweep().progress.measured == 24);
    CHECK(runs_of("alpha=1,beta=2") == 1);
    CHECK(runs_of("alpha=2,beta=2") == 3);
    const auto after = setup.finished();
    REQUIRE(after.size() == before.size());
    for (const auto& [name, summary] : after) {
      CAPTURE(name);
      const bool is_changed = name.find("alpha=2") != std::string::npos;
      CHECK(summary.median_ms == (is_changed ? 100 : before.at(name).median_ms));
      CHECK(summary.message.empty() == is_changed);
    }
    CHECK(setup.sweep().progress.measured == 0);
    CHECK(setup.progress().done == 24);
  }
  SECTION("an answer that is wrong now") {
    // Equal instructions may read another argument.
    setup.script.on_check = [](const fake_run&) { return "wrong"; };
    setup.sweep();
    CHECK(setup.outcomes().at("path5 alpha=1,beta=2") == db::outcome::wrong_answer);
  }
  SECTION("sources that are not only those of the variant") {
    setup.script.source_hash += " and others";
    setup.sweep();
    CHECK(runs_of("alpha=1,beta=2") == 3);
  }
}

TEST_CASE("unmeasured trials of other kernels are not measured under their name") {
  sweep_fixture setup(one_graph);
  setup.options.stop_requested = [&] { return setup.script.runs.size() == 2; };
  setup.sweep();
  setup.script.source_hash = "kernels 2";
  setup.options.stop_requested = [] { return false; };
  const in_process_summary changed = setup.sweep();
  // The two measured trials stay on record for the code that they ran, but only the six trials of today's code count.
  CHECK(changed.progress.measured == 6);
  CHECK(changed.progress.done == 6);
  CHECK(changed.progress.total == 6);
  CHECK(changed.other_code.count == 2);
  CHECK(setup.script.runs.size() == 8);
  // The former code becomes the newest again when one of its trials is finished; until then its unfinished trials
  // count.
  setup.script.source_hash = "kernels 1";
  setup.options.stop_requested = [&] { return setup.script.runs.size() == 8; };
  CHECK(setup.sweep().progress.total == 10);
  setup.options.stop_requested = [] { return false; };
  const in_process_summary former = setup.sweep();
  CHECK(former.progress.measured == 4);
  CHECK(former.progress.total == 6);
  CHECK(former.other_code.count == 6);
}

TEST_CASE("trials of code that has changed since they were planned are not measured") {
  sweep_fixture setup(one_graph);
  setup.script.on_check = [&](const fake_run&) {
    if (setup.script.checks == 2) setup.script.source_hash = "kernels 2";
    return "";
  };
  CHECK_THROWS_WITH(setup.sweep(), Catch::Contains("has changed since the sweep began; run the command again"));
  const std::size_t runs = setup.script.runs.size();
  CHECK(setup.progress().running == 0);
  CHECK(setup.progress().done > 0);
  CHECK(setup.progress().done < 6);
  CHECK(setup.sweep().progress.measured == 6);
  CHECK(setup.script.runs.size() == runs + 6);
}

TEST_CASE("a sweep stops between trials on request, and can be resumed") {
  sweep_fixture setup(one_graph);
  setup.options.stop_requested = [&] { return setup.script.runs.size() == 2; };
  const in_process_summary stopped = setup.sweep();
  CHECK(stopped.interrupted);
  CHECK(stopped.progress.done == 2);
  CHECK(stopped.progress.total == 6);
  CHECK(setup.progress().running == 0);
  setup.options.stop_requested = [] { return false; };
  const in_process_summary rest = setup.sweep();
  CHECK_FALSE(rest.interrupted);
  CHECK(rest.progress.measured == 4);
  CHECK(rest.progress.done == 6);
}

TEST_CASE("a sweep that is stopped before it starts has planned everything and measured nothing") {
  sweep_fixture setup(one_graph);
  setup.options.stop_requested = [] { return true; };
  const in_process_summary stopped = setup.sweep();
  CHECK(stopped.interrupted);
  CHECK(stopped.progress.total == 6);
  CHECK(stopped.progress.measured == 0);
  CHECK(stopped.progress.seconds_left() < 0);
  CHECK(setup.script.loads.empty());
}

TEST_CASE("progress counts up by one, and its numbers agree with each other") {
  sweep_fixture setup;
  std::vector<sweep_progress> reports;
  setup.options.on_progress = [&](const sweep_progress& now) { reports.push_back(now); };
  setup.script.on_check = [](const fake_run& run) { return run.label == "alpha=2,beta=2" ? "wrong" : ""; };
  const in_process_summary summary = setup.sweep();
  REQUIRE(reports.size() == 24);
  double elapsed = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const sweep_progress& now = reports[i];
    CHECK(now.total == 24);
    CHECK(now.done == i + 1);
    CHECK(now.measured == i + 1);
    std::size_t sum = 0;
    for (const auto& [how, count] : now.outcomes) sum += count;
    CHECK(sum == now.measured);
    CHECK(now.elapsed_s >= elapsed);
    CHECK(now.elapsed_s > 0);
    elapsed = now.elapsed_s;
    CHECK(now.per_second() == Approx(static_cast<double>(now.measured) / now.elapsed_s));
    CHECK(now.seconds_left() == Approx(static_cast<double>(24 - now.done) / now.per_second()).margin(1e-9));
    CHECK(now.workload == (i < 12 ? "star7" : "path5"));
  }
  CHECK(reports.back().seconds_left() == 0);
  CHECK(summary.progress.outcomes == reports.back().outcomes);
  CHECK(summary.total_ms / 1000 >= reports.back().elapsed_s);
  CHECK(summary.devices.at(0).kernels_ms > 0);
}

TEST_CASE("the best of a graph and source is the fastest right answer so far") {
  sweep_fixture setup((std::string(one_graph) + "queries: {count: 2, choose: first}\n").c_str());
  const std::map<std::string, double> times = {{"alpha=1,beta=1", 5}, {"alpha=1,beta=2", 7}, {"alpha=2,beta=1", 4},
                                               {"alpha=2,beta=2", 1}, {"alpha=3,beta=1", 4}, {"alpha=3,beta=2", 3}};
  setup.script.on_run = [&](const fake_run& run) {
    return time_of(times.at(run.label) + (run.query == "source=1" ? 100 : 0));
  };
  // The fastest is wrong; on the second source the first two are wrong as well.
  setup.script.on_check = [](const fake_run& run) {
    const bool wrong = run.label == "alpha=2,beta=2" || (run.query == "source=1" && run.label.starts_with("alpha=1"));
    return wrong ? "wrong" : "";
  };
  std::vector<std::pair<std::string, double>> bests;
  setup.options.on_progress = [&](const sweep_progress& now) {
    bests.emplace_back(now.best_label, now.best_value.value_or(0));
  };
  setup.sweep();
  const std::vector<std::pair<std::string, double>> expected = {{"alpha=1,beta=1", 5},
                                                                {"alpha=1,beta=1", 5},
                                                                {"alpha=2,beta=1", 4},
                                                                {"alpha=2,beta=1", 4},
                                                                {"alpha=2,beta=1", 4},
                                                                {"alpha=3,beta=2", 3},
                                                                {"", 0},
                                                                {"", 0},
                                                                {"alpha=2,beta=1", 104},
                                                                {"alpha=2,beta=1", 104},
                                                                {"alpha=2,beta=1", 104},
                                                                {"alpha=3,beta=2", 103}};
  CHECK(bests == expected);
}

TEST_CASE("unfinished trials on a graph that is not given now name it, and wait for it") {
  sweep_fixture setup(one_graph);
  setup.options.stop_requested = [&] { return setup.script.runs.size() == 2; };
  setup.sweep();
  setup.options.stop_requested = nullptr;
  setup.options.workloads = {"cycle6"};
  CHECK_THAT(message_of([&] { setup.sweep(); }), Catch::Contains("'path5'") && Catch::Contains("--workloads"));
  CHECK(setup.progress().running == 0);
  setup.options.workloads = {"cycle6", "path5"};
  const in_process_summary rest = setup.sweep();
  CHECK(rest.progress.done == 12);
  CHECK(setup.finished().size() == 12);
}

TEST_CASE("a graph that cannot be had is refused before anything is measured") {
  sweep_fixture setup(one_graph);
  setup.options.workloads = {"path5", "nonsense9"};
  CHECK_THAT(message_of([&] { setup.sweep(); }), Catch::Contains("nonsense9"));
  CHECK(setup.script.runs.empty());
}

TEST_CASE("several sweeps of one process read a graph once") {
  const temporary_folder folder;
  const std::filesystem::path graph = folder.path() / "edges.txt";
  std::ofstream(graph) << "0 1 2\n1 2 3\n";
  const experiment_file experiment = parse_experiment(one_graph, "/x/test.yaml");
  fake_script script;
  const fake_problem tuned_problem(script);
  const fake_backend device;
  db::store store = db::store::open(folder.path() / "test.db", db::open_mode::read_write_create);
  const std::vector<workload_input> graphs = listed(experiment, tuned_problem, {graph.string()});
  workload_cache cache;
  const auto plan = [&](const std::string& count, workload_cache* used) {
    std::vector<workload_input> inputs = graphs;
    inputs.front().queries = {query_rule{.settings = {{.name = "count", .values = {count}, .place = {}}}}};
    return plan_sweep(experiment, tuned_problem, std::vector{device.info()}, store, inputs, {}, {.cache = used});
  };
  const sweep_plan first = plan("1", &cache);
  std::filesystem::remove(graph);
  const sweep_plan second = plan("1", &cache);
  REQUIRE(second.workloads.size() == 1);
  CHECK(second.workloads.front().hash == first.workloads.front().hash);
  CHECK(cache.size() == 1);
  CHECK_THROWS_AS(plan("2", &cache), input_error);  // the queries differ
  CHECK_THROWS_AS(plan("1", nullptr), input_error);
}

TEST_CASE("a device is recorded with the facts that its results depend on") {
  fake_backend device;
  const db::device_record record = describe_device(device.info());
  CHECK(record.name == "Fake GPU");
  CHECK(record.kind == "cuda");
  CHECK(record.architecture == "sm_1");
  CHECK(record.multiprocessors == 4);
  CHECK(record.memory_bytes == 1 << 30);
  // A change of the driver does not make it another device.
  device.change_driver("driver 2");
  CHECK(describe_device(device.info()).hash() == record.hash());
}

TEST_CASE("a session says where the wall time of a worker went") {
  sweep_fixture setup;
  setup.sweep();
  const db::table session = db::run_query(
      setup.store(),
      "SELECT trials, wall_ms > 0, measure_ms > 0, load_ms > 0, record_ms > 0, prepare_ms > 0, idle_ms >= 0, "
      "wall_ms >= measure_ms + compile_ms + prepare_ms + record_ms + load_ms + upload_ms + check_ms + "
      "idle_ms FROM session");
  REQUIRE(session.rows.size() == 1);
  CHECK(session.rows[0][0].text == "24");
  for (std::size_t i = 1; i < 8; ++i) CHECK(session.rows[0][i].text == "1");
}

TEST_CASE("before every run the worker says for which trial, and by when it ends") {
  sweep_fixture setup(one_graph);
  const in_process_summary summary = setup.sweep();
  std::map<std::int64_t, std::vector<double>> promises;
  for (const worker_event& step : summary.steps) promises[step.trial].push_back(step.within_ms);
  CHECK(promises.size() == 6);
  std::size_t loads = 0;
  for (const auto& [trial, promised] : promises) {
    // The steps are preparing data, compiling, preparing the variant, running and checking; for the first trial, the
    // graph is also loaded.
    REQUIRE(promised.size() >= 5);
    loads += promised.size() - 5;
    // The limit of 50 ms, the time for the abort word, and the time the backend waits for the device.
    CHECK(promised[promised.size() - 2] == Approx(2 * 50 + 3000 + 100));
  }
  CHECK(loads == 1);
}
