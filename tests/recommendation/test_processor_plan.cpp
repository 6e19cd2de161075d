// SPDX-License-Identifier: Apache-2.0
// The choice of a search on processors, against measured times.
#include "problems/searches/solver_table.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "graph/generate.hpp"
#include "problems/recommendation.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "tuner/parameter.hpp"

namespace {

using namespace mlmq;
using problems::search_kind;

constexpr std::array delta_widths = {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0};

/// Milliseconds of one thread of an AMD EPYC: the minimum of 3 to 200 runs (docs/notebook/processors.md).
struct measured_graph {
  const char* name;
  double vertices;
  double edges;
  double dijkstra;
  std::array<double, delta_widths.size()> delta_stepping;
  bool has_equal_weights = false;
  bool has_hubs = false;
};

constexpr measured_graph measured[] = {
    {"road7", 118, 308, 0.0043, {0.0047, 0.0042, 0.0036, 0.0034, 0.0032, 0.0033, 0.0035, 0.0032, 0.0033}},
    {"road8", 250, 670, 0.0077, {0.0081, 0.0064, 0.0056, 0.0051, 0.0051, 0.0050, 0.0049, 0.0052, 0.0061}},
    {"road10", 1011, 2894, 0.0364, {0.0266, 0.0222, 0.0202, 0.0193, 0.0199, 0.0206, 0.0206, 0.0210, 0.0294}},
    {"road12", 4054, 11698, 0.1697, {0.0812, 0.0812, 0.0790, 0.0797, 0.0804, 0.0848, 0.0924, 0.1025, 0.1263}},
    {"road14", 16214, 46800, 0.6723, {0.3450, 0.3201, 0.3104, 0.3048, 0.3141, 0.3304, 0.3611, 0.4120, 0.5625}},
    {"road16", 64958, 187872, 2.8574, {1.3520, 1.4924, 1.3882, 1.4057, 1.3333, 1.4556, 1.7154, 1.7876, 2.1785}},
    {"road18", 259956, 753940, 13.4416, {7.0464, 7.3371, 7.8097, 7.6084, 7.1112, 7.6906, 8.8816, 8.3301, 11.7616}},
    {"rmat7", 128, 1024, 0.0032, {0.0037, 0.0035, 0.0037, 0.0039, 0.0040, 0.0040, 0.0040, 0.0040, 0.0042}},
    {"rmat9", 512, 4096, 0.0081, {0.0099, 0.0101, 0.0116, 0.0131, 0.0144, 0.0142, 0.0142, 0.0142, 0.0152}},
    {"rmat14", 16384, 131072, 0.5147, {0.4232, 0.4951, 0.6019, 0.6990, 0.8327, 0.8303, 0.7870, 0.7978, 0.8603}},
    {"rmat16", 65536, 524288, 2.3482, {1.8697, 2.5692, 3.5058, 3.4744, 3.7833, 4.3199, 3.8953, 3.8253, 3.9697}},
    {"del8", 256, 1502, 0.0094, {0.0074, 0.0063, 0.0061, 0.0061, 0.0061, 0.0066, 0.0074, 0.0092, 0.0103}},
    {"del10", 1024, 6096, 0.0529, {0.0342, 0.0313, 0.0315, 0.0320, 0.0335, 0.0354, 0.0411, 0.0517, 0.0694}},
    {"del12", 4096, 24534, 0.2301, {0.1245, 0.1200, 0.1211, 0.0977, 0.1346, 0.1475, 0.1711, 0.2092, 0.3171}},
    {"del14", 16384, 98258, 0.8816, {0.4808, 0.4624, 0.4850, 0.4987, 0.5332, 0.5867, 0.6480, 0.8071, 0.9530}},
    {"power9", 512, 6408, 0.0181, {0.0207, 0.0238, 0.0275, 0.0367, 0.0476, 0.0450, 0.0446, 0.0428, 0.0508}},
    {"power14", 16384, 229284, 1.8685, {1.2991, 1.4010, 2.6362, 2.1341, 5.9507, 3.5516, 4.4908, 3.4546, 3.5906}},
    {"web12", 4096, 30341, 0.1907, {0.1348, 0.1306, 0.1374, 0.1477, 0.1734, 0.2451, 0.2599, 0.2396, 0.2713}},
    {"community14", 16360, 205780, 1.3249, {0.9822, 1.0278, 1.4345, 3.8022, 2.4615, 4.4053, 3.0310, 3.0823, 3.5723}},
    {"circuit14",
     16374,
     62308,
     0.6692,
     {0.5029, 0.4434, 0.5542, 0.5031, 0.5103, 0.6843, 0.7439, 0.7075, 0.7755},
     false,
     true},
    {"complete300", 300, 89700, 0.0786, {0.1107, 0.1112, 0.1063, 0.1017, 0.1086, 0.1075, 0.1077, 0.1126, 0.1069}},
    {"grid20", 400, 1520, 0.0055, {0.0073, 0.0072, 0.0073, 0.0073, 0.0073, 0.0072, 0.0070, 0.0070, 0.0074}, true},
    {"grid32", 1024, 3968, 0.0115, {0.0164, 0.0165, 0.0164, 0.0165, 0.0161, 0.0158, 0.0154, 0.0154, 0.0167}, true},
    {"grid300", 90000, 358800, 1.7894, {2.1799, 1.9476, 1.7588, 2.1341, 1.8487, 1.9405, 2.4573, 2.4670, 2.6952}, true},
};

double measured_ms(const measured_graph& graph, const tuner::configuration& chosen) {
  if (problems::solver_of(chosen) == "dijkstra") return graph.dijkstra;
  const double width = problems::processor_numbers(chosen).delta;
  const auto column = std::find(delta_widths.begin(), delta_widths.end(), width);
  REQUIRE(column != delta_widths.end());
  return graph.delta_stepping[static_cast<std::size_t>(column - delta_widths.begin())];
}

/// Returns a configuration as it is recommended, with all parameters.
std::string complete(const std::string& label) {
  return tuner::parameter_set::from_declarations(problems::search_declarations()).parse_label(label).label();
}

/// Returns the searches on processors that are recommended for a graph of which only the shape is known.
std::vector<problems::recommended_configuration> ranked(search_kind kind, const problems::graph_shape& graph,
                                                        unsigned threads) {
  backends::device_info device;
  device.grid = false;
  device.multiprocessors = threads;
  return problems::recommend(problems::find_problem(std::string(problems::name_of(kind))),
                             {.name = "a graph",
                              .features = {{"m", graph.vertices},
                                           {"nnz", graph.edges},
                                           {"weight_variation", graph.has_equal_weights ? 0 : 0.5},
                                           {"hub_ratio", graph.has_wide_hubs ? 33 : 1}}},
                             device);
}

/// Returns the fastest expected one.
std::string first(search_kind kind, const problems::graph_shape& graph, unsigned threads) {
  return ranked(kind, graph, threads).front().configuration.label();
}

}  // namespace

