// SPDX-License-Identifier: Apache-2.0
// The fuzzing of the queues: which runs it makes, and that the unchanged queues pass.
#include "problems/shortest_paths/checks/schedule_check.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "graph/adversarial.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "tests/support/share.hpp"

namespace {

using namespace mlmq;
using problems::check_schedules;
using problems::schedule_check_options;
using problems::schedule_check_report;

}  // namespace

TEST_CASE("every adversarial graph can be made with both weights, and an unknown one is refused") {
  for (const auto names : {graph::adversarial_names(), graph::slow_adversarial_names()}) {
    for (const std::string_view name : names) {
      for (const auto weights : {graph::weight_type::uint32, graph::weight_type::float32}) {
        CHECK(graph::adversarial_graph(name, weights).weights() == weights);
      }
    }
  }
  CHECK(graph::adversarial_graph("fills", graph::weight_type::uint32).offsets()[1] == graph::adversarial_queue_slots);
  CHECK(graph::adversarial_graph("hub100000", graph::weight_type::uint32).edge_count() == 100'000);
  CHECK_THROWS_AS(graph::adversarial_graph("nothing", graph::weight_type::uint32), input_error);
}

TEST_CASE("all declared queues are checked") {
  const auto pairs = problems::all_queue_pairs();
  for (const tuner::parameter_declaration& declared : problems::search_declarations()) {
    if (declared.name != "l1" && declared.name != "l2") continue;
    for (const std::string& value : declared.allowed) {
      CHECK(std::any_of(pairs.begin(), pairs.end(), [&](const problems::queue_pair& pair) {
        return (declared.name == "l1" ? pair.l1 : pair.l2) == value;
      }));
    }
  }
  for (const std::string& solver : problems::search_declarations().front().allowed) {
    const bool is_there =
        std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.solver == solver; });
    CAPTURE(solver);
    // The simulator does not schedule threads of processors.
    CHECK(is_there == !problems::is_cpu_solver(solver));
  }
}

TEST_CASE("a small check of the queues as they are succeeds") {
  schedule_check_options options;
  options.queues = tests::share_of(std::vector<problems::queue_pair>{{"none", "vector"},
                                                                     {"vector", "bucket"},
                                                                     {"slf", "multi_heap"},
                                                                     {"", "", "near_far"},
                                                                     {"", "", "adds"},
                                                                     {"", "", "bellman_ford"},
                                                                     {"", "", "push_pull"},
                                                                     {"", "", "near_pull"}});
  options.schedules = 56;  // each graph, problem and weight type once
  std::uint64_t last_total = 0;
  const schedule_check_report report = check_schedules(options, [&](const problems::schedule_check_progress& now) {
    CHECK(now.done <= now.total);
    last_total = now.total;
  });
  if (report.failure)
    FAIL(report.failure->test_case.graph << " " << report.failure->test_case.seed << ": " << report.failure->message);
  REQUIRE(report.results.size() == options.queues.size());
  for (const problems::queue_pair_result& result : report.results) {
    CHECK(result.schedules == 56);
    CHECK(result.failures == 0);
    CHECK(result.operations > 0);
  }
  CHECK(report.variants > 0);
  CHECK((last_total == 0 || last_total == options.queues.size() * 56 || last_total == report.variants));
}

TEST_CASE("solvers that ignore weights are checked on unit weights") {
  schedule_check_options options;
  options.queues = {{"", "", "push_pull"}};
  options.graphs = {"rmat"};
  options.schedules = 2;
  options.problems = {problems::search_kind::sssp};
  CHECK_THROWS_WITH(check_schedules(options), Catch::Contains("only be checked with the problem bfs"));
  options.queues.push_back({"vector", "bucket"});
  CHECK(check_schedules(options).results.size() == 1);
  options.problems = {problems::search_kind::bfs, problems::search_kind::sssp};
  const schedule_check_report report = check_schedules(options);
  REQUIRE(report.results.size() == 2);
  CHECK(report.results.front().schedules == 2);
  CHECK(!report.failure);
}

TEST_CASE("the number of threads does not change the runs") {
  schedule_check_options options;
  options.queues = {{"vector", "bucket"}};
  options.graphs = {"shortcuts", "overflows"};
  options.schedules = 12;
  options.jobs = 1;
  const schedule_check_report alone = check_schedules(options);
  options.jobs = 3;
  const schedule_check_report together = check_schedules(options);
  CHECK(alone.results.at(0).operations == together.results.at(0).operations);
}

TEST_CASE("queues and graphs that do not exist are refused") {
  schedule_check_options options;
  options.queues = {{"vector", "nothing"}};
  CHECK_THROWS_AS(check_schedules(options), input_error);
  options.queues = {{"vector", "bucket"}};
  options.graphs = {"nothing"};
  CHECK_THROWS_AS(check_schedules(options), input_error);
}
