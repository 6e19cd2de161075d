// SPDX-License-Identifier: Apache-2.0
// A sweep measures everything once, whatever happens on the way.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "db/query.hpp"
#include "fakes.hpp"
#include "in_process.hpp"
#include "message.hpp"
#include "tuner/measurement.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;
using outcome_counts = std::map<db::outcome, std::size_t>;

/// Two graphs, six configurations, one source each: 12 timed trials, and as many with counters.
constexpr const char* two_graphs = R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1, 2]}
graphs: [{generate: path5}, {generate: star7}]
measurement: {warmup: 1, repeats: 2, time_limit_ms: 50, counters: true, seed: 1}
)";

constexpr const char* one_graph = R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1, 2]}
graphs: [{generate: path5}]
measurement: {warmup: 0, repeats: 1, time_limit_ms: 50, counters: false, seed: 1}
)";

/// A database, a fake device and a fake problem; each call of sweep() is what a new process would do.
class bench {
 public:
  explicit bench(const char* experiment = two_graphs) : experiment_(parse_experiment(experiment, "/x/test.yaml")) {}

  fake_backend device;
  fake_script script;
  in_process_options options;

  in_process_summary sweep() { return sweep_in_process(experiment_, fake_problem(script), device, store_, options); }

  /// The finished timed trials: "graph configuration" to what became of it.
  [[nodiscard]] std::map<std::string, db::trial_summary> finished() const {
    std::map<std::string, db::trial_summary> all;
    const db::training_data data = store_.training();
    for (const db::training_row& row : data.rows) {
      const std::string name = data.graphs.at(row.graph).name + " " + row.label;
      const bool is_first = all.emplace(name, store_.summary(row.trial).value()).second;
      CHECK(is_first);
    }
    return all;
  }
  /// The outcomes of timed trials, for each configuration.
  [[nodiscard]] std::map<std::string, db::outcome> outcomes() const {
    std::map<std::string, db::outcome> all;
    for (const auto& [name, summary] : finished()) all.emplace(name, summary.result);
    return all;
  }
  [[nodiscard]] const db::store& store() const { return store_; }
  [[nodiscard]] db::progress progress() const { return store_.experiment_progress(store_.find_experiment("test").id); }
  /// How often each trial was run, by graph, configuration, source and kind.
  [[nodiscard]] std::map<std::tuple<std::string, std::string, graph::vertex_id, bool>, int> run_counts() const {
    std::map<std::tuple<std::string, std::string, graph::vertex_id, bool>, int> counts;
    for (const fake_run& run : script.runs) {
      ++counts[{run.graph, run.label, run.source, run.what == instrumentation::counters}];
    }
    return counts;
  }

 private:
  temporary_folder folder_;
  experiment_file experiment_;
  db::store store_ = db::store::open(folder_.path() / "test.db", db::open_mode::read_write_create);
};

run_report time_of(double milliseconds) {
  run_report report;
  report.milliseconds = milliseconds;
  return report;
}

}  // namespace

TEST_CASE("every configuration is measured on every graph, and counted, once") {
  bench b;
  const in_process_summary summary = b.sweep();
  CHECK_FALSE(summary.interrupted);
  CHECK(summary.progress.total == 24);
  CHECK(summary.progress.done == 24);
  CHECK(summary.progress.measured == 24);
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::ok, 24}});

  const auto counts = b.run_counts();
  CHECK(counts.size() == 24);
  for (const auto& [trial, count] : counts) CHECK(count == (std::get<3>(trial) ? 1 : 3));
  // The vertex with most edges: any but the ends of a path, the middle of a star.
  for (const fake_run& run : b.script.runs) CHECK(run.source == (run.graph == "path5" ? 1 : 0));
  for (const fake_run& run : b.script.runs) CHECK(run.time_limit_ms == 50);

  const auto finished = b.finished();
  CHECK(finished.size() == 12);
  for (const auto& [name, trial] : finished) {
    CAPTURE(name);
    CHECK(trial.result == db::outcome::ok);
    REQUIRE(trial.median_ms.has_value());
    CHECK(*trial.median_ms == name[name.find("alpha=") + 6] - '0');
  }
}

