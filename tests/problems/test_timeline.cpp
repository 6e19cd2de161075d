// SPDX-License-Identifier: Apache-2.0
// Timelines of a search: the number of vertices read and of active warps over time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "graph/generate.hpp"
#include "problems/shortest_paths/search.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "tests/problems/sssp_test.hpp"

using namespace mlmq;
using namespace mlmq::problems;
using namespace mlmq::problems::tests;

namespace {

struct curves {
  std::vector<double> times;
  std::vector<double> vertices;
  std::vector<double> warps;
  std::vector<double> parallelism;  // empty for searches that do not know it

  [[nodiscard]] double total() const {
    double sum = 0;
    for (const double count : vertices) sum += count;
    return sum;
  }
};

/// Returns all curves of a timeline; checks that they have the same times.
curves curves_of(const tuner::run_report& report) {
  curves points;
  std::map<std::string, std::vector<double>> times;
  for (const db::timeline_point& point : report.timeline) {
    REQUIRE((point.name == "vertices" || point.name == "active_warps" || point.name == "parallelism"));
    (point.name == "vertices"       ? points.vertices
     : point.name == "active_warps" ? points.warps
                                    : points.parallelism)
        .push_back(point.value);
    times[point.name].push_back(point.time_ms);
  }
  points.times = times["vertices"];
  for (const auto& [name, of_curve] : times) CHECK(of_curve == points.times);
  return points;
}

tuner::run_report record(backends::backend& device, const graph::csr_graph& graph, const std::string& label,
                         std::string& wrong) {
  const auto instance = problems::search(search_kind::sssp).load_graph(device, graph, "graph");
  const tuner::configuration chosen = configuration_of(label);
  const auto timeline = tuner::instrumentation::timeline;
  instance->prepare(chosen, device.compile(instance->variant(chosen, timeline)), timeline);
  tuner::run_report report = instance->run_from(0, 1000);
  wrong = instance->check();
  return report;
}

}  // namespace

TEST_CASE("a timeline tells when every vertex was read, by every kind of solver") {
  const auto device = open_simulator();
  const graph::csr_graph graph = graph::generate_named("road7").graph;
  std::size_t reached = 0;
  for (const char* const label :
       {"l1=vector,wb=2,l2=bucket,threads=64", "l1=none,l2=vector,threads=64,ell_width=4", "solver=adds,threads=64",
        "solver=near_far,threads=64", "solver=bellman_ford,threads=64"}) {
    CAPTURE(label);
    std::string wrong;
    const tuner::run_report report = record(*device, graph, label, wrong);
    CHECK(report.message == "");
    CHECK(wrong == "");
    CHECK(report.counters.empty());
    const curves points = curves_of(report);
    REQUIRE(points.times.size() > 4);
    CHECK(points.times.size() <= 1024);
    CHECK(points.times.front() == 0);
    for (std::size_t i = 0; i < points.times.size(); ++i) {
      CHECK(points.times[i] == Approx(static_cast<double>(i) * 0.001024));
      // At least the reading warp is active; the device has only 4 × 8 warps.
      CHECK(points.warps[i] >= std::min(points.vertices[i], 1.0));
      CHECK(points.warps[i] <= 32);
    }
    CHECK(points.warps.back() > 0);
    CHECK(points.parallelism.empty() == (std::string(label).find("solver") == std::string::npos));
    // Not longer than the run; the time before the first vertex is not shown.
    CHECK(points.times.back() <= report.milliseconds);
    if (reached == 0) reached = graph.vertex_count() * 9 / 10;
    CHECK(points.total() >= static_cast<double>(reached));
    CHECK(points.total() <= 20.0 * static_cast<double>(graph.vertex_count()));
    CHECK(*std::max_element(points.warps.begin(), points.warps.end()) > 1);
  }
}

