// SPDX-License-Identifier: Apache-2.0
// A sweep measures everything once, whatever happens on the way.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "db/query.hpp"
#include "fakes.hpp"
#include "message.hpp"
#include "tuner/measurement.hpp"
#include "tuner/sweep.hpp"

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
  sweep_options options;

  sweep_summary sweep() { return run_sweep(experiment_, fake_problem(script), device, store_, options); }

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
  const sweep_summary summary = b.sweep();
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
  const sweep_summary summary = b.sweep();
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

TEST_CASE("counters are compiled and run only when asked for") {
  bench b(one_graph);
  CHECK(b.sweep().progress.total == 6);
  for (const fake_run& run : b.script.runs) CHECK(run.what == instrumentation::none);
  CHECK(b.device.compiled() ==
        std::map<std::string, int>{{"alpha=1 counters=0", 1}, {"alpha=2 counters=0", 1}, {"alpha=3 counters=0", 1}});
}

TEST_CASE("a variant is compiled once for all graphs and launch-time parameters") {
  bench b;
  const sweep_summary summary = b.sweep();
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
  const sweep_summary again = b.sweep();
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
  const sweep_summary rest = b.sweep();
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
  const sweep_summary summary = b.sweep();
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
  const sweep_summary summary = b.sweep();
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::constraint, 2}, {db::outcome::ok, 4}});
  CHECK(b.device.compiled().size() == 2);
}

TEST_CASE("a lost device ends the sweep after its trial was recorded, and a new one goes on with the next") {
  bench b(one_graph);
  int run = 0;
  b.script.on_run = [&](const fake_run&) -> run_report {
    if (++run == 3) throw backends::kernel_fault("illegal address", true);
    return time_of(run);
  };
  CHECK_THROWS_AS(b.sweep(), device_lost);
  REQUIRE(b.finished().size() == 3);
  CHECK(b.progress().outcomes == outcome_counts{{db::outcome::ok, 2}, {db::outcome::crashed, 1}});
  const sweep_summary rest = b.sweep();
  CHECK(rest.progress.done == 6);
  CHECK(rest.progress.measured == 3);
  // The trial that lost the device is not tried again.
  for (const auto& [trial, count] : b.run_counts()) CHECK(count == 1);
  CHECK(b.progress().outcomes == outcome_counts{{db::outcome::ok, 5}, {db::outcome::crashed, 1}});
}

TEST_CASE("a graph that does not fit costs its own trials only, and one attempt to load it") {
  bench b;
  b.script.too_large = {"path5"};
  const sweep_summary summary = b.sweep();
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
  const sweep_summary summary = b.sweep();
  CHECK(summary.progress.outcomes == outcome_counts{{db::outcome::constraint, 12}, {db::outcome::ok, 12}});
  for (const fake_run& run : b.script.runs) CHECK(run.graph == "path5");
  CHECK(summary.progress.best_ms == 0);
  CHECK(summary.progress.best_label == "");
}

TEST_CASE("a sweep stops between trials when it is asked to, and continues later") {
  bench b(one_graph);
  b.options.stop_requested = [&] { return b.script.runs.size() == 2; };
  const sweep_summary stopped = b.sweep();
  CHECK(stopped.interrupted);
  CHECK(stopped.progress.done == 2);
  CHECK(stopped.progress.total == 6);
  CHECK(b.progress().running == 0);
  b.options.stop_requested = [] { return false; };
  const sweep_summary rest = b.sweep();
  CHECK_FALSE(rest.interrupted);
  CHECK(rest.progress.measured == 4);
  CHECK(rest.progress.done == 6);
}

TEST_CASE("a sweep that is stopped before it starts has planned everything and measured nothing") {
  bench b(one_graph);
  b.options.stop_requested = [] { return true; };
  const sweep_summary stopped = b.sweep();
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
  const sweep_summary summary = b.sweep();
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
  CHECK(summary.times.total / 1000 >= reports.back().elapsed_s);
  CHECK(summary.times.kernels > 0);
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
  const sweep_summary rest = b.sweep();
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
