// SPDX-License-Identifier: Apache-2.0
// The slowdown limit, and finals that measure the fastest configurations again, interleaved.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "db/query.hpp"
#include "sweep_fixture.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using namespace mlmq::tuner::test;

}  // namespace

TEST_CASE("the slowdown limit bounds a run to a multiple of the best time of its graph and source") {
  sweep_fixture setup(R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1, 2]}
workloads: [{generate: path5}, {generate: star7}]
measurement: {warmup: 0, repeats: 1, time_limit_ms: 500, slowdown_limit: 4, slowdown_floor_ms: 5, counters: true}
)");
  // The second configuration is the best; path5 is ten times slower than star7.
  setup.script.on_run = [](const fake_run& run) {
    const double time = (run.label == "alpha=1,beta=2" ? 1 : 3) * (run.workload == "path5" ? 10 : 1);
    return time_of(time);
  };
  setup.sweep();
  std::map<std::string, std::vector<double>> limits;
  for (const fake_run& run : setup.script.runs) {
    limits[run.workload + (run.mode == instrumentation::counters ? " counters" : "")].push_back(run.time_limit_ms);
  }
  CHECK(limits.at("path5") == std::vector<double>{500, 120, 40, 40, 40, 40});
  CHECK(limits.at("path5 counters") == std::vector<double>{240, 80, 80, 80, 80, 80});
  CHECK(limits.at("star7") == std::vector<double>{500, 12, 5, 5, 5, 5});
}

TEST_CASE("a run that the slowdown limit stopped says so") {
  sweep_fixture setup(R"(name: test
problem: fake
parameters: {alpha: [1, 2], beta: [1]}
workloads: [{generate: path5}]
measurement: {warmup: 0, repeats: 1, time_limit_ms: 500, slowdown_limit: 4, slowdown_floor_ms: 5, counters: false}
)");
  setup.script.on_run = [](const fake_run& run) {
    return run.label.starts_with("alpha=1") ? time_of(2) : report_of(db::outcome::timeout, "not finished");
  };
  setup.sweep();
  CHECK(setup.finished().at("path5 alpha=2,beta=1").message ==
        "not finished (slowdown_limit: 4 times the best so far, 2 ms)");
}

TEST_CASE("finals measure the fastest again, interleaved, and the fastest of the finals wins") {
  sweep_fixture setup(R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1, 2]}
workloads: [{generate: path5}, {generate: star7}]
measurement: {warmup: 0, repeats: 1, finalists: 3, final_rounds: 4, counters: false}
)");
  // The first sample of alpha=1 was lucky.
  std::map<std::string, int> seen;
  setup.script.on_run = [&](const fake_run& run) {
    const bool first = seen[run.workload + run.label]++ == 0;
    if (run.label == "alpha=1,beta=1") return time_of(first ? 1 : 9);
    return time_of(run.label == "alpha=1,beta=2" ? 2 : run.label == "alpha=2,beta=1" ? 3 : 20);
  };
  const in_process_summary summary = setup.sweep();
  CHECK(summary.progress.finals == 2);
  CHECK(summary.progress.measured == 12);
  const db::table places =
      db::run_query(setup.store(),
                    "SELECT place, configuration, median_ms, first_median_ms, rounds FROM final_result "
                    "WHERE workload = 'path5' ORDER BY place");
  std::vector<std::string> rows;
  for (const auto& row : places.rows) {
    rows.push_back(row[0].text + " " + row[1].text + " " + row[2].text + " " + row[3].text + " " + row[4].text);
  }
  CHECK(rows == std::vector<std::string>{"1 alpha=1,beta=2 2 2 4", "2 alpha=2,beta=1 3 3 4", "3 alpha=1,beta=1 9 1 4"});
  // Finals run while their graph is loaded. The configuration that starts a round was second in the previous one.
  std::vector<std::string> order;
  for (std::size_t i = 6; i < 12; ++i)
    order.push_back(setup.script.runs.at(i).workload + " " + setup.script.runs[i].label);
  CHECK(order == std::vector<std::string>{"star7 alpha=1,beta=1", "star7 alpha=1,beta=2", "star7 alpha=2,beta=1",
                                          "star7 alpha=1,beta=2", "star7 alpha=2,beta=1", "star7 alpha=1,beta=1"});
  CHECK(setup.script.loads == std::vector<std::string>{"star7", "path5"});
  // The samples of the trials are unchanged, and no work is repeated.
  CHECK(db::run_query(setup.store(), "SELECT count(*) FROM sample").rows[0][0].text == "12");
  const std::size_t runs = setup.script.runs.size();
  CHECK(setup.sweep().progress.finals == 0);
  CHECK(setup.script.runs.size() == runs);
}

TEST_CASE("a finalist that fails in its final has no place, and the others have theirs") {
  sweep_fixture setup(R"(name: test
problem: fake
parameters: {alpha: [1, 2, 3], beta: [1]}
workloads: [{generate: path5}]
measurement: {warmup: 0, repeats: 1, finalists: 3, final_rounds: 3, counters: false}
)");
  std::map<std::string, int> seen;
  setup.script.on_check = [&](const fake_run& run) {
    return ++seen[run.label] == 3 && run.label.starts_with("alpha=2") ? "vertex 3 is wrong" : "";
  };
  setup.sweep();
  const db::table places =
      db::run_query(setup.store(), "SELECT place, configuration, rounds FROM final_result ORDER BY place");
  REQUIRE(places.rows.size() == 2);
  CHECK(places.rows[0][1].text == "alpha=1,beta=1");
  CHECK(places.rows[1][1].text == "alpha=3,beta=1");
  CHECK(places.rows[1][2].text == "3");
  CHECK(db::run_query(setup.store(), "SELECT message FROM final").rows[0][0].text ==
        "alpha=2,beta=1 failed (wrong_answer: vertex 3 is wrong)");
}

TEST_CASE("a final with one right answer or none is over at once") {
  sweep_fixture setup(R"(name: test
problem: fake
parameters: {alpha: [1, 2], beta: [1]}
workloads: [{generate: path5}]
measurement: {warmup: 0, repeats: 1, finalists: 2, counters: false}
)");
  setup.script.on_check = [](const fake_run& run) { return run.label.starts_with("alpha=2") ? "wrong" : ""; };
  CHECK(setup.sweep().progress.finals == 0);
  CHECK(setup.script.runs.size() == 2);
  CHECK(db::run_query(setup.store(), "SELECT state FROM final").rows[0][0].text == "done");
}
