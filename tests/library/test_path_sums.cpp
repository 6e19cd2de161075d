// SPDX-License-Identifier: Apache-2.0
// Sums of a quantity along shortest paths: every solver against the paths of single searches, and refused input.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "library/path_sums.hpp"
#include "mlmq/mlmq.hpp"
#include "reductions/path_sums_abi.cuh"
#include "tests/multi_source/batch_test.hpp"
#include "tests/oracle/tiny_graph.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;
using Catch::Contains;

namespace {

constexpr double no_path = std::numeric_limits<double>::infinity();

std::vector<vertex> all_vertices(const digraph& graph) {
  std::vector<vertex> vertices(graph.vertex_count());
  std::iota(vertices.begin(), vertices.end(), vertex{0});
  return vertices;
}

/// Quantities that differ between parallel edges, and the largest one.
std::vector<std::uint32_t> some_quantities(std::uint64_t edges, std::uint64_t seed) {
  std::vector<std::uint32_t> quantities(edges);
  for (std::uint64_t i = 0; i < edges; ++i)
    quantities[i] = (i + seed) % 5 == 0 ? 0xFFFFFFFFu : static_cast<std::uint32_t>((i * 7919 + seed) % 1000);
  return quantities;
}

/// A graph as a list of edges with numbers that do not depend on its type, and the sums by their definition.
struct listed_graph {
  struct edge {
    vertex source;
    vertex target;
    double weight;
  };
  std::vector<edge> edges = {};
  number_type type = number_type::uint32;
  bool has_unit_weights = false;

  /// Returns the distance at the end of an edge, rounded like those of searches.
  [[nodiscard]] double extend(double distance, double weight) const {
    if (has_unit_weights) return distance + 1;
    if (type == number_type::float32)
      return static_cast<double>(static_cast<float>(distance) + static_cast<float>(weight));
    return type == number_type::float64 ? distance + weight : std::min(distance + weight, 4294967294.0);
  }

  /// Returns the sum over a path, each step over the equally short edge with the smallest quantity.
  [[nodiscard]] std::uint64_t sum(const solution& from_source, const std::vector<vertex>& path,
                                  const std::vector<std::uint32_t>& quantities) const {
    if (path.empty()) return no_path_sum;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      std::uint64_t least = no_path_sum;
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const edge& candidate = edges[k];
        if (candidate.source != path[i] || candidate.target != path[i + 1]) continue;
        if (extend(from_source.distance(path[i]), candidate.weight) == from_source.distance(path[i + 1]))
          least = std::min<std::uint64_t>(least, quantities[k]);
      }
      REQUIRE(least != no_path_sum);
      total += least;
    }
    return total;
  }
};

struct tiny_input {
  digraph graph;
  listed_graph list;
};

/// @param widens whether float32 weights become float64
tiny_input open(const oracle::tiny_graph& tiny, bool widens) {
  listed_graph list;
  for (const oracle::tiny_edge& edge : tiny.edges) {
    const double weight = tiny.type == graph::weight_type::uint32
                              ? edge.weight_bits
                              : static_cast<double>(std::bit_cast<float>(edge.weight_bits));
    list.edges.push_back({edge.source, edge.target, weight});
  }
  if (tiny.type == graph::weight_type::uint32)
    return {digraph::from_rows(tiny.offsets(), tiny.targets(), tiny.integers(), "tiny"), list};
  const std::vector<float> floats = tiny.floats();
  list.type = widens ? number_type::float64 : number_type::float32;
  if (widens) {
    return {
        digraph::from_rows(tiny.offsets(), tiny.targets(), std::vector<double>(floats.begin(), floats.end()), "tiny"),
        list};
  }
  return {digraph::from_rows(tiny.offsets(), tiny.targets(), floats, "tiny"), list};
}

/// Returns the solution from each vertex, or nothing if a distance does not fit its type.
std::vector<solution> solve_each(const digraph& graph, problem kind) {
  solver single(device("cpu:1"), graph, kind);
  std::vector<solution> solutions;
  try {
    for (const vertex source : all_vertices(graph)) solutions.push_back(single.solve(source));
  } catch (const search_error&) {
    return {};
  }
  return solutions;
}

bool needs_integers(const std::string& label) {
  return label.find("hierarchy") != std::string::npos || label.find("supernode") != std::string::npos;
}

}  // namespace

