// SPDX-License-Identifier: Apache-2.0
// The competitors of the multi-level queue: answers are right, no element is lost, failures are reported, and runs are
// reproducible.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "graph/builder.hpp"
#include "graph/reference.hpp"
#include "problems/registry.hpp"
#include "sssp_test.hpp"
#include "tests/support/share.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems::tests;
using problems::ring_limits;
using problems::search_kind;
using tuner::instrumentation;

constexpr auto both_weights = {graph::weight_type::uint32, graph::weight_type::float32};
constexpr auto all_weights = {graph::weight_type::uint32, graph::weight_type::float32, graph::weight_type::float64};

/// Runs every problem on every hard graph, and checks that each lowered distance is written once and read once.
void search_all(const std::vector<std::string>& labels, graph::weight_type widest = graph::weight_type::float64) {
  const auto device = open_simulator();
  std::uint64_t number = 0;
  for (const search_kind kind : {search_kind::sssp, search_kind::bfs}) {
    for (const auto weights : all_weights) {
      for (const hard_graph& hard : hard_graphs(weights)) {
        search tried(*device, hard.graph, {}, kind);
        const graph::csr_graph meant = kind == search_kind::bfs ? graph::with_unit_weights(hard.graph) : hard.graph;
        // Levels are integers.
        if (weights > widest && kind == search_kind::sssp) continue;
        for (const std::string& label : labels) {
          if (!tests::in_share(number++)) continue;
          const graph::vertex_id source = hard.sources.back();
          CAPTURE(problems::name_of(kind), hard.name, source, label);
          tried.prepare(configuration_of(label), instrumentation::counters);
          const tuner::run_report report = tried.run(source);
          REQUIRE(report.message == "");
          REQUIRE(report.result == db::outcome::ok);
          CHECK(disagreement(tried, meant, source) == "");
          auto count = counters_of(report);
          CHECK(count["pops"] == count["updates"] + 1);
          CHECK(count["l2_reads"] == count["l2_writes"]);
          CHECK(count["updates"] <= count["distance_atomics"]);
          CHECK(count["distance_atomics"] <= count["relaxations"]);
          CHECK(count["stale_pops"] <= count["pops"]);
        }
      }
    }
  }
}

constexpr graph::vertex_id fan = 24;
constexpr graph::vertex_id root = 0;
constexpr graph::vertex_id tree_size = 1 + fan + fan * fan;
constexpr graph::vertex_id chain = tree_size;

/// Returns a graph in which several hundred vertices wait at the same time from `root`, and never more than one from
/// `chain`.
graph::csr_graph tree_and_chain() {
  graph::edge_list edges;
  for (graph::vertex_id v = 1; v < tree_size; ++v) edges.add((v - 1) / fan, v, 1 + v % 7);
  for (graph::vertex_id v = chain; v < chain + 30; ++v) edges.add(v, v + 1, 2);
  return graph::build_csr(chain + 31, edges);
}

/// Returns one configuration of each competitor.
const std::vector<std::string>& one_of_each() {
  static const std::vector<std::string> labels = {"solver=bellman_ford,threads=64", "solver=near_far,threads=64",
                                                  "solver=adds,threads=64"};
  return labels;
}

}  // namespace

TEST_CASE("Bellman-Ford finds Dijkstra's distances and levels") {
  search_all({"solver=bellman_ford,threads=128", "solver=bellman_ford,threads=64,one_block=0,heavy_degree=8",
              "solver=bellman_ford,threads=64,one_block=0,launches=each_step"});
}

TEST_CASE("Near-Far finds Dijkstra's distances and levels") {
  search_all({"solver=near_far,threads=128", "solver=near_far,threads=64,one_block=0,heavy_degree=8",
              "solver=near_far,threads=128,one_block=20,delta_rule=fixed,delta_fixed=0.05",
              "solver=near_far,threads=64,one_block=0,launches=each_step",
              "solver=near_far,threads=64,one_block=0,launches=each_step,delta_rule=fixed,delta_fixed=0.05"});
}