TEST_CASE("samples and counters are recorded with their trials") {
  bench b;
  double time = 0;
  b.script.on_run = [&](const fake_run& run) {
    run_report report = time_of(++time);
    if (run.what == instrumentation::counters) report.counters = {{"things", 1000 + time}};
    return report;
  };
  const in_process_summary summary = b.sweep();
  const db::training_data data = b.store().training();
  REQUIRE(data.rows.size() == 12);
  for (const db::training_row& row : data.rows) {
    const std::vector<double> samples = b.store().samples(row.trial);
    REQUIRE(samples.size() == 2);
    CHECK(samples[1] == samples[0] + 1);
    CHECK(b.store().counters(row.trial).empty());
    const db::trial_key counting{.graph = row.graph,
                                 .configuration = row.configuration,
                                 .device = summary.device,
                                 .source = row.source,
                                 .kernel_source_hash = "kernels 1",
                                 .measurement = "counters"};
    const auto trial = b.store().find_trial(counting);
    REQUIRE(trial.has_value());
    CHECK(b.store().samples(*trial).empty());
    CHECK(b.store().counters(*trial).at("things") > 1000);
  }
}

TEST_CASE("timelines are trials of their own, when asked for") {
  std::string text = one_graph;
  text.insert(text.find("counters: false"), "timeline: true, ");
  bench b(text.c_str());
  b.script.on_run = [](const fake_run& run) {
    run_report report = time_of(2);
    if (run.what == instrumentation::timeline) {
      report.timeline = {{"vertices", 0, 7}, {"active_warps", 0, 3}, {"vertices", 0.5, 9}, {"active_warps", 0.5, 1}};
    }
    return report;
  };
  CHECK(b.sweep().progress.total == 12);
  const db::table points = db::run_query(
      b.store(),
      "SELECT t.measurement, p.name, p.ordinal, p.time_ms, p.value, count(*) FROM timeline p JOIN trial t ON "
      "t.id = p.trial GROUP BY 1, 2, 3, 4, 5 ORDER BY 2, 3");
  REQUIRE(points.rows.size() == 4);
  const auto row = [&](std::size_t i) {
    std::string all;
    for (const db::cell& cell : points.rows[i]) all += cell.text + " ";
    return all;
  };
  CHECK(row(0) == "timeline active_warps 0 0 3 6 ");  // of each of six configurations
  CHECK(row(1) == "timeline active_warps 1 0.5 1 6 ");
  CHECK(row(2) == "timeline vertices 0 0 7 6 ");
  CHECK(row(3) == "timeline vertices 1 0.5 9 6 ");
  CHECK(b.finished().size() == 6);  // they give no times
}

TEST_CASE("counters are compiled and run only when asked for") {
  bench b(one_graph);
  CHECK(b.sweep().progress.total == 6);
  for (const fake_run& run : b.script.runs) CHECK(run.what == instrumentation::none);
  CHECK(b.device.compiled() ==
        std::map<std::string, int>{{"alpha=1 counters=0", 1}, {"alpha=2 counters=0", 1}, {"alpha=3 counters=0", 1}});
}

TEST_CASE("a variant is compiled once for all graphs and launch-time parameters") {
  bench b;
  const in_process_summary summary = b.sweep();
  CHECK(b.device.compiled().size() == 6);
  for (const auto& [variant, times] : b.device.compiled()) CHECK(times == 1);
  CHECK(summary.variants.variants == 6);
}

TEST_CASE("a graph is loaded once, and its trials follow each other") {
  bench b;
  b.sweep();
  CHECK(b.script.loads == std::vector<std::string>{"path5", "star7"});
  std::vector<std::string> graphs;
  for (const fake_run& run : b.script.runs) graphs.push_back(run.graph);
  CHECK(std::is_sorted(graphs.begin(), graphs.end()));
}

TEST_CASE("bringing a graph to the device is charged to one trial of the graph") {
  bench b;
  b.sweep();
  const db::table charged = db::run_query(b.store(),
                                          "SELECT graph, count(*) AS trials, sum(upload_ms > 0) AS charged FROM result "
                                          "GROUP BY graph ORDER BY graph");
  REQUIRE(charged.rows.size() == 2);
  for (const auto& row : charged.rows) {
    CHECK(row.at(1).text == "12");
    CHECK(row.at(2).text == "1");
  }
}

TEST_CASE("every source of a graph is measured") {
  bench b((std::string(one_graph) + "sources: {count: 3, choose: first}\n").c_str());
  CHECK(b.sweep().progress.total == 18);
  std::map<graph::vertex_id, int> runs;
  for (const fake_run& run : b.script.runs) ++runs[run.source];
  CHECK(runs == std::map<graph::vertex_id, int>{{0, 6}, {1, 6}, {2, 6}});
  CHECK(b.script.loads.size() == 1);
}

TEST_CASE("graphs of the command line replace those of the experiment") {
  bench b;
  b.options.graphs = {"cycle6"};
  CHECK(b.sweep().progress.total == 12);
  CHECK(b.script.loads == std::vector<std::string>{"cycle6"});
}