TEST_CASE("one thread's search is at most 1.3 times as long as the best measured one") {
  for (const measured_graph& graph : measured) {
    const auto chosen = ranked(search_kind::sssp,
                               {.vertices = graph.vertices,
                                .edges = graph.edges,
                                .has_equal_weights = graph.has_equal_weights,
                                .has_wide_hubs = graph.has_hubs},
                               1)
                            .front();
    const double best = std::min(graph.dijkstra, *std::ranges::min_element(graph.delta_stepping));
    const double milliseconds = measured_ms(graph, chosen.configuration);
    CAPTURE(graph.name, chosen.configuration.label(), milliseconds, best, *chosen.expected_ms);
    CHECK(milliseconds <= 1.3 * best);
    // The prediction must at least be of the right order.
    CHECK(*chosen.expected_ms < 4 * milliseconds);
    CHECK(*chosen.expected_ms > milliseconds / 4);
  }
}

TEST_CASE("every ranked search runs on processors, the fastest expected one first") {
  for (const search_kind kind : {search_kind::sssp, search_kind::bfs}) {
    for (const double vertices : {1.0, 100.0, 1e4, 1e6, 1e9}) {
      for (const double degree : {0.0, 1.0, 5.0, 7.0, 20.0, 1000.0}) {
        double before = 0;
        for (const unsigned threads : {1U, 2U, 8U, 16U, 256U}) {
          CAPTURE(vertices, degree, threads);
          const auto searches = ranked(kind, {.vertices = vertices, .edges = vertices * degree}, threads);
          CHECK(searches.size() == (kind == search_kind::bfs ? 3 : 2));
          CHECK(std::ranges::is_sorted(searches, {}, &problems::recommended_configuration::expected_ms));
          for (const auto& search : searches) CHECK(problems::is_cpu_solver(problems::solver_of(search.configuration)));
          CHECK(*searches.front().expected_ms > 0);
          if (threads > 1) CHECK(*searches.front().expected_ms <= before);
          before = *searches.front().expected_ms;
        }
      }
    }
  }
}

