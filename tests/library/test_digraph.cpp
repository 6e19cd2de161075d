// SPDX-License-Identifier: Apache-2.0
// Graphs of the public interface: from files, from generators, from memory.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "mlmq/mlmq.hpp"

namespace {

using Catch::Contains;
using mlmq::digraph;

/// A temporary file.
class temporary_file {
 public:
  temporary_file(const std::string& name, const std::string& content)
      : path_(std::filesystem::temp_directory_path() / name) {
    std::ofstream(path_) << content;
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

double distance(const digraph& graph, mlmq::vertex source, mlmq::vertex target) {
  return mlmq::solver(mlmq::device("cpu:1"), graph).solve(source).distance(target);
}

}  // namespace

TEST_CASE("a graph from rows has the edges that the rows say") {
  const auto graph = digraph::from_rows({0, 2, 3, 3}, {1, 2, 2}, std::vector<std::uint32_t>{5, 9, 3}, "three");
  CHECK(graph.name() == "three");
  CHECK(graph.vertex_count() == 3);
  CHECK(graph.edge_count() == 3);
  CHECK(graph.weight_type() == mlmq::number_type::uint32);
  CHECK(graph.default_source() == 0);
  CHECK(distance(graph, 0, 2) == 8);
  CHECK(distance(graph, 2, 0) == std::numeric_limits<double>::infinity());
  const auto decimals = digraph::from_rows({0, 2, 3, 3}, {1, 2, 2}, std::vector<float>{0.5F, 9, 0.25F});
  CHECK(decimals.weight_type() == mlmq::number_type::float32);
  CHECK(distance(decimals, 0, 2) == 0.75);
}

TEST_CASE("invalid rows are refused with the rule that they break") {
  const auto check_refused = [](std::vector<std::uint64_t> offsets, std::vector<mlmq::vertex> targets, auto weights,
                                const std::string& rule) {
    CAPTURE(rule);
    CHECK_THROWS_AS(digraph::from_rows(offsets, targets, weights, "mine"), mlmq::input_error);
    CHECK_THROWS_WITH(digraph::from_rows(offsets, targets, weights, "mine"), Contains("mine: ") && Contains(rule));
  };
  const std::vector<std::uint32_t> unit_weight = {1};
  check_refused({}, {}, std::vector<std::uint32_t>{}, "there are no offsets");
  check_refused({0}, {}, std::vector<std::uint32_t>{}, "no vertices");
  check_refused({1, 1}, {0}, unit_weight, "first offset is 1");
  check_refused({0, 2}, {0}, unit_weight, "last offset is 2");
  check_refused({0, 1, 0, 1}, {0}, unit_weight, "fall from 1 to 0 at vertex 1");
  check_refused({0, 1}, {1}, unit_weight, "leads to vertex 1");
  check_refused({0, 1}, {0}, std::vector<std::uint32_t>{}, "0 weights for 1 edges");
  check_refused({0, 1}, {0}, std::vector<float>{-1}, "weight -1");
  check_refused({0, 1}, {0}, std::vector<float>{std::numeric_limits<float>::quiet_NaN()}, "weight nan");
}

TEST_CASE("graphs are opened by the name of a file or of a generated graph") {
  const temporary_file file("mlmq-test-library.txt", "0 1 4\n1 2 5\n2 1 1\n");
  const digraph graph = digraph::open(file.name());
  CHECK(graph.name() == "mlmq-test-library");
  CHECK(graph.vertex_count() == 3);
  CHECK(distance(graph, 0, 2) == 9);
  CHECK(distance(digraph::open(file.name(), {.undirected = true}), 2, 0) == 5);
  CHECK(digraph::open(file.name(), {.weight_type = mlmq::number_type::float32}).weight_type() ==
        mlmq::number_type::float32);
  const auto drawn = [&](std::uint64_t seed) {
    return distance(digraph::open(file.name(), {.weight_seed = seed, .ignore_weights = true}), 0, 2);
  };
  CHECK(drawn(1) == drawn(1));
  CHECK(drawn(1) != drawn(2));

  const digraph path9 = digraph::open("path9");
  CHECK(path9.name() == "path9");
  CHECK(path9.vertex_count() == 9);
  CHECK(digraph::open("path9", {.weight_type = mlmq::number_type::float32}).weight_type() ==
        mlmq::number_type::float32);

  CHECK_THROWS_AS(digraph::open("no/such.gr"), mlmq::input_error);
  CHECK_THROWS_WITH(digraph::open("no/such.gr"), Contains("no/such.gr"));
  CHECK_THROWS_WITH(digraph::open("pth9"), Contains("did you mean 'path'?"));
}

TEST_CASE("vertices have the ids of the graph's file") {
  const temporary_file file("mlmq-ids.wel", "900 7 5\n7 20 6\n");
  const digraph graph = digraph::open(file.name());
  CHECK(graph.vertex_count() == 3);
  CHECK((graph.id_of(0) == 7 && graph.id_of(1) == 20 && graph.id_of(2) == 900));
  CHECK(graph.find_id(900) == 2U);
  CHECK_FALSE(graph.find_id(0));
  CHECK(graph.vertex_of(20) == 1);
  CHECK(distance(graph, graph.vertex_of(900), graph.vertex_of(20)) == 11);
  CHECK_THROWS_AS(graph.vertex_of(8), mlmq::input_error);
  CHECK_THROWS_WITH(graph.vertex_of(8), "mlmq-ids has no vertex 8; its ids run from 7 to 900, with gaps");
  CHECK_THROWS_WITH(graph.id_of(3), Contains("vertex 3: mlmq-ids has vertices 0 to 2"));
  const digraph path4 = digraph::open("path4");
  CHECK((path4.id_of(3) == 3 && path4.vertex_of(2) == 2));
  CHECK(digraph::from_rows({0, 0, 0}, {}, std::vector<std::uint32_t>{}).vertex_of(1) == 1);
}