TEST_CASE("a finished sweep has nothing to do again") {
  bench b;
  b.sweep();
  const std::size_t runs = b.script.runs.size();
  b.script.loads.clear();
  const in_process_summary again = b.sweep();
  CHECK(again.progress.total == 24);
  CHECK(again.progress.done == 24);
  CHECK(again.progress.measured == 0);
  CHECK(again.progress.outcomes.empty());
  CHECK(b.script.runs.size() == runs);
  CHECK(b.script.loads.empty());
}

TEST_CASE("other kernels are measured anew") {
  bench b(one_graph);
  b.sweep();
  b.script.source_hash = "kernels 2";
  CHECK(b.sweep().progress.measured == 6);
  CHECK(b.script.runs.size() == 12);
}

TEST_CASE("an exception in the middle loses one trial at most, and the next sweep continues with it") {
  bench b(one_graph);
  int run = 0;
  b.script.on_run = [&](const fake_run&) -> run_report {
    if (++run == 3) throw std::runtime_error("the program has a defect");
    return time_of(run);
  };
  CHECK_THROWS_WITH(b.sweep(), "the program has a defect");
  CHECK(b.finished().size() == 2);
  CHECK(b.progress().running == 0);
  CHECK(b.progress().pending == 4);

  std::optional<sweep_progress> first;
  b.options.on_progress = [&](const sweep_progress& now) {
    if (!first) first = now;
  };
  const in_process_summary rest = b.sweep();
  REQUIRE(first.has_value());
  CHECK(first->done == 3);
  CHECK(first->measured == 1);
  CHECK(rest.progress.done == 6);
  CHECK(rest.progress.measured == 4);
  CHECK(b.finished().size() == 6);
  // Each once, but for the one that was interrupted.
  std::map<int, int> times;
  for (const auto& [trial, count] : b.run_counts()) ++times[count];
  CHECK(times == std::map<int, int>{{1, 5}, {2, 1}});
}

TEST_CASE("an exception of the caller's own progress report does not lose the trial") {
  bench b(one_graph);
  b.options.on_progress = [](const sweep_progress&) { throw std::runtime_error("broken pipe"); };
  CHECK_THROWS_WITH(b.sweep(), "broken pipe");
  CHECK(b.finished().size() == 1);
  b.options.on_progress = nullptr;
  CHECK(b.sweep().progress.measured == 5);
}

TEST_CASE("every kind of failure is an outcome of its trial, and the sweep goes on") {
  bench b(one_graph);
  b.device.on_compile = [](const backends::kernel_source& source) -> backends::kernel_properties {
    if (source.defines.at("alpha") == "3") throw backends::compile_error("does not compile");
    return {};
  };
  b.script.on_prepare = [](const configuration& chosen) {
    if (chosen.label() == "alpha=1,beta=2") throw backends::launch_error("too large");
  };
  b.script.on_run = [](const fake_run& run) -> run_report {
    if (run.label == "alpha=1,beta=1") return report_of(db::outcome::timeout, "too slow");
    if (run.label == "alpha=2,beta=2") throw backends::kernel_fault("out of bounds", false);
    return time_of(1);
  };
  b.script.on_check = [](const fake_run&) { return "vertex 1 is wrong"; };
  const in_process_summary summary = b.sweep();
  CHECK(b.outcomes() == std::map<std::string, db::outcome>{{"path5 alpha=1,beta=1", db::outcome::timeout},
                                                           {"path5 alpha=1,beta=2", db::outcome::constraint},
                                                           {"path5 alpha=2,beta=1", db::outcome::wrong_answer},
                                                           {"path5 alpha=2,beta=2", db::outcome::crashed},
                                                           {"path5 alpha=3,beta=1", db::outcome::compile_error},
                                                           {"path5 alpha=3,beta=2", db::outcome::compile_error}});
  CHECK(b.finished().at("path5 alpha=1,beta=2").message == "too large");
  CHECK(b.finished().at("path5 alpha=2,beta=1").message == "vertex 1 is wrong");
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::timeout, 1},
                                                    {db::outcome::constraint, 1},
                                                    {db::outcome::wrong_answer, 1},
                                                    {db::outcome::crashed, 1},
                                                    {db::outcome::compile_error, 2}});
  // A failure is finished too.
  CHECK(b.sweep().progress.measured == 0);
}

