// SPDX-License-Identifier: Apache-2.0
// Graphs whose rows are in device memory.
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device_arrays_test.hpp"
#include "mlmq/mlmq.hpp"
#include "tests/support/speed.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tests;
using Catch::Contains;

std::string error_of(const device& target, const device_rows& rows, const device_rows_options& options = {}) {
  try {
    (void)digraph::from_device(target, rows, options);
  } catch (const input_error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("rows in device memory are searched where they are, in every layout") {
  const device simulated = simulator();
  for (const auto type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    const graph::csr_graph csr = small_graph(type);
    for (const unsigned bits : {32U, 64U}) {
      for (const auto order : {caller_rows::layout::apart, caller_rows::layout::pairs}) {
        caller_rows memory(simulated);
        const digraph graph = digraph::from_device(simulated, memory.upload(csr, bits, order), {.name = "theirs"});
        CHECK(graph.name() == "theirs");
        CHECK(graph.vertex_count() == csr.vertex_count());
        CHECK(graph.edge_count() == csr.edge_count());
        CHECK((graph.weight_type() == number_type::float32) == (type == graph::weight_type::float32));
        for (const problem kind : {problem::sssp, problem::bfs}) {
          solver search(simulated, graph, kind);
          const graph::csr_graph searched = kind == problem::bfs ? graph::with_unit_weights(csr) : csr;
          for (const char* const configuration : {"", "solver=near_far", "solver=adds", "ell_width=4"}) {
            CAPTURE(bits, configuration, kind == problem::bfs, order == caller_rows::layout::pairs);
            const solution answer = search.solve(3, options_with(configuration, true));
            CHECK(answer.times().host_copy == 0);
            CHECK(distances_of(answer, csr.vertex_count()) == distances_of(searched, 3));
          }
        }
        // None of the searches above needed the rows on the host; this one does.
        CHECK_FALSE(graph.on_host());
        solver search(simulated, graph);
        const solution answer = search.solve(5, options_with("split_degree=64"));
        CHECK(answer.times().host_copy > 0);
        CHECK(graph.on_host());
        CHECK(answer.check().empty());
        CHECK(distances_of(answer, csr.vertex_count()) == distances_of(csr, 5));
        CHECK(search.solve(6, options_with("split_degree=128")).times().host_copy == 0);
      }
    }
  }
}

TEST_CASE("a graph in device memory equals the one of from_rows()") {
  const device simulated = simulator();
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32);
  caller_rows memory(simulated);
  const digraph on_device = digraph::from_device(simulated, memory.upload(csr, 32, caller_rows::layout::apart));
  const digraph on_host =
      digraph::from_rows({csr.offsets().begin(), csr.offsets().end()}, {csr.targets().begin(), csr.targets().end()},
                         std::vector<std::uint32_t>(csr.weight_bits().begin(), csr.weight_bits().end()));
  CHECK(on_host.on_host());
  CHECK(on_device.default_source() == on_host.default_source());
  CHECK(on_device.id_of(3) == 3);
  CHECK(on_device.vertex_of(5) == 5);
  CHECK(on_device.notes().empty());
  // The model gets the same features of both, and so chooses the same configuration.
  CHECK(solver(simulated, on_device).choose().configuration == solver(simulated, on_host).choose().configuration);
  CHECK_FALSE(on_device.on_host());

  // Processors search the copy in host memory.
  solver on_processors(device("cpu:1"), on_device);
  const solution answer = on_processors.solve(2);
  CHECK(answer.choice().device == "cpu:1");
  CHECK(answer.times().host_copy > 0);
  CHECK(distances_of(answer, csr.vertex_count()) == distances_of(csr, 2));
  CHECK(on_processors.solve(3).times().host_copy == 0);

  SECTION("without weights all are 1") {
    const digraph bare = digraph::from_device(simulated, memory.upload(csr, 64, caller_rows::layout::without_weights));
    CHECK(bare.weight_type() == number_type::uint32);
    solver search(simulated, bare);
    CHECK(distances_of(search.solve(4), csr.vertex_count()) == distances_of(graph::with_unit_weights(csr), 4));
  }
  SECTION("no edge, one vertex") {
    const device_rows rows{.vertices = 1, .edges = 0, .offsets = memory.put(std::vector<std::uint32_t>{0, 0})};
    solver search(simulated, digraph::from_device(simulated, rows));
    CHECK(search.solve(0).distance(0) == 0);
  }
}

TEST_CASE("rows in the layout of a search are not copied") {
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32);
  using layout = caller_rows::layout;
  const auto allocated = [&](layout order, unsigned bits, problem kind) {
    watched counted;
    caller_rows memory(counted.handle);
    solver search(counted.handle, digraph::from_device(counted.handle, memory.upload(csr, bits, order), {.name = "g"}),
                  kind);
    CHECK(search.upload() >= 0);
    return std::pair(counted.counts.allocations["the row starts of g"], counted.counts.allocations["the edges of g"]);
  };
  CHECK(allocated(layout::apart, 32, problem::bfs) == std::pair(0U, 0U));
  CHECK(allocated(layout::pairs, 32, problem::sssp) == std::pair(0U, 0U));
  CHECK(allocated(layout::apart, 32, problem::sssp) == std::pair(0U, 1U));
  CHECK(allocated(layout::pairs, 32, problem::bfs) == std::pair(0U, 1U));
  CHECK(allocated(layout::apart, 64, problem::bfs) == std::pair(1U, 0U));
}