TEST_CASE("sums along paths of tiny graphs are those of the paths of single searches, by every solver") {
  auto entries = multi_source::device_and_label();
  for (const auto& entry : multi_source::hierarchy_device_and_label()) entries.push_back(entry);
  std::size_t by_hierarchy = 0;
  std::size_t refused = 0;
  std::size_t turn = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    if (!tests::in_share(seed)) continue;
    const oracle::tiny_graph tiny = oracle::random_tiny_graph(seed);
    const problem kind = seed % 3 == 0 ? problem::bfs : problem::sssp;
    auto [graph, list] = open(tiny, seed % 2 == 0);
    list.has_unit_weights = kind == problem::bfs;
    const auto& [device_name, label] = entries[turn++ % entries.size()];
    if (needs_integers(label)) {
      if (kind != problem::bfs && list.type != number_type::uint32) continue;
      ++by_hierarchy;
    }
    CAPTURE(seed, device_name, label, tiny.text());
    const std::vector<std::uint32_t> quantities = some_quantities(graph.edge_count(), seed);
    const std::vector<vertex> vertices = all_vertices(graph);
    solver searches(device(device_name), graph, kind);
    const batch_options options{.configurations = {label}, .check = true};
    const std::vector<solution> expected = solve_each(graph, kind);
    if (expected.empty()) {
      REQUIRE_THROWS_AS(searches.sum_matrix_paths(vertices, vertices, quantities, options), search_error);
      ++refused;
      continue;
    }
    const path_sums result = searches.sum_matrix_paths(vertices, vertices, quantities, options);
    const std::size_t n = vertices.size();
    REQUIRE(result.distances.size() == n * n);
    REQUIRE(result.sums.size() == n * n);
    for (const vertex source : vertices) {
      for (const vertex target : vertices) {
        CAPTURE(source, target);
        REQUIRE(result.distances[source * n + target] == expected[source].distance(target));
        REQUIRE(result.sums[source * n + target] ==
                list.sum(expected[source], expected[source].path(target), quantities));
      }
    }
  }
  CHECK(refused < turn / 2);
  CHECK(turn > 80);
  CHECK(by_hierarchy > 5);
}

TEST_CASE("sums of the weights along shortest paths are the distances") {
  const digraph graph = digraph::open("road8");
  std::vector<vertex> sources;
  std::vector<vertex> targets;
  for (vertex i = 0; i < 600; ++i) {
    sources.push_back(i * 5 % 40);
    targets.push_back(i * i % graph.vertex_count());
  }
  for (const auto& [device_name, label] :
       {std::pair{"simt", "solver=block,threads=64,blocks=1,near_items=32"},
        std::pair{"simt", "solver=hierarchy,threads=64,blocks=1"},
        std::pair{"simt", "solver=supernode,threads=64,blocks=1,columns=4"}, std::pair{"cpu:2", "solver=cpu_dijkstra"},
        std::pair{"cpu:2", "solver=cpu_hierarchy"}}) {
    CAPTURE(label);
    solver searches(device(device_name), graph);
    // The weights of the graph are not public: all are replaced.
    for (const std::uint32_t factor : {3u, 11u}) {
      std::vector<std::uint32_t> weights(graph.edge_count());
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::uint32_t>(1 + i * factor % 50);
      searches.update_weights(weights);
      const batch_options options{.configurations = {label}, .check = true};
      const path_sums result = searches.sum_pair_paths(sources, targets, weights, options);
      CHECK(result.summary.searches == 8);
      CHECK(result.distances == searches.solve_pairs(sources, targets, options).distances);
      for (std::size_t i = 0; i < sources.size(); ++i)
        REQUIRE(result.distances[i] == static_cast<double>(result.sums[i]));
      // Other quantities of the same graph.
      const path_sums edges =
          searches.sum_pair_paths(sources, targets, std::vector<std::uint32_t>(weights.size(), 1), options);
      for (std::size_t i = 0; i < sources.size(); ++i) REQUIRE(edges.sums[i] <= result.sums[i]);
      CHECK(edges.sums != result.sums);
    }
  }
}

TEST_CASE("a matrix of sums has a row for each source, in blocks of limited memory, too") {
  const digraph graph = digraph::open("rmat6");
  const std::vector<std::uint32_t> quantities = some_quantities(graph.edge_count(), 4);
  const std::vector<vertex> sources = {9, 2, 9, 40, 1, 33};
  const std::vector<vertex> targets = {5, 5, 60, 2};
  for (const char* device_name : {"simt", "cpu:2"}) {
    CAPTURE(device_name);
    solver searches(device(device_name), graph);
    const path_sums whole = searches.sum_matrix_paths(sources, targets, quantities, {.check = true});
    const path_sums blocks =
        searches.sum_matrix_paths(sources, targets, quantities, {.memory_bytes = 2 * 5 * 16, .check = true});
    CHECK(blocks.distances == whole.distances);
    CHECK(blocks.sums == whole.sums);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::vector<vertex> source(targets.size(), sources[i]);
      const path_sums row = searches.sum_pair_paths(source, targets, quantities);
      for (std::size_t j = 0; j < targets.size(); ++j) {
        CHECK(whole.distances[i * targets.size() + j] == row.distances[j]);
        CHECK(whole.sums[i * targets.size() + j] == row.sums[j]);
      }
    }
  }
}