TEST_CASE("overflow and launch_error of a run are recorded as such") {
  bench b(one_graph);
  b.script.on_run = [](const fake_run& run) {
    return run.label.ends_with("beta=1") ? report_of(db::outcome::overflow, "full at 64 slots")
                                         : report_of(db::outcome::launch_error, "no status");
  };
  CHECK(b.sweep().progress.outcomes == outcome_counts{{db::outcome::overflow, 3}, {db::outcome::launch_error, 3}});
  CHECK(b.finished().at("path5 alpha=1,beta=1").message == "full at 64 slots");
}

TEST_CASE("a configuration that has no variant is a constraint, and the others are still compiled ahead") {
  bench b(one_graph);
  b.script.on_variant = [](const configuration& chosen) {
    if (chosen.label().starts_with("alpha=1")) throw backends::launch_error("alpha is odd");
  };
  const in_process_summary summary = b.sweep();
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::constraint, 2}, {db::outcome::ok, 4}});
  CHECK(b.device.compiled().size() == 2);
}

TEST_CASE("a trial that loses the device is tried once more, then recorded, and the others go on") {
  bench b(one_graph);
  b.script.on_run = [](const fake_run& run) -> run_report {
    if (run.label == "alpha=2,beta=1") throw backends::kernel_fault("illegal address", true);
    return time_of(1);
  };
  CHECK_THROWS_AS(b.sweep(), device_lost);
  CHECK(b.progress().outcomes == outcome_counts{{db::outcome::ok, 2}});
  CHECK(b.progress().running == 0);
  CHECK_THROWS_AS(b.sweep(), device_lost);
  CHECK(b.progress().outcomes == outcome_counts{{db::outcome::ok, 2}, {db::outcome::crashed, 1}});
  CHECK(b.finished().at("path5 alpha=2,beta=1").message == "illegal address");
  const in_process_summary rest = b.sweep();
  CHECK(rest.progress.done == 6);
  CHECK(rest.progress.measured == 3);
  for (const auto& [trial, count] : b.run_counts()) CHECK(count == (std::get<1>(trial) == "alpha=2,beta=1" ? 2 : 1));
}

TEST_CASE("a kernel that does not end is a timeout") {
  bench b(one_graph);
  b.script.on_run = [](const fake_run&) -> run_report { throw backends::kernel_fault("did not end", true, true); };
  CHECK_THROWS_AS(b.sweep(), device_lost);
  CHECK_THROWS_AS(b.sweep(), device_lost);
  CHECK(b.progress().outcomes == outcome_counts{{db::outcome::timeout, 1}});
}

TEST_CASE("a trial that lost the device once and then worked is like any other") {
  bench b(one_graph);
  bool first = true;
  b.script.on_run = [&](const fake_run&) -> run_report {
    if (std::exchange(first, false)) throw backends::kernel_fault("a cosmic ray", true);
    return time_of(1);
  };
  CHECK_THROWS_AS(b.sweep(), device_lost);
  CHECK(b.sweep().progress.outcomes == outcome_counts{{db::outcome::ok, 6}});
}

TEST_CASE("a graph that does not fit costs its own trials only, and one attempt to load it") {
  bench b;
  b.script.too_large = {"path5"};
  const in_process_summary summary = b.sweep();
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::constraint, 12}, {db::outcome::ok, 12}});
  for (const auto& [name, trial] : b.finished()) {
    CAPTURE(name);
    CHECK(trial.result == (name.starts_with("path5") ? db::outcome::constraint : db::outcome::ok));
    CHECK(trial.message == (name.starts_with("path5") ? "no room for path5" : ""));
  }
  CHECK(b.script.loads == std::vector<std::string>{"path5", "star7"});
}

TEST_CASE("a graph that does not fit after one that did leaves nothing of it behind") {
  bench b;
  b.script.too_large = {"star7"};
  const in_process_summary summary = b.sweep();
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::constraint, 12}, {db::outcome::ok, 12}});
  for (const fake_run& run : b.script.runs) CHECK(run.graph == "path5");
  CHECK(summary.progress.best_ms == 0);
  CHECK(summary.progress.best_label == "");
}

TEST_CASE("a sweep stops between trials when it is asked to, and continues later") {
  bench b(one_graph);
  b.options.stop_requested = [&] { return b.script.runs.size() == 2; };
  const in_process_summary stopped = b.sweep();
  CHECK(stopped.interrupted);
  CHECK(stopped.progress.done == 2);
  CHECK(stopped.progress.total == 6);
  CHECK(b.progress().running == 0);
  b.options.stop_requested = [] { return false; };
  const in_process_summary rest = b.sweep();
  CHECK_FALSE(rest.interrupted);
  CHECK(rest.progress.measured == 4);
  CHECK(rest.progress.done == 6);
}

