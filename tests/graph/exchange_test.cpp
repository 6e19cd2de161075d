// SPDX-License-Identifier: Apache-2.0
// Formats for exchange with other tools: METIS, tables of edges, SciPy matrices. tests/cli/test_formats.py tests the
// refused input, line by line.
#include <catch2/catch.hpp>

#include "base/files.hpp"
#include "base/zip_archive.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/io.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::vector<std::string> no_notes;

std::vector<std::string> notes_of(const std::filesystem::path& file, const read_options& options = {}) {
  std::vector<std::string> notes;
  static_cast<void>(read_graph(file, options, &notes));
  return notes;
}

std::vector<std::string> names_of(const csr_graph& graph) {
  return {graph.ids().names().begin(), graph.ids().names().end()};
}

/// Returns a graph with edges between three vertices in both directions.
csr_graph triangle(csr_graph::weight_array weights) { return {{0, 2, 4, 6}, {1, 2, 2, 0, 0, 1}, std::move(weights)}; }

}  // namespace

TEST_CASE("METIS files are read") {
  const scratch_folder folder;
  SECTION("weights of edges; sizes and weights of vertices are skipped") {
    const csr_graph graph =
        read_graph(folder.write("a.graph", "% x\n3 2 111 2\n9 8 7 2 5\n9 8 7 1 5 3 2\n9 8 7 2 2\n"));
    CHECK(offsets_of(graph) == offset_list{0, 1, 3, 4});
    CHECK(targets_of(graph) == target_list{1, 0, 2, 1});
    CHECK(weights_of(graph) == weight_list{5, 5, 2, 2});
    CHECK(graph.ids().range_text() == "1 to 3");
  }
  SECTION("without weights they are drawn, alike in both directions, and that is said") {
    const auto file = folder.write("a.metis", "3 1\n3\n\n1\n");
    const csr_graph graph = read_graph(file, {.weight_seed = 7});
    CHECK(targets_of(graph) == target_list{2, 0});
    CHECK(weights_of(graph).at(0) == weights_of(graph).at(1));
    CHECK(notes_of(file, {.weight_seed = 7}) ==
          std::vector<std::string>{file.string() +
                                   ": has no weights: whole numbers from 1 to 100 are drawn, with seed 7"});
    CHECK(notes_of(file, {.ignore_weights = true}) == no_notes);
  }
  SECTION("an edge in one line only is refused unless entries are taken as they are") {
    const auto file = folder.write("a.graph", "2 1 1\n2 4\n\n");
    CHECK_THAT(error_of([&] { return read_graph(file); }), Contains("expected 2, two for each of the 1 edges"));
    CHECK(targets_of(read_graph(file, {.undirected = false})) == target_list{1});
  }
}

TEST_CASE("tables of edges are read") {
  const scratch_folder folder;
  SECTION("ids, and columns by their names") {
    const csr_graph graph = read_graph(folder.write("a.csv", "cost;to;x;from\n2.5;900;;7\n1;7;;20\n"));
    CHECK(graph.ids().id_of(0) == 7);
    CHECK(graph.ids().id_of(2) == 900);
    CHECK(targets_of(graph) == target_list{2, 0});
    CHECK(weights_of(graph) == weight_list{2.5, 1});
  }
  SECTION("names are kept") {
    const auto file = folder.write("a.csv", "source,target,weight\nOslo,\"a, b\",1\n\"a, b\",7,2\n");
    const csr_graph graph = read_graph(file);
    CHECK(names_of(graph) == std::vector<std::string>{"Oslo", "a, b", "7"});
    CHECK(targets_of(graph) == target_list{1, 2});
    CHECK(graph.ids().find("7") == vertex_id{2});
    CHECK(graph.ids().find("a, b") == vertex_id{1});
    CHECK(graph.ids().find("1") == std::nullopt);
    CHECK(graph.ids().text_of(1) == "a, b");
    CHECK_THAT(graph.ids().absence_text("a", "Olso"), Contains("has no vertex 'Olso'") && Contains("mean 'Oslo'"));
  }
  SECTION("neither weights nor directions are in such a file") {
    const auto file = folder.write("a.csv", "1,2\n");
    const std::vector<std::string> notes = notes_of(file);
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0], Contains("has no weights") && Contains("; does not say whether edges are directed"));
    CHECK(notes_of(file, {.ignore_weights = true, .undirected = true}) == no_notes);
    CHECK_THAT(notes_of(file, {.undirected = false}).at(0), !Contains("directed"));
  }
}