TEST_CASE("buckets of large graphs grow with the threads that share them, those of small graphs do not") {
  const auto width = [](double vertices, double edges, unsigned threads) {
    for (const auto& search : ranked(search_kind::sssp, {.vertices = vertices, .edges = edges}, threads)) {
      if (problems::solver_of(search.configuration) == "delta_stepping")
        return problems::processor_numbers(search.configuration).delta;
    }
    return 0.0;
  };
  CHECK(width(1e6, 3e6, 1) == 0.5);
  CHECK(width(1e6, 3e6, 2) == 1);
  CHECK(width(1e6, 3e6, 8) == 16);
  CHECK(width(1e6, 3e6, 16) == 16);
  CHECK(width(1e6, 6e6, 8) == 8);
  CHECK(width(1e6, 6e6, 16) == 8);
  CHECK(width(1e6, 8e6, 1) == 0.125);
  CHECK(width(1e6, 8e6, 16) == 0.125);
  for (const unsigned threads : {1U, 2U, 8U, 16U}) CHECK(width(250, 670, threads) == 0.5);
  // On a graph that fits in the caches, two threads gain nothing.
  CHECK(width(65'000, 188'000, 2) == width(65'000, 188'000, 1));
}

TEST_CASE("hubs keep buckets narrow, and small graphs of equal weights are for dijkstra on any number of threads") {
  // circuit14 on 8 threads: 0.355 ms with the width 1, 0.494 ms with 8 (docs/notebook/processors.md).
  CHECK(first(search_kind::sssp, {.vertices = 16374, .edges = 62308, .has_wide_hubs = true}, 8) ==
        complete("solver=delta_stepping,cpu_delta=0.5"));
  CHECK(first(search_kind::sssp, {.vertices = 16374, .edges = 62308}, 8) ==
        complete("solver=delta_stepping,cpu_delta=8"));
  for (const unsigned threads : {1U, 2U, 8U, 16U})
    CHECK(first(search_kind::sssp, {.vertices = 10000, .edges = 39600, .has_equal_weights = true}, threads) ==
          complete("solver=dijkstra"));
  CHECK(first(search_kind::sssp, {.vertices = 640'000, .edges = 2'556'800, .has_equal_weights = true}, 2) !=
        complete("solver=dijkstra"));
}

TEST_CASE("hubs are found in graphs where they change the width") {
  CHECK(problems::has_wide_hubs(graph::generate_named("circuit14").graph));
  CHECK_FALSE(problems::has_wide_hubs(graph::generate_named("road14").graph));
  CHECK_FALSE(problems::has_wide_hubs(
      graph::generate_named("rmat14").graph));  // many edges per vertex: the width does not grow
}

TEST_CASE("levels of dense graphs are found by bfs, of sparse ones by a search that does not look at all vertices") {
  for (const unsigned threads : {1U, 16U}) {
    CHECK(first(search_kind::bfs, {.vertices = 1 << 18, .edges = 14.0 * (1 << 18)}, threads) == complete("solver=bfs"));
    CHECK(first(search_kind::bfs, {.vertices = 16214, .edges = 46800}, threads) != complete("solver=bfs"));
    CHECK(first(search_kind::bfs, {.vertices = 250, .edges = 670}, threads) == complete("solver=dijkstra"));
  }
}

TEST_CASE("equal weights are found, and the first other one is") {
  CHECK(problems::has_equal_weights(graph::generate_named("grid10").graph));
  CHECK(problems::has_equal_weights(graph::generate_named("road6:weights=unit").graph));
  CHECK_FALSE(problems::has_equal_weights(graph::generate_named("road6").graph));
  CHECK(problems::has_equal_weights(graph::csr_graph()));
}