TEST_CASE("a sweep that is stopped before it starts has planned everything and measured nothing") {
  bench b(one_graph);
  b.options.stop_requested = [] { return true; };
  const in_process_summary stopped = b.sweep();
  CHECK(stopped.interrupted);
  CHECK(stopped.progress.total == 6);
  CHECK(stopped.progress.measured == 0);
  CHECK(stopped.progress.seconds_left() < 0);
  CHECK(b.script.loads.empty());
}

TEST_CASE("progress counts up by one, and its numbers agree with each other") {
  bench b;
  std::vector<sweep_progress> reports;
  b.options.on_progress = [&](const sweep_progress& now) { reports.push_back(now); };
  b.script.on_check = [](const fake_run& run) { return run.label == "alpha=2,beta=2" ? "wrong" : ""; };
  const in_process_summary summary = b.sweep();
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
    CHECK(now.graph == (i < 12 ? "path5" : "star7"));
  }
  CHECK(reports.back().seconds_left() == 0);
  CHECK(summary.progress.outcomes == reports.back().outcomes);
  CHECK(summary.total_ms / 1000 >= reports.back().elapsed_s);
  CHECK(summary.devices.at(0).kernels_ms > 0);
}

TEST_CASE("the best of a graph and source is the fastest right answer so far") {
  bench b((std::string(one_graph) + "sources: {count: 2, choose: first}\n").c_str());
  const std::map<std::string, double> times = {{"alpha=1,beta=1", 5}, {"alpha=1,beta=2", 7}, {"alpha=2,beta=1", 4},
                                               {"alpha=2,beta=2", 1}, {"alpha=3,beta=1", 4}, {"alpha=3,beta=2", 3}};
  b.script.on_run = [&](const fake_run& run) { return time_of(times.at(run.label) + (run.source == 1 ? 100 : 0)); };
  // The fastest is wrong; on the second source the first two are wrong as well.
  b.script.on_check = [](const fake_run& run) {
    const bool wrong = run.label == "alpha=2,beta=2" || (run.source == 1 && run.label.starts_with("alpha=1"));
    return wrong ? "wrong" : "";
  };
  std::vector<std::pair<std::string, double>> bests;
  b.options.on_progress = [&](const sweep_progress& now) { bests.emplace_back(now.best_label, now.best_ms); };
  b.sweep();
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
  bench b(one_graph);
  b.options.stop_requested = [&] { return b.script.runs.size() == 2; };
  b.sweep();
  b.options.stop_requested = nullptr;
  b.options.graphs = {"cycle6"};
  CHECK_THAT(message_of([&] { b.sweep(); }), Catch::Contains("'path5'") && Catch::Contains("--graphs"));
  CHECK(b.progress().running == 0);
  b.options.graphs = {"cycle6", "path5"};
  const in_process_summary rest = b.sweep();
  CHECK(rest.progress.done == 12);
  CHECK(b.finished().size() == 12);
}

TEST_CASE("a graph that cannot be had is refused before anything is measured") {
  bench b(one_graph);
  b.options.graphs = {"path5", "nonsense9"};
  CHECK_THAT(message_of([&] { b.sweep(); }), Catch::Contains("nonsense9"));
  CHECK(b.script.runs.empty());
}

TEST_CASE("a device is recorded with what its results depend on") {
  fake_backend device;
  const db::device_record record = describe_device(device.info());
  CHECK(record.name == "Fake GPU");
  CHECK(record.kind == "cuda");
  CHECK(record.architecture == "sm_1");
  CHECK(record.multiprocessors == 4);
  CHECK(record.memory_bytes == 1 << 30);
  // Another driver is the same device.
  device.change_driver("driver 2");
  CHECK(describe_device(device.info()).hash() == record.hash());
}

TEST_CASE("with a slowdown limit a run may take so many times the best of its graph and source") {
  bench b(R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1, 2]}
graphs: [{generate: path5}, {generate: star7}]
measurement: {warmup: 0, repeats: 1, time_limit_ms: 500, slowdown_limit: 4, slowdown_floor_ms: 5, counters: true}
)");
  // The second configuration is the best; path5 is ten times slower than star7.
  b.script.on_run = [](const fake_run& run) {
    const double time = (run.label == "alpha=1,beta=2" ? 1 : 3) * (run.graph == "path5" ? 10 : 1);
    return time_of(time);
  };
  b.sweep();
  std::map<std::string, std::vector<double>> limits;
  for (const fake_run& run : b.script.runs) {
    limits[run.graph + (run.what == instrumentation::counters ? " counters" : "")].push_back(run.time_limit_ms);
  }
  CHECK(limits.at("path5") == std::vector<double>{500, 120, 40, 40, 40, 40});
  CHECK(limits.at("path5 counters") == std::vector<double>{240, 80, 80, 80, 80, 80});
  CHECK(limits.at("star7") == std::vector<double>{500, 12, 5, 5, 5, 5});
}