TEST_CASE("broken rules are named, with the place") {
  const device simulated = simulator();
  using offsets = std::vector<std::uint32_t>;
  using numbers = std::vector<std::uint32_t>;
  caller_rows memory(simulated);
  const auto rows_of = [&](const offsets& starts, const numbers& targets, const numbers& weights) {
    return device_rows{.vertices = static_cast<vertex>(starts.size() - 1),
                       .edges = targets.size(),
                       .offsets = memory.put(starts),
                       .targets = memory.put(targets),
                       .weights = memory.put(weights)};
  };
  CHECK(error_of(simulated, rows_of({0, 1, 2}, {1, 0}, {3, 4})) == "none");
  CHECK(error_of(simulated, rows_of({1, 1, 2}, {1, 0}, {3, 4}), {.name = "roads"}) ==
        "roads: graph: the first offset is 1, expected 0");
  CHECK_THAT(error_of(simulated, rows_of({0, 1, 3}, {1, 0}, {3, 4})),
             Contains("the last offset is 3, expected the 2 edges"));
  CHECK_THAT(error_of(simulated, rows_of({0, 2, 1, 2}, {1, 0}, {3, 4})),
             Contains("the offsets fall from 2 to 1 at vertex 1"));
  CHECK_THAT(error_of(simulated, rows_of({0, 1, 4}, {1, 0, 2, 7}, {3, 4, 5, 6})),
             Contains("edge 2 leads to vertex 2, but there are 2 vertices (0 to 1)"));
  // The target would be negative as a 32-bit number.
  CHECK_THAT(error_of(simulated, rows_of({0, 1, 2}, {1, 0xFFFFFFFFU}, {3, 4})),
             Contains("edge 1 leads to vertex 4294967295"));
  CHECK_THAT(error_of(simulated, rows_of({0, 1, 2}, {1, 0}, {3, 0xFFFFFFFEU})),
             Contains("edge 1 has weight 4294967294, at most 4294967293"));
  for (const float weight : {-1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    device_rows rows =
        rows_of({0, 1, 2}, {1, 0}, {std::bit_cast<std::uint32_t>(0.5F), std::bit_cast<std::uint32_t>(weight)});
    rows.weight_type = number_type::float32;
    CHECK_THAT(error_of(simulated, rows),
               Contains("edge 1 has weight") && Contains("expected a finite number of at least 0"));
  }
  SECTION("wide offsets, and pairs") {
    device_rows rows{.vertices = 2,
                     .edges = 2,
                     .offsets = memory.put(std::vector<std::uint64_t>{0, std::uint64_t{1} << 40, 2}),
                     .offset_bits = 64,
                     .pairs = memory.put(numbers{1, 3, 0, 4})};
    CHECK_THAT(error_of(simulated, rows), Contains("the offsets fall from 1099511627776 to 2 at vertex 1"));
    rows.offsets = memory.put(std::vector<std::uint64_t>{0, 1, 2});
    CHECK(error_of(simulated, rows) == "none");
    rows.pairs = memory.put(numbers{1, 3, 9, 4});
    CHECK_THAT(error_of(simulated, rows), Contains("edge 1 leads to vertex 9"));
    // In separate arrays the weight is replaced by zero; pairs are searched as they are.
    rows.weight_type = number_type::float32;
    rows.pairs = memory.put(numbers{1, 0x80000000U, 0, 0});
    CHECK_THAT(error_of(simulated, rows), Contains("edge 0 has weight -0") && Contains("no negative zero"));
    rows.targets = memory.put(numbers{1, 0});
    rows.weights = memory.put(numbers{0x80000000U, 0});
    rows.pairs = nullptr;
    CHECK(solver(simulated, digraph::from_device(simulated, rows)).solve(0).distance(1) == 0);
  }
  SECTION("unchecked, what is right is searched") {
    const digraph graph = digraph::from_device(simulated, rows_of({0, 1, 2}, {1, 0}, {3, 4}), {.check = false});
    CHECK(graph.default_source() == 0);
    CHECK(solver(simulated, graph).solve(1).distance(0) == 4);
    std::vector<vertex> distances;
    solver many(simulated, graph);
    many.solve_many(std::vector<vertex>{0, 1}, {},
                    [&](const distance_rows& rows) { distances.push_back(rows.uint32[1]); });
    CHECK(distances == std::vector<vertex>{3});
  }
  SECTION("unchecked, the copy in host memory shows what is wrong") {
    const digraph graph = digraph::from_device(simulated, rows_of({0, 1, 2}, {1, 9}, {3, 4}), {.check = false});
    CHECK_THROWS_WITH(solver(device("cpu:1"), graph).solve(0), Contains("edge 1 leads to vertex 9"));
  }
}

TEST_CASE("pointers outside the device's memory are refused") {
  const device simulated = simulator();
  caller_rows memory(simulated);
  const std::vector<std::uint32_t> host{0, 1, 2};
  const device_rows right{.vertices = 2,
                          .edges = 2,
                          .offsets = memory.put(host),
                          .targets = memory.put(std::vector<std::uint32_t>{1, 0}),
                          .weights = memory.put(std::vector<std::uint32_t>{3, 4})};
  REQUIRE(error_of(simulated, right) == "none");
  const auto error_with = [&](const auto& change) {
    device_rows rows = right;
    change(rows);
    return error_of(simulated, rows, {.name = "g"});
  };
  CHECK_THAT(error_with([&](device_rows& rows) { rows.offsets = host.data(); }),
             Contains("g: the offsets") && Contains("not memory of simt"));
  CHECK_THAT(error_with([&](device_rows& rows) { rows.targets = host.data(); }), Contains("g: the targets"));
  CHECK_THAT(error_with([&](device_rows& rows) { rows.weights = host.data(); }), Contains("g: the weights"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.vertices = 4; }), Contains("the offsets: 20 bytes"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.edges = 1000; }), Contains("the targets: 4000 bytes"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.offsets = static_cast<const char*>(rows.offsets) + 2; }),
             Contains("not aligned to 4 bytes"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.offsets = nullptr; }), Contains("the offsets: null"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.targets = nullptr; }), Contains("neither targets nor pairs"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.pairs = rows.targets; }), Contains("both pairs and targets"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.offset_bits = 16; }),
             Contains("offset_bits: 16, expected 32 or 64"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.vertices = 0; }), Contains("no vertices"));
  CHECK_THAT(error_with([](device_rows& rows) { rows.edges = std::uint64_t{1} << 33; }),
             Contains("32 is too small for 8589934592 edges"));
  CHECK_THAT(error_with([](device_rows& rows) {
               rows.weights = nullptr;
               rows.weight_type = number_type::float32;
             }),
             Contains("weight_type: float32 without weights"));
  CHECK_THAT(error_of(device("cpu:1"), right), Contains("processors have no memory of their own"));
  // Another device of the same kind has other memory.
  CHECK_THAT(error_of(simulator(), right), Contains("not memory of simt"));
  int stream = 0;
  CHECK_THAT(error_of(simulated, right, {.stream = &stream}), Contains("has no streams"));

  std::uint32_t word = 0;
  CHECK_THROWS_WITH(simulated.write(&word, host.data(), 4), Contains("not memory of simt"));
  CHECK_THROWS_WITH(simulated.read(&word, host.data(), 4), Contains("not memory of simt"));
  CHECK_THROWS_AS(device("cpu:1").allocate(8), input_error);
}

