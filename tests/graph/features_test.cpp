// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "graph/classify.hpp"
#include "graph/features.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using integers = std::vector<std::uint32_t>;

TEST_CASE("features of a small graph") {
  const csr_graph graph({0, 3, 3, 4, 4}, {1, 2, 3, 0}, integers{2, 4, 4, 6});
  const graph_features features = compute_features(graph);
  CHECK(features.m == 4);
  CHECK(features.nnz == 4);
  CHECK(features.avg_nnz == 1);
  CHECK(features.max_nnz == 3);
  CHECK(features.dev_nnz == std::sqrt(1.5));
  CHECK(features.avg_weight == 4);
  CHECK(features.dev_weight == std::sqrt(2.0));
  CHECK(features.max_weight == 6);
  CHECK(features.as_array() == std::array<double, 8>{4, 4, 1, 3, std::sqrt(1.5), 4, std::sqrt(2.0), 6});
  CHECK(feature_names()[0] == "m");
  CHECK(feature_names()[4] == "dev_nnz");
  CHECK(feature_names()[7] == "max_weight");
}

TEST_CASE("features without edges or vertices are zeros") {
  for (const double value : compute_features(csr_graph()).as_array()) CHECK(value == 0);
  const graph_features lone = compute_features(csr_graph({0, 0, 0}, {}, std::vector<float>{}));
  CHECK(lone.as_array() == std::array<double, 8>{2, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a small deviation about a large average is found") {
  constexpr std::uint32_t count = 10000;
  integers large(count);
  std::vector<float> floats(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    large[i] = 4294967290u + i % 2;
    floats[i] = 16000000.0f + static_cast<float>(i % 2);
  }
  floats[0] = 0.0f;  // an outlier at the front
  const target_list targets(count, 0);
  const graph_features exact = compute_features(csr_graph({0, count}, targets, large));
  CHECK(exact.avg_weight == 4294967290.5);
  CHECK(exact.dev_weight == 0.5);
  const graph_features rounded = compute_features(csr_graph({0, count}, targets, floats));
  double average = 0;
  for (const float weight : floats) average += static_cast<double>(weight) / count;
  double squares = 0;
  for (const float weight : floats) {
    squares += std::pow(static_cast<double>(weight) - average, 2) / count;
  }
  CHECK(rounded.avg_weight == Approx(average).epsilon(1e-12));
  CHECK(rounded.dev_weight == Approx(std::sqrt(squares)).epsilon(1e-9));
  floats[0] = 16000000.0f;
  CHECK(compute_features(csr_graph({0, count}, targets, floats)).dev_weight == 0.5);
}

TEST_CASE("extreme weights neither overflow nor give NaN") {
  const graph_features integer =
      compute_features(csr_graph({0, 3}, {0, 0, 0}, integers{largest_weight, largest_weight, largest_weight}));
  CHECK(integer.avg_weight == 4294967293.0);
  CHECK(integer.dev_weight == 0);
  const float most = std::numeric_limits<float>::max();
  const graph_features real = compute_features(csr_graph({0, 2}, {0, 0}, std::vector<float>{most, 0}));
  CHECK(real.dev_weight == Approx(static_cast<double>(most) / 2));
  CHECK(real.max_weight == static_cast<double>(most));
}

TEST_CASE("the hash tells graphs apart") {
  const csr_graph graph({0, 1, 2}, {1, 0}, integers{5, 6});
  CHECK(graph_hash(graph) == "5998b7fd5d508b3dd551db282abd9774");
  CHECK(graph_hash(graph) == graph_hash(csr_graph({0, 1, 2}, {1, 0}, integers{5, 6})));
  CHECK(graph_hash(graph) != graph_hash(csr_graph({0, 1, 2}, {1, 0}, integers{5, 7})));
  CHECK(graph_hash(graph) != graph_hash(csr_graph({0, 1, 2}, {1, 1}, integers{5, 6})));
  CHECK(graph_hash(graph) != graph_hash(csr_graph({0, 2, 2}, {1, 0}, integers{5, 6})));
  CHECK(graph_hash(graph) != graph_hash(csr_graph({0, 1, 2, 2}, {1, 0}, integers{5, 6})));
  const std::vector<float> same_bits{std::bit_cast<float>(5u), std::bit_cast<float>(6u)};
  CHECK(graph_hash(graph) != graph_hash(csr_graph({0, 1, 2}, {1, 0}, same_bits)));
}

TEST_CASE("classes by degree") {
  CHECK(graph_class(compute_features(generate_path(50))) == "road");
  CHECK(graph_class(compute_features(generate_grid2d(20, 20))) == "mesh");
  CHECK(graph_class(compute_features(generate_complete(20))) == "mesh");
  CHECK(graph_class(compute_features(generate_star(50))) == "power_law");
  CHECK(graph_class(graph_features()) == "road");
}