TEST_CASE("a run that the slowdown limit stopped says so") {
  bench b(R"(name: test
problem: fake
parameters: {alpha: [1, 2], beta: [1]}
graphs: [{generate: path5}]
measurement: {warmup: 0, repeats: 1, time_limit_ms: 500, slowdown_limit: 4, slowdown_floor_ms: 5, counters: false}
)");
  b.script.on_run = [](const fake_run& run) {
    return run.label.starts_with("alpha=1") ? time_of(2) : report_of(db::outcome::timeout, "not finished");
  };
  b.sweep();
  CHECK(b.finished().at("path5 alpha=2,beta=1").message ==
        "not finished (slowdown_limit: 4 times the best so far, 2 ms)");
}

TEST_CASE("the fastest are measured once more in turns, and the winner is who is fastest then") {
  bench b(R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1, 2]}
graphs: [{generate: path5}, {generate: star7}]
measurement: {warmup: 0, repeats: 1, finalists: 3, final_rounds: 4, counters: false}
)");
  // The first sample of alpha=1 was lucky.
  std::map<std::string, int> seen;
  b.script.on_run = [&](const fake_run& run) {
    const bool first = seen[run.graph + run.label]++ == 0;
    if (run.label == "alpha=1,beta=1") return time_of(first ? 1 : 9);
    return time_of(run.label == "alpha=1,beta=2" ? 2 : run.label == "alpha=2,beta=1" ? 3 : 20);
  };
  const in_process_summary summary = b.sweep();
  CHECK(summary.progress.finals == 2);
  CHECK(summary.progress.measured == 12);
  const db::table places =
      db::run_query(b.store(),
                    "SELECT place, configuration, median_ms, first_median_ms, rounds FROM final_result "
                    "WHERE graph = 'path5' ORDER BY place");
  std::vector<std::string> rows;
  for (const auto& row : places.rows) {
    rows.push_back(row[0].text + " " + row[1].text + " " + row[2].text + " " + row[3].text + " " + row[4].text);
  }
  CHECK(rows == std::vector<std::string>{"1 alpha=1,beta=2 2 2 4", "2 alpha=2,beta=1 3 3 4", "3 alpha=1,beta=1 9 1 4"});
  // On the graph's own turn: before the next graph is loaded, with the first of a round the second of the one before.
  std::vector<std::string> order;
  for (std::size_t i = 6; i < 12; ++i) order.push_back(b.script.runs.at(i).graph + " " + b.script.runs[i].label);
  CHECK(order == std::vector<std::string>{"path5 alpha=1,beta=1", "path5 alpha=1,beta=2", "path5 alpha=2,beta=1",
                                          "path5 alpha=1,beta=2", "path5 alpha=2,beta=1", "path5 alpha=1,beta=1"});
  CHECK(b.script.loads == std::vector<std::string>{"path5", "star7"});
  // The samples of the trials are what they were, and nothing is done twice.
  CHECK(db::run_query(b.store(), "SELECT count(*) FROM sample").rows[0][0].text == "12");
  const std::size_t runs = b.script.runs.size();
  CHECK(b.sweep().progress.finals == 0);
  CHECK(b.script.runs.size() == runs);
}

TEST_CASE("a finalist that fails in its final has no place, and the others have theirs") {
  bench b(R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1]}
graphs: [{generate: path5}]
measurement: {warmup: 0, repeats: 1, finalists: 3, final_rounds: 3, counters: false}
)");
  std::map<std::string, int> seen;
  b.script.on_check = [&](const fake_run& run) {
    return ++seen[run.label] == 3 && run.label.starts_with("alpha=2") ? "vertex 3 is wrong" : "";
  };
  b.sweep();
  const db::table places =
      db::run_query(b.store(), "SELECT place, configuration, rounds FROM final_result ORDER BY place");
  REQUIRE(places.rows.size() == 2);
  CHECK(places.rows[0][1].text == "alpha=1,beta=1");
  CHECK(places.rows[1][1].text == "alpha=3,beta=1");
  CHECK(places.rows[1][2].text == "3");
  CHECK(db::run_query(b.store(), "SELECT message FROM final").rows[0][0].text ==
        "alpha=2,beta=1 failed (wrong_answer: vertex 3 is wrong)");
}