TEST_CASE("parallelism is the frontier of a superstep, and what ADDS has assigned") {
  const auto device = open_simulator();
  for (const char* const label :
       {"solver=bellman_ford,threads=64", "solver=bellman_ford,threads=64,one_block=0",
        "solver=bellman_ford,threads=64,one_block=0,launches=each_step", "solver=near_far,threads=64",
        "solver=near_far,threads=64,one_block=0,launches=each_step", "solver=adds,threads=64"}) {
    CAPTURE(label);
    const std::string solver = std::string(label).substr(0, std::string(label).find(','));
    // The manager of ADDS assigns a vertex before it sees that its predecessor is completed.
    const double most_on_path = solver == "solver=adds" ? 2 : 1;
    std::string wrong;
    const curves path = curves_of(record(*device, graph::generate_named("path40").graph, label, wrong));
    REQUIRE(path.parallelism.size() > 4);
    for (std::size_t i = 0; i + 2 < path.parallelism.size(); ++i) {
      CHECK(path.parallelism[i] <= most_on_path);
      // Near-Far offers nothing while it splits the far pile, and ADDS while the manager polls.
      if (solver == "solver=bellman_ford") CHECK(path.parallelism[i] == Approx(1));
    }
    CHECK(*std::max_element(path.parallelism.begin(), path.parallelism.end()) > 0.5);
    // 99 neighbours of the source are reached by one superstep.
    const graph::csr_graph star = graph::generate_named("star100").graph;
    const curves of_star = curves_of(record(*device, star, label, wrong));
    const double most = *std::max_element(of_star.parallelism.begin(), of_star.parallelism.end());
    CHECK(most <= 99);
    CHECK(most > 50);
  }
}

TEST_CASE("a long run is recorded with longer intervals") {
  // A path keeps one warp busy; others would only take time.
  const auto device = open_simulator("simt:1x8");
  const graph::csr_graph path = graph::generate_named("path1500").graph;
  std::string wrong;
  const tuner::run_report report = record(*device, path, "l1=none,l2=vector,threads=64", wrong);
  CHECK(wrong == "");
  REQUIRE(report.milliseconds > 1.1);  // longer than the shortest intervals can record
  const curves points = curves_of(report);
  CHECK(points.times.size() <= 1024);
  const double length = points.times.at(1);
  CHECK((length == Approx(0.004096) || length == Approx(0.016384)));
  CHECK(points.total() == 1500);  // a path leaves no choice of order
  CHECK(points.times.back() > 0.5 * report.milliseconds);
}

TEST_CASE("without a timeline a variant has the same source as before timelines were added") {
  const tuner::configuration chosen = configuration_of("l1=vector,l2=bucket");
  const auto plain = solver_variant(chosen, {});
  const auto recording = solver_variant(chosen, {.timeline = true});
  CHECK(plain.defines.count("MLMQ_TIMELINE") == 0);
  auto expected = plain.defines;
  expected.emplace("MLMQ_TIMELINE", "1");
  CHECK(recording.defines == expected);
  const auto device = open_simulator();
  const auto instance =
      problems::search(search_kind::sssp).load_graph(*device, graph::generate_named("road5").graph, "graph");
  instance->prepare(chosen, device->compile(instance->variant(chosen, tuner::instrumentation::none)),
                    tuner::instrumentation::none);
  CHECK(instance->run_from(0, 1000).timeline.empty());
}

TEST_CASE("searches on processors say that they have no timeline") {
  const auto device = backends::open_device("cpu");
  const auto instance =
      problems::search(search_kind::sssp).load_graph(*device, graph::generate_named("road5").graph, "graph");
  const tuner::configuration chosen = configuration_of("solver=dijkstra");
  const auto timeline = tuner::instrumentation::timeline;
  const auto compiled = device->compile(instance->variant(chosen, timeline));
  CHECK_THROWS_AS(instance->prepare(chosen, compiled, timeline), backends::launch_error);
  CHECK_THROWS_WITH(instance->prepare(chosen, compiled, timeline), Catch::Contains("timeline"));
}
