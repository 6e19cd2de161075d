// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <limits>

#include "base/files.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/io.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;

namespace {

/// Returns the graph with ids counted from 0, since some formats count from 1.
csr_graph counted_from_0(const csr_graph& graph) {
  return graph.with_ids(file_ids::counted_from(0, graph.vertex_count()));
}

}  // namespace

TEST_CASE("graphs survive being written and read") {
  const scratch_folder folder;
  for (const char* name : {"road8", "del7", "rmat6", "power7", "path1", "path2", "star5"}) {
    const csr_graph graph = generate_named(name).graph;
    for (const file_format format : {file_format::dimacs, file_format::galois}) {
      for (const char* ending : {".gr", ".gr.gz"}) {
        const auto file = folder.path() / "new folder" / (name + std::string(ending));
        write_graph(graph, file, format);
        CHECK(graph_hash(counted_from_0(read_graph(file))) == graph_hash(graph));
      }
    }
    const auto market = folder.path() / (name + std::string(".mtx.gz"));
    write_graph(graph, market, file_format::matrix_market);
    CHECK(graph_hash(counted_from_0(read_graph(market))) == graph_hash(graph));
  }
}

TEST_CASE("an edge list has every edge with its vertices from 0") {
  const scratch_folder folder;
  const csr_graph graph({0, 2, 2, 3}, {2, 1, 0}, std::vector<std::uint32_t>{7, 8, 0});
  const auto file = folder.path() / "a.wel";
  write_graph(graph, file, file_format::snap);
  CHECK(mlmq::read_file(file) == "0 2 7\n0 1 8\n2 0 0\n");
  CHECK(same_graph(graph, read_graph(file)));
  const csr_graph floats({0, 2, 2, 2}, {2, 1}, std::vector<float>{0.5f, 2.0f});
  write_graph(floats, file, file_format::snap);
  CHECK(mlmq::read_file(file) == "0 2 0.5\n0 1 2.0\n");
}

TEST_CASE("floats survive as the shortest decimals") {
  const scratch_folder folder;
  const csr_graph graph({0, 4, 7}, {0, 1, 1, 1, 0, 0, 0},
                        std::vector<float>{0.1f, 5.0f, 0.0f, 1e30f, std::numeric_limits<float>::max(),
                                           std::numeric_limits<float>::denorm_min(), 16777216.0f});
  const auto file = folder.path() / "a.gr";
  write_graph(graph, file);
  CHECK(same_graph(graph, read_graph(file)));
  CHECK_THAT(mlmq::read_file(file), Contains("p sp 2 7\na 1 1 0.1\na 1 2 5.0\na 1 2 0.0\n"));
}

TEST_CASE("graphs that a format cannot hold are refused, and no file is left behind") {
  const scratch_folder folder;
  const auto file = folder.path() / "a.gr";
  const csr_graph floats({0, 1}, {0}, std::vector<float>{1});
  CHECK_THAT(error_of([&] { write_graph(floats, file, file_format::galois); }),
             Contains("a.gr: the Galois binary format has integer weights only") && Contains("DIMACS text"));
  const csr_graph large({0, 1}, {0}, std::vector<std::uint32_t>{0x80000000u});
  CHECK_THAT(error_of([&] { write_graph(large, file, file_format::galois); }),
             Contains("edge 0 has weight 2147483648"));
  CHECK_NOTHROW(write_graph(large, folder.path() / "b.gr", file_format::dimacs));
  CHECK_THAT(error_of([&] { write_graph(csr_graph(), file); }), Contains("has no vertices"));
  CHECK_THAT(error_of([&] { write_graph(large, folder.path() / "a.bin"); }),
             Contains("the file name does not end in a known extension"));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a file that cannot be written is a work_error and leaves the old one") {
  const scratch_folder folder;
  const csr_graph graph = generate_path(3);
  const auto blocked = folder.write("plain", "");
  CHECK_THROWS_AS(write_graph(graph, blocked / "a.gr"), mlmq::work_error);
  std::filesystem::create_directories(folder.path() / "a.gr" / "inside");
  CHECK_THROWS_AS(write_graph(graph, folder.path() / "a.gr"), mlmq::work_error);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    CHECK_THAT(entry.path().string(), !Contains(".tmp"));
  }
}