TEST_CASE("defaults for edge lists and matrices without weights or directions") {
  const scratch_folder folder;
  CHECK_THAT(notes_of(folder.write("a.el", "1 2\n")).at(0), Contains("has no weights") && Contains("directed"));
  CHECK_THAT(notes_of(folder.write("b.wel", "1 2 3\n")).at(0), !Contains("weights") && Contains("directed"));
  CHECK_THAT(notes_of(folder.write("c.el", "# Undirected graph\n1 2\n")).at(0),
             Contains("weights") && !Contains("directed"));
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";
  CHECK_THAT(notes_of(folder.write("d.mtx", pattern)).at(0), Contains("has no weights") && !Contains("directed"));
  CHECK(notes_of(folder.write("e.gr", "p sp 2 1\na 1 2 3\n")) == no_notes);
}

TEST_CASE("graphs survive being written for other tools and read") {
  const scratch_folder folder;
  const auto counted_from_0 = [](const csr_graph& graph) {
    return graph.with_ids(file_ids::counted_from(0, graph.vertex_count()));
  };
  for (const char* name : {"road8", "del7", "power7", "rmat6", "path2", "star5"}) {
    const csr_graph graph = generate_named(name).graph;
    const auto matrix = folder.path() / (name + std::string(".npz"));
    write_graph(graph, matrix);
    CHECK(graph_hash(read_graph(matrix)) == graph_hash(graph));
    for (const char* ending : {".csv", ".csv.gz"}) {
      const auto table = folder.path() / (name + std::string(ending));
      const std::string lost = write_graph(graph, table);
      if (lost.empty()) CHECK(same_graph(read_graph(table), graph));
    }
    if (std::string(name) == "rmat6" || std::string(name) == "power7") continue;  // directed, or with self-loops
    for (const char* ending : {".graph", ".metis.gz"}) {
      const auto lines = folder.path() / (name + std::string(ending));
      CHECK(write_graph(graph, lines) == "vertices 0 to " + std::to_string(graph.vertex_count() - 1) +
                                             " are numbered 1 to " + std::to_string(graph.vertex_count()) + " here");
      CHECK(graph_hash(counted_from_0(read_graph(lines))) == graph_hash(graph));
    }
  }
}

TEST_CASE("a table is written with the names of its vertices") {
  const scratch_folder folder;
  const std::vector<std::string> names{"Oslo", "a, \"b\"", " 7"};
  const csr_graph graph = triangle(std::vector<std::uint32_t>{4, 5, 6, 4, 5, 6}).with_ids(file_ids::named(names));
  const auto file = folder.path() / "a.csv";
  CHECK(write_graph(graph, file).empty());
  CHECK(mlmq::read_file(file) ==
        "source,target,weight\nOslo,\"a, \"\"b\"\"\",4\nOslo,\" 7\",5\n\"a, \"\"b\"\"\",\" 7\",6\n\"a, "
        "\"\"b\"\"\",Oslo,4\n\" 7\",Oslo,5\n\" 7\",\"a, \"\"b\"\"\",6\n");
  CHECK(names_of(read_graph(file)) == names);
  CHECK(same_graph(graph, read_graph(file)));
}

TEST_CASE("negative weights are an error of their own") {
  const scratch_folder folder;
  for (const auto& [name, text] :
       {std::pair{"a.wel", "1 2 3\n2 3 -4\n"}, std::pair{"a.csv", "1,2,-3\n"},
        std::pair{"a.graph", "2 1 1\n2 -4\n1 -4\n"},
        std::pair{"a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -0.5\n"}}) {
    const auto file = folder.write(name, text);
    CHECK_THROWS_AS(read_graph(file), negative_weights_error);
    CHECK(read_graph(file, {.absolute_weights = true}).negated_weights() > 0);
  }
  // Other errors are of another type.
  bool is_of_weights = true;
  try {
    static_cast<void>(read_graph(folder.write("b.wel", "1 2 x\n")));
  } catch (const negative_weights_error&) {
  } catch (const mlmq::input_error&) {
    is_of_weights = false;
  }
  CHECK_FALSE(is_of_weights);
}