TEST_CASE("processors search a graph in device memory only on request") {
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32, "path9");
  watched unmodelled(false);
  caller_rows memory(unmodelled.handle);
  const digraph graph = digraph::from_device(unmodelled.handle, memory.upload(csr, 32, caller_rows::layout::pairs));
  solver device_solver(unmodelled.handle, graph);
  CHECK(device_solver.choose().device == "simt");
  CHECK(device_solver.solve(0).choice().device == "simt");
  // A graph on the host is searched on processors, because it is small.
  const digraph on_host = digraph::open("path9");
  if (tests::has_usual_speed) CHECK(solver(unmodelled.handle, on_host).solve(0).choice().device == "cpu");
  // But not if the answer must stay on the device.
  CHECK(solver(unmodelled.handle, on_host).solve(0, {.keep_on_device = true}).choice().device == "simt");
}

TEST_CASE("weights of 8 bytes in device memory are refused") {
  const device simulated = simulator();
  caller_rows memory(simulated);
  device_rows rows = memory.upload(small_graph(graph::weight_type::uint32), 32, caller_rows::layout::apart);
  rows.weight_type = number_type::float64;
  CHECK_THAT(error_of(simulated, rows), Contains("float64") && Contains("from_rows()"));
}

TEST_CASE("many searches of a graph in device memory") {
  const device simulated = simulator();
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32);
  caller_rows memory(simulated);
  for (const problem kind : {problem::sssp, problem::bfs}) {
    const graph::csr_graph searched = kind == problem::bfs ? graph::with_unit_weights(csr) : csr;
    const digraph graph = digraph::from_device(simulated, memory.upload(csr, 64, caller_rows::layout::apart));
    solver search(simulated, graph, kind);
    std::size_t rows = 0;
    const batch_summary summary = search.solve_many(
        std::vector<vertex>{4, 8}, {.configurations = {"ell_width=8"}}, [&](const distance_rows& block) {
          for (std::size_t i = 0; i < block.rows; ++i, ++rows) {
            const std::vector<double> right = distances_of(searched, rows == 0 ? 4 : 8);
            for (std::size_t j = 0; j < block.columns; ++j) REQUIRE(block.at(i, j) == right[j]);
          }
        });
    CHECK(rows == 2);
    CHECK(summary.times.host_copy == 0);
    CHECK_FALSE(graph.on_host());
    CHECK(search.solve_many(std::vector<vertex>{4}, {.check = true}).searches == 1);
    CHECK(graph.on_host());
  }
}

TEST_CASE("an owner is kept as long as the graph is") {
  const device simulated = simulator();
  const graph::csr_graph csr = small_graph(graph::weight_type::uint32, "path9");
  caller_rows memory(simulated);
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> alive = owner;
  {
    auto graph = std::make_unique<digraph>(digraph::from_device(
        simulated, memory.upload(csr, 32, caller_rows::layout::pairs), {.owner = std::move(owner)}));
    std::optional<solver> search(std::in_place, simulated, *graph);
    auto answer = std::make_unique<solution>(search->solve(0));
    graph.reset();
    CHECK_FALSE(alive.expired());
    search.reset();
    CHECK_FALSE(alive.expired());
    CHECK(answer->check().empty());
    answer.reset();
  }
  CHECK(alive.expired());
}