TEST_CASE("a final with one right answer or none is over at once") {
  bench b(R"(name: test
problem: fake
parameters: {alpha: [1, 2], beta: [1]}
graphs: [{generate: path5}]
measurement: {warmup: 0, repeats: 1, finalists: 2, counters: false}
)");
  b.script.on_check = [](const fake_run& run) { return run.label.starts_with("alpha=2") ? "wrong" : ""; };
  CHECK(b.sweep().progress.finals == 0);
  CHECK(b.script.runs.size() == 2);
  CHECK(db::run_query(b.store(), "SELECT state FROM final").rows[0][0].text == "done");
}

TEST_CASE("a session says where the wall time of a worker went") {
  bench b;
  b.sweep();
  const db::table session = db::run_query(
      b.store(),
      "SELECT trials, wall_ms > 0, measure_ms > 0, load_ms > 0, record_ms > 0, prepare_ms > 0, idle_ms >= 0, "
      "wall_ms >= measure_ms + compile_ms + prepare_ms + record_ms + load_ms + upload_ms + check_ms + "
      "idle_ms FROM session");
  REQUIRE(session.rows.size() == 1);
  CHECK(session.rows[0][0].text == "24");
  for (std::size_t i = 1; i < 8; ++i) CHECK(session.rows[0][i].text == "1");
}

TEST_CASE("before every run the worker says for which trial, and by when it ends") {
  bench b(one_graph);
  const in_process_summary summary = b.sweep();
  std::map<std::int64_t, std::vector<double>> promises;
  for (const worker_event& step : summary.steps) promises[step.trial].push_back(step.within_ms);
  CHECK(promises.size() == 7);  // six trials, and loading the graph
  for (const auto& [trial, promised] : promises) {
    if (trial == 0) continue;
    // Compiling, running, checking; a time limit of 50 ms, the abort word and the backend's patience.
    REQUIRE(promised.size() == 3);
    CHECK(promised[1] == Approx(2 * 50 + 3000 + 100));
  }
}

TEST_CASE("the shards of a sweep are together the sweep") {
  std::map<std::string, double> together;
  std::size_t trials = 0;
  for (std::uint64_t index = 1; index <= 3; ++index) {
    bench b;
    b.options.part = {index, 3};
    const in_process_summary summary = b.sweep();
    trials += summary.progress.total;
    CHECK(summary.progress.total == 2 * b.finished().size());  // what is timed is counted in the same shard
    CHECK(summary.progress.total < 24);
    for (const auto& [name, trial] : b.finished()) {
      CHECK(together.emplace(name, trial.median_ms.value()).second);
    }
  }
  CHECK(trials == 24);
  bench whole;
  whole.sweep();
  REQUIRE(together.size() == whole.finished().size());
  for (const auto& [name, trial] : whole.finished()) CHECK(together.at(name) == trial.median_ms.value());
}

namespace {

/// 25 configurations; the fastest on any graph is alpha=4, beta=2.
std::string searched(const std::string& strategy) {
  return "name: test\nproblem: fake\nparameters: {alpha: [1, 2, 3, 4, 5], beta: [1, 2, 3, 4, 5]}\n"
         "graphs: [{generate: path5}, {generate: star7}]\n"
         "measurement: {warmup: 0, repeats: 1, time_limit_ms: 50, counters: false, seed: 1}\n"
         "strategy: {" +
         strategy + "}\n";
}

run_report distance_from_best(const fake_run& run) {
  const auto digit = [&](const char* name) { return run.label[run.label.find(name) + 5 + (*name == 'a')] - '0'; };
  return time_of(1 + std::abs(digit("alpha") - 4) + 0.5 * std::abs(digit("beta") - 2));
}

/// The configurations as they were run, by graph.
std::map<std::string, std::vector<std::string>> sequences(const fake_script& script) {
  std::map<std::string, std::vector<std::string>> all;
  for (const fake_run& run : script.runs) all[run.graph].push_back(run.label);
  return all;
}

}  // namespace

TEST_CASE("a strategy that learns searches every graph within its budget and finds the best") {
  for (const char* strategy : {"name: local, budget: 20", "name: annealing, budget: 20, neighbours: next",
                               "name: genetic, budget: 20", "name: local, budget: 20, batch: 4"}) {
    CAPTURE(strategy);
    const std::string text = searched(strategy);
    bench b(text.c_str());
    b.script.on_run = distance_from_best;
    const in_process_summary summary = b.sweep();
    CHECK(summary.progress.total == 40);
    CHECK(summary.progress.done == 40);
    for (const auto& [graph, labels] : sequences(b.script)) {
      CHECK(labels.size() == 20);
      CHECK(std::set(labels.begin(), labels.end()).size() == 20);
      CHECK(std::ranges::find(labels, "alpha=4,beta=2") != labels.end());
    }
  }
}