TEST_CASE("ADDS finds Dijkstra's distances and levels") {
  search_all(
      {"solver=adds,threads=128", "solver=adds,threads=64,adds_delta_mode=static,adds_buckets=2,heavy_degree=8",
       "solver=adds,threads=64,delta_rule=fixed,delta_fixed=0.05,adds_open=1,adds_chunk=8",
       "solver=adds,threads=64,adds_open_mode=dynamic,adds_load=0.5",
       "solver=adds,threads=64,adds_open_mode=dynamic,adds_delta_mode=static,adds_buckets=2,adds_load=1000,adds_open=1",
       "solver=adds,threads=64,ell_width=4,read_first=false", "solver=adds,threads=64,ell_width=16,heavy_degree=8"},
      graph::weight_type::float32);
}

TEST_CASE("competitors reach infinite distances and give them out as infinite") {
  const auto device = open_simulator();
  const graph::csr_graph graph = chain_to_infinity();
  search tried(*device, graph);
  for (const std::string& solver : one_of_each()) {
    for (const char* const rest : {"", ",delta_rule=fixed,delta_fixed=0.001"}) {
      if (*rest != '\0' && solver.find("bellman_ford") != std::string::npos) continue;
      CAPTURE(solver, rest);
      tried.prepare(configuration_of(solver + rest));
      CHECK(tried.run(0, 1, 50).message == "");
      CHECK(disagreement(tried, graph, 0) == "");
    }
  }
}

TEST_CASE("one instance changes its solver between searches") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("components", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  std::vector<std::string> labels = one_of_each();
  labels.push_back("l2=bucket,threads=64");
  for (graph::vertex_id source = 0; source < hard.graph.vertex_count(); source += 3) {
    CAPTURE(source);
    tried.prepare(configuration_of(labels.at(source % labels.size())));
    REQUIRE(tried.run(source).message == "");
    REQUIRE(disagreement(tried, hard.graph, source) == "");
  }
}

TEST_CASE("a competitor's full queue is enlarged until the search finishes, and stays large") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const graph::csr_graph graph = tree_and_chain();
  for (const std::string& solver : one_of_each()) {
    for (const std::string& rest : {std::string(), std::string(",one_block=0")}) {
      if (!rest.empty() && solver.find("adds") != std::string::npos) continue;
      CAPTURE(solver, rest);
      search tried(device, graph, ring_limits{.first = 64});
      tried.prepare(configuration_of(solver + rest), instrumentation::counters);
      device.launches = 0;
      const tuner::run_report first = tried.run(root);
      REQUIRE(first.message == "");
      CHECK(first.result == db::outcome::ok);
      CHECK(device.launches > 1);
      CHECK(disagreement(tried, graph, root) == "");
      // Counts from before the queue was full are not part of the answer.
      CHECK(counters_of(first)["pops"] == tree_size);

      device.launches = 0;
      CHECK(tried.run(root).message == "");
      CHECK(device.launches == 1);
      CHECK(disagreement(tried, graph, root) == "");
    }
  }
}

TEST_CASE("a competitor's queue that cannot grow ends the search as an overflow that names the capacity") {
  const auto device = open_simulator();
  const graph::csr_graph graph = tree_and_chain();
  const std::vector<std::string> labels = {"solver=bellman_ford,threads=64,one_block=0",
                                           "solver=near_far,threads=64,one_block=0,delta_rule=fixed,delta_fixed=0.01",
                                           "solver=adds,threads=64,adds_buckets=2"};
  for (const std::string& label : labels) {
    CAPTURE(label);
    search tried(*device, graph, ring_limits{.first = 64, .largest = 256});
    tried.prepare(configuration_of(label));
    for (int repetition = 0; repetition < 2; ++repetition) {
      const tuner::run_report full = tried.run(root);
      CHECK(full.result == db::outcome::overflow);
      CHECK_THAT(full.message, Catch::Contains("full at 256 elements"));
      const tuner::run_report small = tried.run(chain);
      CHECK(small.message == "");
      CHECK(disagreement(tried, graph, chain) == "");
    }
  }
}

