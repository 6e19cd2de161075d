// SPDX-License-Identifier: Apache-2.0
// Strategies that learn while they measure, and shards.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/query.hpp"
#include "sweep_fixture.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;

/// Returns an experiment of 25 configurations; the fastest on every graph is alpha=4, beta=2.
std::string searched(const std::string& strategy) {
  return "name: test\nproblem: fake\nparameters: {alpha: [1, 2, 3, 4, 5], beta: [1, 2, 3, 4, 5]}\n"
         "workloads: [{generate: path5}, {generate: star7}]\n"
         "measurement: {warmup: 0, repeats: 1, time_limit_ms: 50, counters: false, seed: 1}\n"
         "strategy: {" +
         strategy + "}\n";
}

run_report distance_from_best(const fake_run& run) {
  const auto digit = [&](const char* name) { return run.label[run.label.find(name) + 5 + (*name == 'a')] - '0'; };
  return time_of(1 + std::abs(digit("alpha") - 4) + 0.5 * std::abs(digit("beta") - 2));
}

/// Returns the configurations in the order in which they ran, by graph.
std::map<std::string, std::vector<std::string>> sequences(const fake_script& script) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const fake_run& run : script.runs) labels[run.workload].push_back(run.label);
  return labels;
}

}  // namespace

TEST_CASE("the shards of a sweep are together the sweep") {
  std::map<std::string, double> together;
  std::size_t trials = 0;
  for (std::uint64_t index = 1; index <= 3; ++index) {
    sweep_fixture setup;
    setup.options.part = {index, 3};
    const in_process_summary summary = setup.sweep();
    trials += summary.progress.total;
    CHECK(summary.progress.total == 2 * setup.finished().size());  // each timed trial is counted in the same shard
    CHECK(summary.progress.total < 24);
    for (const auto& [name, trial] : setup.finished()) {
      CHECK(together.emplace(name, trial.median_ms.value()).second);
    }
  }
  CHECK(trials == 24);
  sweep_fixture whole;
  whole.sweep();
  REQUIRE(together.size() == whole.finished().size());
  for (const auto& [name, trial] : whole.finished()) CHECK(together.at(name) == trial.median_ms.value());
}

TEST_CASE("a strategy that learns searches every graph within its budget and finds the best") {
  for (const char* strategy : {"name: local, budget: 20", "name: annealing, budget: 20, neighbours: next",
                               "name: genetic, budget: 20", "name: local, budget: 20, batch: 4"}) {
    CAPTURE(strategy);
    const std::string text = searched(strategy);
    sweep_fixture setup(text.c_str());
    setup.script.on_run = distance_from_best;
    const in_process_summary summary = setup.sweep();
    CHECK(summary.progress.total == 40);
    CHECK(summary.progress.done == 40);
    for (const auto& [graph, labels] : sequences(setup.script)) {
      CHECK(labels.size() == 20);
      CHECK(std::set(labels.begin(), labels.end()).size() == 20);
      CHECK(std::ranges::find(labels, "alpha=4,beta=2") != labels.end());
    }
  }
}

TEST_CASE("a worker takes turns between searches, so that the next variant of each is compiled meanwhile") {
  const std::string text = searched("name: local, budget: 10") + "queries: {source: [0, 2]}\n";
  sweep_fixture setup(text.c_str());
  setup.script.on_run = distance_from_best;
  setup.sweep();
  const std::vector<fake_run>& runs = setup.script.runs;
  REQUIRE(runs.size() == 40);
  // All queries of a proposal come one after the other.
  for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
    CHECK(runs[i].workload == runs[i + 1].workload);
    CHECK(runs[i].label == runs[i + 1].label);
    if (i > 0) CHECK(runs[i].workload != runs[i - 1].workload);
  }
}

TEST_CASE("searches whose graphs do not fit on the device together follow one another") {
  const std::string text = searched("name: local, budget: 10");
  sweep_fixture setup(text.c_str());
  setup.device.change_memory(200);
  setup.script.on_run = distance_from_best;
  setup.sweep();
  REQUIRE(setup.script.runs.size() == 20);
  int changes = 0;
  for (std::size_t i = 1; i < 20; ++i) changes += setup.script.runs[i].workload != setup.script.runs[i - 1].workload;
  CHECK(changes == 1);
}

