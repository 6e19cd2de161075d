// SPDX-License-Identifier: Apache-2.0
// Strategies that learn while they measure, and shards.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/query.hpp"
#include "sweep_bench.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;

/// 25 configurations; the fastest on any graph is alpha=4, beta=2.
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

/// The configurations as they were run, by graph.
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

TEST_CASE("a stopped search resumes with the same configurations") {
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

TEST_CASE("a search continues after the device was lost, and counts a failure as one evaluation") {
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
  bench b((text + "queries: {source: [0, 2]}\n").c_str());
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
  const db::table places = db::run_query(
      b.store(), "SELECT workload, configuration, rounds FROM final_result WHERE place = 1 ORDER BY workload");
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

TEST_CASE("a shard has finals only for its own trials") {
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