TEST_CASE("a competitor that takes too long is stopped, and the next search is right") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  for (const std::string& solver : one_of_each()) {
    for (const std::string& rest : {std::string(), std::string(",one_block=0")}) {
      if (!rest.empty() && solver.find("adds") != std::string::npos) continue;
      CAPTURE(solver, rest);
      search tried(*device, hard.graph);
      tried.prepare(configuration_of(solver + rest));
      const double needed = tried.run(0).milliseconds;
      for (const double share : {0.01, 0.1, 0.2}) {
        CAPTURE(share);
        const tuner::run_report stopped = tried.run(0, 1, needed * share);
        CHECK(stopped.result == db::outcome::timeout);
        CHECK_THAT(stopped.message, Catch::StartsWith("not finished after ") && Catch::EndsWith(" ms"));
        const tuner::run_report next = tried.run(136);
        CHECK(next.message == "");
        CHECK(disagreement(tried, hard.graph, 136) == "");
      }
    }
  }
}

TEST_CASE("the watchdog stops a competitor, and the next search is right") {
  const auto real = open_simulator();
  tampered_device device(*real);
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  for (const std::string& solver : one_of_each()) {
    CAPTURE(solver);
    search tried(device, hard.graph);
    tried.prepare(configuration_of(solver));
    device.fire_watchdog = true;
    const tuner::run_report stopped = tried.run(0, 1, 2000);
    CHECK(stopped.result == db::outcome::timeout);
    device.fire_watchdog = false;
    CHECK(tried.run(0).message == "");
    CHECK(disagreement(tried, hard.graph, 0) == "");
  }
  CHECK_FALSE(device.is_guarded());
}

TEST_CASE("the same seed gives a competitor the same time and the same work, another seed another time") {
  const hard_graph hard = hard_graph_named("power_law", graph::weight_type::uint32);
  for (const std::string& solver : one_of_each()) {
    CAPTURE(solver);
    std::set<double> times;
    std::set<double> other_times;
    std::set<std::vector<std::pair<std::string, double>>> counts;
    for (int device_number = 0; device_number < 2; ++device_number) {
      const auto device = open_simulator();
      search tried(*device, hard.graph);
      tried.prepare(configuration_of(solver), instrumentation::counters);
      for (int repetition = 0; repetition < 2; ++repetition) {
        const tuner::run_report report = tried.run(0, 7);
        REQUIRE(report.result == db::outcome::ok);
        // Rounded to femtoseconds: the last bits of the modelled clock depend on earlier runs.
        times.insert(std::round(report.milliseconds * 1e12));
        counts.insert(report.counters);
      }
      for (std::uint64_t seed = 1; seed <= 4; ++seed) other_times.insert(tried.run(0, seed).milliseconds);
    }
    CHECK(times.size() == 1);
    CHECK(counts.size() == 1);
    CHECK(other_times.size() > 1);
  }
}

TEST_CASE("a frontier that one block expands alone needs no barriers, and is as many supersteps") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("path", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  const auto run = [&](const char* label) {
    tried.prepare(configuration_of(label), instrumentation::counters);
    return tried.run(0);
  };
  const tuner::run_report alone = run("solver=bellman_ford,threads=64");
  const tuner::run_report together = run("solver=bellman_ford,threads=64,one_block=0");
  CHECK(counters_of(alone)["supersteps"] >= 60);
  CHECK(counters_of(together)["supersteps"] + 1 >= counters_of(alone)["supersteps"]);
  CHECK(alone.milliseconds < 0.7 * together.milliseconds);
}

TEST_CASE("ADDS adjusts its delta unless adds_delta_mode is static") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  const auto changes = [&](const std::string& rest) {
    tried.prepare(configuration_of("solver=adds,threads=64,delta_rule=fixed,delta_fixed=0.1" + rest),
                  instrumentation::counters);
    auto count = counters_of(tried.run(0));
    CHECK(count["bucket_switches"] > 0);
    return count["delta_changes"];
  };
  // Buckets this narrow never hold enough work.
  CHECK(changes(",adds_load=1000") > 0);
  // Any assigned work is enough, but the narrow buckets clip.
  CHECK(changes(",adds_load=0.000001,adds_buckets=8") > 0);
  CHECK(changes(",adds_delta_mode=static") == 0);
}

