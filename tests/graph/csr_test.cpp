// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <limits>

#include "graph/builder.hpp"
#include "graph/hash.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;
using integers = std::vector<std::uint32_t>;
using floats = std::vector<float>;

TEST_CASE("a graph without vertices or edges is a graph") {
  CHECK(csr_graph().vertex_count() == 0);
  CHECK(csr_graph().edge_count() == 0);
  const csr_graph none({0}, {}, integers{});
  CHECK(none.vertex_count() == 0);
  CHECK(graph_hash(none) == graph_hash(csr_graph()));
  const csr_graph lone({0, 0}, {}, floats{});
  CHECK(lone.vertex_count() == 1);
  CHECK(lone.weights() == weight_type::float32);
}

TEST_CASE("a graph shares its arrays with its copies") {
  csr_graph copy;
  {
    const csr_graph graph({0, 2, 2}, {1, 0}, integers{7, 0});
    copy = graph;
    CHECK(copy.targets().data() == graph.targets().data());
  }
  CHECK(targets_of(copy) == target_list{1, 0});
  CHECK(weights_of(copy) == weight_list{7, 0});
}

TEST_CASE("a graph with other weights shares the edges") {
  csr_graph weighted;
  {
    const csr_graph graph({0, 2, 2}, {1, 0}, integers{7, 0});
    weighted = graph.with_weights(floats{0.5F, 2});
    CHECK(weighted.offsets().data() == graph.offsets().data());
    CHECK(weighted.targets().data() == graph.targets().data());
    CHECK(weights_of(graph) == weight_list{7, 0});
    CHECK_THROWS_WITH(graph.with_weights(integers{1}), Contains("1 weights for 2 edges"));
    CHECK_THROWS_WITH(graph.with_weights(floats{1, -1}), Contains("edge 1 has weight -1"));
  }
  CHECK(targets_of(weighted) == target_list{1, 0});
  CHECK(weighted.weights() == weight_type::float32);
  CHECK(weighted.weight(0) == 0.5);
}

TEST_CASE("a view keeps its owner alive") {
  auto arrays = std::make_shared<integers>(integers{1, 0, 5, 6});
  const std::weak_ptr<integers> watch = arrays;
  {
    const std::span<const std::uint32_t> words(*arrays);
    static constexpr std::array<edge_offset, 3> offsets{0, 1, 2};
    const csr_graph graph(offsets, words.first(2), words.last(2), weight_type::uint32, std::move(arrays));
    CHECK_FALSE(watch.expired());
    CHECK(weights_of(graph) == weight_list{5, 6});
  }
  CHECK(watch.expired());
}

TEST_CASE("broken arrays are refused with the rule and the place") {
  const auto error = [](offset_list offsets, target_list targets, csr_graph::weight_array weights) {
    return error_of([&] { csr_graph(offsets, targets, weights); });
  };
  CHECK_THAT(error({}, {}, integers{}), Contains("there are no offsets"));
  CHECK_THAT(error({1, 1}, {0}, integers{1}), Contains("first offset is 1"));
  CHECK_THAT(error({0, 2}, {0}, integers{1}), Contains("last offset is 2, expected the 1 edges"));
  CHECK_THAT(error({0, 2, 1, 2}, {0, 1}, integers{1, 1}), Contains("from 2 to 1 at vertex 1"));
  CHECK_THAT(error({0, 1}, {1}, integers{1}), Contains("edge 0 leads to vertex 1"));
  CHECK_THAT(error({0, 1}, {0}, integers{}), Contains("0 weights for 1 edges"));
  CHECK_THAT(error({0, 2}, {0, 0}, floats{1, -1}), Contains("edge 1 has weight -1"));
  CHECK_THAT(error({0, 1}, {0}, floats{std::numeric_limits<float>::infinity()}), Contains("has weight inf"));
  CHECK_THAT(error({0, 1}, {0}, floats{std::numeric_limits<float>::quiet_NaN()}), Contains("has weight nan"));
}

TEST_CASE("a negative zero becomes a zero") {
  const csr_graph graph({0, 1}, {0}, floats{-0.0f});
  CHECK(graph.weight_bits()[0] == 0);
}

TEST_CASE("distances add up, saturate and order like numbers") {
  CHECK(extend(weight_type::uint32, 3, 4) == 7);
  CHECK(extend(weight_type::uint32, 0xFFFFFFFDu, 1) == saturated_distance);
  CHECK(extend(weight_type::uint32, 0xFFFFFFFDu, 0xFFFFFFFFu) == saturated_distance);
  CHECK(extend(weight_type::uint32, saturated_distance, 0) == saturated_distance);
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  CHECK(extend(weight_type::float32, bits(1.5f), bits(2.25f)) == bits(3.75f));
  CHECK(extend(weight_type::float32, bits(16777216.0f), bits(1.0f)) == bits(16777216.0f));
  CHECK(extend(weight_type::float32, bits(3e38f), bits(3e38f)) < unreached);
  CHECK(distance_value(weight_type::uint32, 12) == 12.0);
  CHECK(distance_value(weight_type::float32, bits(0.5f)) == 0.5);
  CHECK(distance_value(weight_type::float32, unreached) == std::numeric_limits<double>::infinity());
}