TEST_CASE("a stopped search resumes with the same configurations") {
  for (const char* strategy : {"name: local, budget: 15", "name: genetic, budget: 15, batch: 4, seed: 3"}) {
    const std::string text = searched(strategy);
    sweep_fixture whole(text.c_str());
    whole.script.on_run = distance_from_best;
    whole.sweep();
    for (const std::size_t runs : {1u, 6u, 14u, 22u}) {
      CAPTURE(strategy, runs);
      sweep_fixture setup(text.c_str());
      setup.script.on_run = distance_from_best;
      setup.options.stop_requested = [&] { return setup.script.runs.size() >= runs; };
      const in_process_summary first = setup.sweep();
      CHECK(first.interrupted);
      CHECK(setup.script.runs.size() == runs);
      setup.options.stop_requested = {};
      const in_process_summary second = setup.sweep();
      CHECK_FALSE(second.interrupted);
      CHECK(second.progress.measured == 30 - runs);
      CHECK(sequences(setup.script) == sequences(whole.script));
    }
  }
}

TEST_CASE("a search continues after the device was lost, and counts a failure as one evaluation") {
  const std::string text = searched("name: local, budget: 15");
  sweep_fixture setup(text.c_str());
  int runs = 0;
  setup.script.on_run = [&](const fake_run& run) {
    if (++runs == 5) throw backends::kernel_fault("illegal address", true);
    return runs % 4 == 0 ? report_of(db::outcome::timeout, "too long") : distance_from_best(run);
  };
  CHECK_THROWS_AS(setup.sweep(), device_lost);
  setup.sweep();
  CHECK(setup.progress().done == 30);
  CHECK(setup.progress().outcomes.at(db::outcome::timeout) == 7);
  CHECK(setup.script.runs.size() == 31);  // the configuration that lost the device is tried once more
}

TEST_CASE("shards of a search have whole graphs, and several sources count together") {
  std::string text = searched("name: local, budget: 5");
  std::set<std::string> graphs;
  for (std::uint64_t index = 1; index <= 4; ++index) {
    sweep_fixture setup(text.c_str());
    setup.options.part = {index, 4};
    setup.sweep();
    for (const auto& [graph, labels] : sequences(setup.script)) {
      CHECK(graphs.insert(graph).second);
      CHECK(labels.size() == 5);
    }
  }
  CHECK(graphs.size() == 2);
  sweep_fixture setup((text + "queries: {source: [0, 2]}\n").c_str());
  setup.sweep();
  CHECK(setup.progress().done == 20);
  for (const auto& [trial, count] : setup.run_counts()) CHECK(count == 1);
}

TEST_CASE("finals of a search are measured when it is over, among all that it has tried") {
  std::string text = searched("name: local, budget: 20, batch: 3");
  text.insert(text.find("counters: false"), "finalists: 3, final_rounds: 4, ");
  sweep_fixture setup(text.c_str());
  setup.script.on_run = distance_from_best;
  const in_process_summary summary = setup.sweep();
  CHECK(summary.progress.done == 40);
  CHECK(summary.progress.finals == 2);
  const db::table places = db::run_query(
      setup.store(), "SELECT workload, configuration, rounds FROM final_result WHERE place = 1 ORDER BY workload");
  REQUIRE(places.rows.size() == 2);
  for (const auto& row : places.rows) {
    CHECK(row[1].text == "alpha=4,beta=2");
    CHECK(row[2].text == "4");
  }
  CHECK(db::run_query(setup.store(), "SELECT count(*) FROM finalist").rows[0][0].text == "6");
  const std::size_t runs = setup.script.runs.size();
  CHECK(runs == 40 + 2 * 3 * 4);
  CHECK(setup.sweep().progress.measured == 0);
  CHECK(setup.script.runs.size() == runs);
}

TEST_CASE("a shard has finals only for its own trials") {
  std::string text = one_graph;
  text.insert(text.find("counters: false"), "finalists: 2, ");
  std::size_t finals = 0;
  for (std::uint64_t index = 1; index <= 50; ++index) {
    sweep_fixture setup(text.c_str());
    setup.options.part = {index, 50};
    const std::size_t trials = setup.sweep().progress.total;
    const db::table planned = db::run_query(setup.store(), "SELECT count(*) FROM final");
    CHECK(planned.rows[0][0].text == (trials > 0 ? "1" : "0"));
    if (trials > 0) ++finals;
  }
  CHECK(finals >= 1);
  CHECK(finals <= 6);
}