TEST_CASE("ADDS opens buckets while little is assigned, closes them while much is, and keeps their number otherwise") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  const auto counts_of = [&](const std::string& rest) {
    tried.prepare(
        configuration_of("solver=adds,threads=64,delta_rule=fixed,delta_fixed=1,adds_delta_mode=static" + rest),
        instrumentation::counters);
    const tuner::run_report report = tried.run(0);
    CHECK(report.message == "");
    CHECK(disagreement(tried, hard.graph, 0) == "");
    return counters_of(report);
  };
  // The assigned work is never enough: buckets open one after the other, up to all 32.
  auto opening = counts_of(",adds_open=2,adds_open_mode=dynamic,adds_load=100000");
  CHECK(opening["open_changes"] >= 5);
  CHECK(opening["mean_open"] > 2);
  CHECK(opening["mean_open"] <= 32);
  CHECK(counts_of(",adds_open=31,adds_open_mode=dynamic,adds_load=100000")["open_changes"] == 1);
  // Any assigned work is enough.
  auto closing = counts_of(",adds_open=32,adds_open_mode=dynamic,adds_load=0.000001");
  CHECK(closing["open_changes"] > 0);
  CHECK(closing["mean_open"] < 32);
  CHECK(closing["mean_open"] >= 1);
  auto fixed = counts_of(",adds_open=2");
  CHECK(fixed.count("mean_open") == 0);
  CHECK(fixed.count("open_changes") == 0);
}

TEST_CASE("configurations of ADDS from before its number of open buckets could be dynamic keep their identity") {
  CHECK(configuration_of("solver=adds,adds_open_mode=static").label() == configuration_of("solver=adds").label());
  CHECK(configuration_of("solver=adds").label().find("adds_open_mode") == std::string::npos);
  CHECK(configuration_of("solver=adds,adds_delta_mode=static").label().find("adds_load") == std::string::npos);
  CHECK(configuration_of("solver=adds,adds_delta_mode=static,adds_open_mode=dynamic").label().find("adds_load=1") !=
        std::string::npos);
}

TEST_CASE("a launch for each superstep does the work of one launch for all, and ends at its time limit") {
  const auto device = open_simulator();
  const hard_graph hard = hard_graph_named("grid", graph::weight_type::uint32);
  search tried(*device, hard.graph);
  for (const char* const solver : {"solver=bellman_ford", "solver=near_far"}) {
    CAPTURE(solver);
    const auto counted = [&](const std::string& rest) {
      tried.prepare(configuration_of(solver + std::string(",threads=64,one_block=0") + rest),
                    instrumentation::counters);
      return counters_of(tried.run(0));
    };
    auto together = counted("");
    auto in_steps = counted(",launches=each_step");
    CHECK(in_steps["supersteps"] >= 10);
    // One block alone takes the first superstep, and a split that leaves nothing near may follow on another.
    CHECK(in_steps["supersteps"] <= together["supersteps"] + 2);
    CHECK(in_steps["supersteps"] + 2 >= together["supersteps"]);
    tried.prepare(configuration_of(solver + std::string(",threads=64,one_block=0,launches=each_step")));
    CHECK(tried.run(0, 1, 1e-3).result == db::outcome::timeout);
  }
}

TEST_CASE("a row that is cut into slices is relaxed by all blocks") {
  const auto device = open_simulator();
  for (const auto weights : both_weights) {
    const hard_graph hard = hard_graph_named("hub", weights);
    search tried(*device, hard.graph);
    for (const char* const label : {"solver=bellman_ford,threads=64", "solver=near_far,threads=64,one_block=0",
                                    "solver=near_far,threads=64,one_block=0,launches=each_step"}) {
      CAPTURE(label);
      tried.prepare(configuration_of(label), instrumentation::counters);
      const tuner::run_report report = tried.run(0);
      REQUIRE(report.message == "");
      CHECK(disagreement(tried, hard.graph, 0) == "");
      CHECK(counters_of(report)["relaxations"] == hard.graph.edge_count());
    }
  }
}

TEST_CASE("results of a competitor belong to its own kernel source") {
  const auto problem = problems::make_problem("sssp");
  std::set<std::string> hashes = {problem->source_hash(configuration_of(""))};
  for (const std::string& label : one_of_each()) hashes.insert(problem->source_hash(configuration_of(label)));
  CHECK(hashes.size() == 1 + one_of_each().size());
}