TEST_CASE("pairs beyond the cutoff have no sum, also where edges of length 0 hide the path") {
  // 0 -> 1 -> 2 <-> 3 with lengths 4, 0, 0, and 3 -> 4 with length 2.
  const digraph graph =
      digraph::from_rows({0, 1, 2, 3, 5, 5}, {1, 2, 3, 2, 4}, std::vector<std::uint32_t>{4, 0, 0, 0, 2});
  const std::vector<std::uint32_t> quantities = {1, 10, 100, 1000, 10000};
  const std::vector<vertex> sources = {0};
  for (const char* device_name : {"simt", "cpu:1"}) {
    CAPTURE(device_name);
    solver searches(device(device_name), graph);
    const path_sums near = searches.sum_matrix_paths(sources, all_vertices(graph), quantities, {.cutoff = 4});
    CHECK(near.distances == std::vector<double>{0, 4, 4, 4, no_path});
    CHECK(near.sums == std::vector<std::uint64_t>{0, 1, 11, 111, no_path_sum});
    const path_sums whole = searches.sum_matrix_paths(sources, all_vertices(graph), quantities);
    CHECK(whole.sums == std::vector<std::uint64_t>{0, 1, 11, 111, 10111});
  }
}

TEST_CASE("paths over edges of length 0 are summed within the time limit") {
  // Few vertices are reached, but the search for predecessors goes through all edges.
  constexpr vertex count = 300'000;
  std::vector<std::uint64_t> offsets(count + std::size_t{1});
  std::vector<vertex> targets(count);
  for (vertex v = 0; v < count; ++v) {
    offsets[v + std::size_t{1}] = v + std::uint64_t{1};
    targets[v] = v / 4 * 4 + (v + 1) % 4;
  }
  const digraph graph = digraph::from_rows(offsets, targets, std::vector<std::uint32_t>(count, 0));
  const std::vector<std::uint32_t> quantities(count, 5);
  std::vector<vertex> sources(16);
  std::iota(sources.begin(), sources.end(), vertex{0});
  std::vector<vertex> ends = sources;
  for (vertex& end : ends) end = end / 4 * 4 + (end + 2) % 4;
  solver searches(device("simt"), graph);
  batch_options options{.configurations = {"threads=64,blocks=2,near_items=128"}};
  const double search_ms = searches.solve_pairs(sources, ends, options).summary.times.solve;
  const path_sums whole = searches.sum_pair_paths(sources, ends, quantities, options);
  CHECK(whole.sums == std::vector<std::uint64_t>(sources.size(), 10));
  const double completion_ms = whole.summary.times.solve - search_ms;
  REQUIRE(completion_ms > 0.5);
  options.time_limit_ms = search_ms + completion_ms / 10;
  try {
    (void)searches.sum_pair_paths(sources, ends, quantities, options);
    FAIL("no timeout");
  } catch (const search_error& error) {
    CHECK(error.why == search_error::reason::time_limit);
    CHECK_THAT(error.what(), Contains("16 searches: timeout: not finished after "));
  }
  options.time_limit_ms = 600'000;
  CHECK(searches.sum_pair_paths(sources, ends, quantities, options).sums == whole.sums);
}

namespace {

/// A path of vertices, whose edges have weight 1 and quantity 5, in the memory of a simulated device.
class path_on_device {
 public:
  static constexpr u32 vertices = 300;

  /// @param row_of of each vertex, or empty: vertices are rows
  explicit path_on_device(const std::vector<u32>& row_of) {
    std::vector<u32> distances(vertices);
    std::vector<edge_range> ranges;
    std::vector<incoming_edge> edges;
    for (u32 v = 0; v < vertices; ++v) {
      distances[row_of.empty() ? v : row_of[v]] = v;
      const u64 first = edges.size();
      if (v > 0) edges.push_back({.source_and_quantity = u64{5} << 32 | (v - 1), .weight = 1});
      ranges.push_back({.first = first, .last = edges.size()});
    }
    rows_ = upload(row_of);
    distances_ = upload(distances);
    ranges_ = upload(ranges);
    edges_ = upload(edges);
    if (!row_of.empty()) place_edges(ranges, edges);
  }