TEST_CASE("files for other tools") {
  const scratch_folder folder;
  const csr_graph graph =
      triangle(std::vector<std::uint32_t>{4, 5, 6, 4, 5, 6}).with_ids(file_ids::listed({3, 10, 11}));
  write_graph(graph, folder.path() / "a.graph");
  CHECK(mlmq::read_file(folder.path() / "a.graph") ==
        "% the 3 vertices (ids 3 to 11, with gaps) are numbered 1 to 3 here, in the same order\n"
        "3 3 001\n2 4 3 5\n3 6 1 4\n1 5 2 6\n");
  write_graph(graph, folder.path() / "a.csv");
  CHECK(mlmq::read_file(folder.path() / "a.csv") ==
        "source,target,weight\n3,10,4\n3,11,5\n10,11,6\n10,3,4\n11,3,5\n11,10,6\n");
  CHECK(same_graph(graph, read_graph(folder.path() / "a.csv")));
  CHECK(read_graph(folder.path() / "a.csv").ids().id_of(1) == 10);

  SECTION("floats of both sizes") {
    const csr_graph floats = triangle(std::vector<float>{0.1f, 2, 3, 0.1f, 2, 3});
    const csr_graph doubles = triangle(std::vector<double>{0.1, 2, 3, 0.1, 2, 3});
    for (const char* name : {"f.csv", "f.npz"}) {
      write_graph(floats, folder.path() / name);
      CHECK(same_graph(floats, read_graph(folder.path() / name)));
      CHECK_THAT(write_graph(doubles, folder.path() / name), Contains("--weights float64"));
      CHECK(same_graph(doubles, read_graph(folder.path() / name, {.weight_type = weight_type::float64})));
    }
  }
  SECTION("entries that SciPy would put together") {
    const csr_graph parallel({0, 3, 3}, {1, 0, 1}, std::vector<std::uint32_t>{1, 2, 3});
    CHECK_THAT(write_graph(parallel, folder.path() / "p.npz"), Contains("SciPy adds up") && Contains(": 1"));
    CHECK(same_graph(parallel, read_graph(folder.path() / "p.npz")));
    CHECK_THAT(notes_of(folder.path() / "p.npz", {.undirected = false}).at(0),
               Contains("at the place of another: 1, taken as parallel edges"));
    const csr_graph lonely({0, 0, 0}, {}, std::vector<std::uint32_t>());
    write_graph(lonely, folder.path() / "e.npz");
    CHECK(same_graph(lonely, read_graph(folder.path() / "e.npz")));
  }
}

TEST_CASE("graphs that other tools' formats cannot hold are refused") {
  const scratch_folder folder;
  const auto write_error = [&](const csr_graph& graph, const char* name) {
    const auto file = folder.path() / name;
    const std::string message = error_of([&] { return write_graph(graph, file); });
    CHECK_FALSE(std::filesystem::exists(file));
    return message;
  };
  CHECK_THAT(write_error(triangle(std::vector<float>(6, 1.0f)), "a.graph"),
             Contains("a.graph: the weights are floats"));
  CHECK_THAT(write_error(triangle(std::vector<std::uint32_t>{4, 5, 6, 4, 5, 7}), "a.graph"),
             Contains("the edge from 1 to 2 with weight 6 has no reverse edge with that weight"));
  CHECK_THAT(write_error(csr_graph({0, 1, 1}, {1}, std::vector<std::uint32_t>{3}), "a.graph"),
             Contains("the edge from 0 to 1 with weight 3 has no reverse"));
  CHECK_THAT(write_error(csr_graph({0, 0, 1}, {0}, std::vector<std::uint32_t>{3}), "a.graph"),
             Contains("the edge from 1 to 0 with weight 3 has no reverse"));
  CHECK_THAT(write_error(csr_graph({0, 1}, {0}, std::vector<std::uint32_t>{3}), "a.graph"), Contains("to itself"));
  CHECK_THAT(write_error(triangle(std::vector<std::uint32_t>(6, 0)), "a.graph"),
             Contains("only contain weights above 0"));
  CHECK_THAT(write_error(csr_graph({0, 0}, {}, std::vector<std::uint32_t>{}), "a.csv"), Contains("has no edges"));
  CHECK_THAT(write_error(generate_path(3), "a.npz.gz"), Contains("leave .gz out"));
}

TEST_CASE("archives that are written can be read") {
  const scratch_folder folder;
  const auto file = folder.path() / "a.zip";
  const std::string content(100'000, 'x');
  {
    mlmq::zip_writer archive(file);
    archive.add("first", "head", std::as_bytes(std::span(content)));
    archive.add("empty", "", {});
    CHECK_FALSE(std::filesystem::exists(file));
    archive.commit();
  }
  const mlmq::zip_archive archive(file);
  const std::vector<std::byte> read = archive.read("first");
  CHECK(std::string(reinterpret_cast<const char*>(read.data()), read.size()) == "head" + content);
  CHECK(archive.read("empty").empty());
  CHECK_FALSE(archive.contains("other"));
}