TEST_CASE("rows are built from unordered edges") {
  edge_list edges;
  edges.add(2, 0, 5);
  edges.add(0, 1, 9);
  edges.add(0, 1, 3);
  edges.add(1, 1, 4);
  edges.add(0, 0, 2);

  SECTION("in list order") {
    const csr_graph graph = build_csr(4, edges);
    CHECK(offsets_of(graph) == offset_list{0, 3, 4, 5, 5});
    CHECK(targets_of(graph) == target_list{1, 1, 0, 1, 0});
    CHECK(weights_of(graph) == weight_list{9, 3, 2, 4, 5});
  }
  SECTION("mirrored, self-loops once") {
    const csr_graph graph = build_csr(3, edges, {.symmetric = true});
    CHECK(offsets_of(graph) == offset_list{0, 4, 7, 8});
    CHECK(targets_of(graph) == target_list{2, 1, 1, 0, 0, 0, 1, 0});
    CHECK(weights_of(graph) == weight_list{5, 9, 3, 2, 9, 3, 4, 5});
  }
  SECTION("sorted") {
    const csr_graph graph = build_csr(3, edges, {.sort_rows = true});
    CHECK(targets_of(graph) == target_list{0, 1, 1, 1, 0});
    CHECK(weights_of(graph) == weight_list{2, 3, 9, 4, 5});
  }
  SECTION("without self-loops and duplicates") {
    const csr_graph graph = build_csr(3, edges, {.drop_self_loops = true, .merge_duplicates = true});
    CHECK(offsets_of(graph) == offset_list{0, 1, 1, 2});
    CHECK(targets_of(graph) == target_list{1, 0});
    CHECK(weights_of(graph) == weight_list{3, 5});
  }
  SECTION("floats") {
    edges.type = weight_type::float32;
    edges.weight_bits = {std::bit_cast<std::uint32_t>(0.25f), 0, 0, 0, 0};
    const csr_graph graph = build_csr(3, edges);
    CHECK(graph.weights() == weight_type::float32);
    CHECK(weights_of(graph) == weight_list{0, 0, 0, 0, 0.25});
  }
  SECTION("errors") {
    CHECK_THAT(error_of([&] { return build_csr(2, edges); }),
               Contains("edge 0 leads from vertex 2 to vertex 0, but there are 2 vertices"));
    CHECK_THAT(error_of([&] { return build_csr(0xFFFFFFFFFFFFull, edges); }), Contains("GiB of memory"));
    edges.weight_bits.pop_back();
    CHECK_THAT(error_of([&] { return build_csr(3, edges); }), Contains("5 targets and 4 weights"));
  }
}

TEST_CASE("a deferred graph fetches its arrays once, on first use") {
  int fetched = 0;
  bool fails = true;
  const csr_graph graph = csr_graph::deferred(2, 3, weight_type::uint32, [&] {
    ++fetched;
    if (fails) throw std::runtime_error("not now");
    return csr_graph({0, 2, 3}, {1, 0, 1}, std::vector<std::uint32_t>{7, 8, 9});
  });
  const csr_graph copy = graph;
  const csr_graph ones = with_unit_weights(graph);
  CHECK(graph.vertex_count() == 2);
  CHECK(graph.edge_count() == 3);
  CHECK(ones.edge_count() == 3);
  CHECK(graph.ids().id_of(1) == 1);
  CHECK_FALSE(graph.is_fetched());
  CHECK(fetched == 0);
  CHECK_THROWS_WITH(graph.targets(), "not now");
  CHECK_FALSE(graph.is_fetched());
  fails = false;
  CHECK(offsets_of(graph) == offset_list{0, 2, 3});
  CHECK(graph.is_fetched());
  CHECK(copy.is_fetched());
  CHECK(targets_of(copy) == target_list{1, 0, 1});
  CHECK(weights_of(copy) == weight_list{7, 8, 9});
  CHECK(copy.weight(2) == 9);
  CHECK_FALSE(ones.is_fetched());
  CHECK(weights_of(ones) == weight_list{1, 1, 1});
  CHECK(targets_of(ones) == target_list{1, 0, 1});
  CHECK(fetched == 2);

  const csr_graph other = csr_graph::deferred(3, 3, weight_type::uint32, [&] { return copy; });
  CHECK_THROWS_WITH(other.offsets(), Catch::Contains("another graph"));
}