TEST_CASE("a search that is stopped goes on as it would have") {
  for (const char* strategy : {"name: local, budget: 15", "name: genetic, budget: 15, batch: 4, seed: 3"}) {
    const std::string text = searched(strategy);
    bench whole(text.c_str());
    whole.script.on_run = distance_from_best;
    whole.sweep();
    for (const std::size_t runs : {1u, 6u, 14u, 22u}) {
      CAPTURE(strategy, runs);
      bench b(text.c_str());
      b.script.on_run = distance_from_best;
      b.options.stop_requested = [&] { return b.script.runs.size() >= runs; };
      const in_process_summary first = b.sweep();
      CHECK(first.interrupted);
      CHECK(b.script.runs.size() == runs);
      b.options.stop_requested = {};
      const in_process_summary second = b.sweep();
      CHECK_FALSE(second.interrupted);
      CHECK(second.progress.measured == 30 - runs);
      CHECK(sequences(b.script) == sequences(whole.script));
    }
  }
}

TEST_CASE("a search goes on after the device was lost, and counts a failure as one evaluation") {
  const std::string text = searched("name: local, budget: 15");
  bench b(text.c_str());
  int runs = 0;
  b.script.on_run = [&](const fake_run& run) {
    if (++runs == 5) throw backends::kernel_fault("illegal address", true);
    return runs % 4 == 0 ? report_of(db::outcome::timeout, "too long") : distance_from_best(run);
  };
  CHECK_THROWS_AS(b.sweep(), device_lost);
  b.sweep();
  CHECK(b.progress().done == 30);
  CHECK(b.progress().outcomes.at(db::outcome::timeout) == 7);
  CHECK(b.script.runs.size() == 31);  // what has cost the device is tried once more
}

TEST_CASE("shards of a search have whole graphs, and several sources count together") {
  std::string text = searched("name: local, budget: 5");
  std::set<std::string> graphs;
  for (std::uint64_t index = 1; index <= 4; ++index) {
    bench b(text.c_str());
    b.options.part = {index, 4};
    b.sweep();
    for (const auto& [graph, labels] : sequences(b.script)) {
      CHECK(graphs.insert(graph).second);
      CHECK(labels.size() == 5);
    }
  }
  CHECK(graphs.size() == 2);
  bench b((text + "sources: [0, 2]\n").c_str());
  b.sweep();
  CHECK(b.progress().done == 20);
  for (const auto& [trial, count] : b.run_counts()) CHECK(count == 1);
}

TEST_CASE("finals of a search are measured when it is over, among all that it has tried") {
  std::string text = searched("name: local, budget: 20, batch: 3");
  text.insert(text.find("counters: false"), "finalists: 3, final_rounds: 4, ");
  bench b(text.c_str());
  b.script.on_run = distance_from_best;
  const in_process_summary summary = b.sweep();
  CHECK(summary.progress.done == 40);
  CHECK(summary.progress.finals == 2);
  const db::table places =
      db::run_query(b.store(), "SELECT graph, configuration, rounds FROM final_result WHERE place = 1 ORDER BY graph");
  REQUIRE(places.rows.size() == 2);
  for (const auto& row : places.rows) {
    CHECK(row[1].text == "alpha=4,beta=2");
    CHECK(row[2].text == "4");
  }
  CHECK(db::run_query(b.store(), "SELECT count(*) FROM finalist").rows[0][0].text == "6");
  const std::size_t runs = b.script.runs.size();
  CHECK(runs == 40 + 2 * 3 * 4);
  CHECK(b.sweep().progress.measured == 0);
  CHECK(b.script.runs.size() == runs);
}

TEST_CASE("a shard has finals only of what it measures") {
  std::string text = one_graph;
  text.insert(text.find("counters: false"), "finalists: 2, ");
  std::size_t finals = 0;
  for (std::uint64_t index = 1; index <= 50; ++index) {
    bench b(text.c_str());
    b.options.part = {index, 50};
    const std::size_t trials = b.sweep().progress.total;
    const db::table planned = db::run_query(b.store(), "SELECT count(*) FROM final");
    CHECK(planned.rows[0][0].text == (trials > 0 ? "1" : "0"));
    if (trials > 0) ++finals;
  }
  CHECK(finals >= 1);
  CHECK(finals <= 6);
}