  /// Sums from the first vertex to the last. @param host_abort 1: the host asks the kernel to end
  std::uint64_t sum(u32 host_abort) {
    const auto sources = upload(std::vector<u32>{0});
    const auto first_pair = upload(std::vector<u32>{0, 1});
    const auto targets = upload(std::vector<u32>{vertices - 1});
    const auto results = upload(std::vector<u64>{0});
    const auto control = upload(std::vector<multi_source_control>{{.next = 0, .status = 0, .host_abort = host_abort}});
    launch(detail::path_sum_variant(graph::weight_type::uint32),
           path_sum_arguments{.batch = {.distances = distances_.address(),
                                        .vertex_rows = rows_.as<const u32>(),
                                        .column_searches = nullptr,
                                        .farthest = graph::unreached - 1,
                                        .first_search = 0,
                                        .columns = 1,
                                        .group_columns = 1,
                                        .group_rows = vertices},
                              .sources = sources.as<const u32>(),
                              .first_pair = first_pair.as<const u32>(),
                              .vertices = targets.as<const u32>(),
                              .ranges = ranges_.as<const edge_range>(),
                              .edges = edges_.as<const incoming_edge>(),
                              .control = control.as<multi_source_control>(),
                              .results = results.as<u64>(),
                              .pieces = 1});
    multi_source_control after{};
    device_->download(&after, control, sizeof after);
    status_ = static_cast<run_status>(after.status);
    u64 result = 0;
    device_->download(&result, results, sizeof result);
    return result;
  }
  [[nodiscard]] run_status status() const { return status_; }

 private:
  template <class T>
  backends::device_memory upload(const std::vector<T>& values) {
    return backends::uploaded(*device_, values, "an array of the test");
  }

  template <class Arguments>
  void launch(const backends::kernel_source& variant, const Arguments& arguments) {
    const auto kernel = device_->compile(variant);
    static_cast<void>(device_->measure([&] {
      device_->launch(
          *kernel, {.grid_blocks = 2, .arguments = &arguments, .argument_bytes = sizeof arguments, .together = false});
    }));
  }

  void place_edges(const std::vector<edge_range>& ranges, const std::vector<incoming_edge>& edges) {
    backends::device_memory row_ranges = device_->allocate(ranges.size() * sizeof(edge_range), "ranges");
    backends::device_memory row_edges = device_->allocate(edges.size() * sizeof(incoming_edge), "edges");
    launch(detail::edge_place_variant(), edge_place_arguments{.vertex_rows = rows_.as<const u32>(),
                                                              .vertex_ranges = ranges_.as<const edge_range>(),
                                                              .vertex_edges = edges_.as<const incoming_edge>(),
                                                              .row_ranges = row_ranges.as<edge_range>(),
                                                              .row_edges = row_edges.as<incoming_edge>(),
                                                              .vertices = vertices});
    ranges_ = std::move(row_ranges);
    edges_ = std::move(row_edges);
  }

  std::unique_ptr<backends::backend> device_ = backends::open_device("simt");
  backends::device_memory rows_;
  backends::device_memory distances_;
  backends::device_memory ranges_;
  backends::device_memory edges_;
  run_status status_ = run_status::running;
};

}  // namespace

// Processors resolve paths that a kernel does not find, so only a test of the kernels shows that they find them.
TEST_CASE("kernels find a path in both layouts of distances, and end when the host asks for it") {
  std::vector<u32> reversed(path_on_device::vertices);
  std::iota(reversed.rbegin(), reversed.rend(), 0U);
  for (const std::vector<u32>& row_of : {std::vector<u32>(), reversed}) {
    CAPTURE(row_of.size());
    path_on_device path(row_of);
    CHECK(path.sum(0) == 5 * (path_on_device::vertices - 1));
    CHECK(path.status() == run_status::running);
    CHECK(path.sum(1) == no_result);
    CHECK(path.status() == run_status::aborted);
  }
}

TEST_CASE("invalid requests for sums along paths are refused with a reason") {
  const digraph graph = digraph::open("road6");
  solver searches(device("cpu:1"), graph);
  const std::vector<std::uint32_t> quantities(graph.edge_count(), 1);
  const std::vector<vertex> two = {0, 1};
  const std::vector<vertex> three = {1, 2, 3};
  const std::vector<vertex> beyond = {1, 5000};
  CHECK_THROWS_WITH(searches.sum_pair_paths(two, two, std::vector<std::uint32_t>{1, 2}),
                    Contains("quantities: 2 numbers, but road6 has") && Contains("edges"));
  CHECK_THROWS_WITH(searches.sum_pair_paths(two, three, quantities), Contains("pairs: 2 sources, but 3 targets"));
  CHECK_THROWS_WITH(searches.sum_matrix_paths(two, {}, quantities), Contains("no targets: expected at least one"));
  CHECK_THROWS_WITH(searches.sum_matrix_paths({}, two, quantities), Contains("no sources: expected at least one"));
  CHECK_THROWS_WITH(searches.sum_matrix_paths(two, beyond, quantities), Contains("target 5000 (index 1 of the list)"));
  CHECK_THROWS_WITH(searches.sum_matrix_paths(two, two, quantities, {.targets = two}),
                    Contains("targets: only solve_many() has them"));
}
