// SPDX-License-Identifier: Apache-2.0
// Vertex ids of files: kept by reading, by derived graphs, and by writing if the format can.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <queue>
#include <random>
#include <set>

#include "base/files.hpp"
#include "graph/check.hpp"
#include "graph/file_ids.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/io.hpp"
#include "graph/reference.hpp"
#include "graph/weight_rule.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;

namespace {

using id_list = std::vector<std::uint64_t>;

id_list ids_of(const csr_graph& graph) {
  id_list ids;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) ids.push_back(graph.ids().id_of(v));
  return ids;
}

struct arc {
  std::uint64_t source;
  std::uint64_t target;
  std::uint32_t weight;
};

/// Dijkstra's algorithm on the ids themselves, independent of this program's code.
std::map<std::uint64_t, std::uint64_t> distances_by_id(const std::vector<arc>& arcs, std::uint64_t source) {
  std::map<std::uint64_t, std::vector<arc>> rows;
  for (const arc& edge : arcs) rows[edge.source].push_back(edge);
  std::map<std::uint64_t, std::uint64_t> done;
  using entry = std::pair<std::uint64_t, std::uint64_t>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> open;
  open.push({0, source});
  while (!open.empty()) {
    const auto [distance, id] = open.top();
    open.pop();
    if (!done.emplace(id, distance).second) continue;
    for (const arc& edge : rows[id]) open.push({distance + edge.weight, edge.target});
  }
  return done;
}

std::string as_dimacs(std::size_t vertices, const std::vector<arc>& arcs) {
  std::string text = "p sp " + std::to_string(vertices) + " " + std::to_string(arcs.size()) + "\n";
  for (const arc& edge : arcs) {
    text += "a " + std::to_string(edge.source) + " " + std::to_string(edge.target) + " " + std::to_string(edge.weight) +
            "\n";
  }
  return text;
}

std::string as_matrix(std::size_t vertices, const std::vector<arc>& arcs) {
  const std::string n = std::to_string(vertices);
  std::string text = "%%MatrixMarket matrix coordinate integer general\n" + n + " " + n + " ";
  text += std::to_string(arcs.size()) + "\n";
  for (const arc& edge : arcs) {
    text += std::to_string(edge.source) + " " + std::to_string(edge.target) + " " + std::to_string(edge.weight) + "\n";
  }
  return text;
}

std::string as_lines(const std::vector<arc>& arcs) {
  std::string text;
  for (const arc& edge : arcs) {
    text += std::to_string(edge.source) + " " + std::to_string(edge.target) + " " + std::to_string(edge.weight) + "\n";
  }
  return text;
}

std::string as_galois(std::size_t vertices, std::vector<arc> arcs) {
  std::stable_sort(arcs.begin(), arcs.end(), [](const arc& a, const arc& b) { return a.source < b.source; });
  std::vector<std::uint64_t> head = {1, 4, vertices, arcs.size()};
  for (std::uint64_t v = 0; v < vertices; ++v) {
    head.push_back(static_cast<std::uint64_t>(
        std::count_if(arcs.begin(), arcs.end(), [v](const arc& edge) { return edge.source <= v; })));
  }
  std::vector<std::uint32_t> words;
  for (const arc& edge : arcs) words.push_back(static_cast<std::uint32_t>(edge.target));
  if (arcs.size() % 2 == 1) words.push_back(0);
  for (const arc& edge : arcs) words.push_back(edge.weight);
  return std::string(reinterpret_cast<const char*>(head.data()), head.size() * 8) +
         std::string(reinterpret_cast<const char*>(words.data()), words.size() * 4);
}

/// Returns the program's distances by id, from the vertex with the id `source`.
std::map<std::uint64_t, std::uint64_t> distances_of(const csr_graph& graph, std::uint64_t source) {
  const auto distances = dijkstra(graph, graph.ids().find(source).value());
  std::map<std::uint64_t, std::uint64_t> distances_by_id;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (distances[v] != unreached) distances_by_id.emplace(graph.ids().id_of(v), distances[v]);
  }
  return distances_by_id;
}

}  // namespace

TEST_CASE("ids are counted or listed, and found again") {
  const file_ids counted = file_ids::counted_from(1, 3);
  CHECK((counted.id_of(0) == 1 && counted.id_of(2) == 3));
  CHECK((counted.find(1) == 0u && counted.find(3) == 2u));
  CHECK_FALSE((counted.find(0) || counted.find(4)));
  CHECK(counted.range_text() == "1 to 3");
  const file_ids listed = file_ids::listed({7, 20, 900});
  CHECK((listed.id_of(1) == 20 && listed.count() == 3 && listed.have_gaps()));
  CHECK((listed.find(7) == 0u && listed.find(900) == 2u));
  CHECK_FALSE((listed.find(0) || listed.find(8) || listed.find(901)));
  CHECK(listed.absence_text("roads", 8) == "roads has no vertex 8; its ids run from 7 to 900, with gaps");
  CHECK(file_ids::listed({5, 6, 7}).count_from(5));
  CHECK_FALSE(file_ids::listed({5, 6, 7}).have_gaps());
}

TEST_CASE("every format keeps the ids of its file") {
  const scratch_folder folder;
  const auto ids = [&](const std::string& name, const std::string& text) {
    return ids_of(read_graph(folder.write(name, text)));
  };
  CHECK(ids("a.gr", "p sp 3 1\na 1 2 3\n") == id_list{1, 2, 3});
  CHECK(ids("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n") == id_list{1, 2, 3});
  CHECK(ids("b.gr", as_galois(3, {{0, 1, 5}})) == id_list{0, 1, 2});
  CHECK(ids("a.txt", "1 2 5\n2 3 7\n3 4 1\n") == id_list{1, 2, 3, 4});
  CHECK(ids("b.txt", "900 7\n7 20\n") == id_list{7, 20, 900});
  CHECK(ids("c.txt", "9223372036854775807 5\n") == id_list{5, 9223372036854775807u});
  CHECK(read_graph(folder.write("d.txt", "2 1\n1 0\n")).ids().count_from(0));
  CHECK_THAT(error_of([&] { return read_graph(folder.write("e.txt", "0 1\n9223372036854775808 5\n")); }),
             Contains("e.txt:2: vertex id 9223372036854775808 is too large, expected at most 9223372036854775807"));
}

TEST_CASE("derived graphs keep the ids") {
  const csr_graph graph =
      csr_graph({0, 1, 2, 2}, {1, 2}, std::vector<std::uint32_t>{5, 6}).with_ids(file_ids::listed({3, 5, 9}));
  const id_list ids = {3, 5, 9};
  CHECK(ids_of(graph) == ids);
  CHECK(ids_of(with_weight_type(graph, weight_type::float32)) == ids);
  CHECK(ids_of(with_unit_weights(graph)) == ids);
  CHECK(ids_of(with_drawn_weights(graph, {.distribution = weight_distribution::uniform, .seed = 1})) == ids);
  CHECK_THROWS_AS(graph.with_ids(file_ids::counted_from(0, 2)), mlmq::input_error);
}

TEST_CASE("ids are part of a graph's identity, unless they are counted from 0") {
  const csr_graph graph({0, 1, 2}, {1, 0}, std::vector<std::uint32_t>{5, 6});
  // Recorded results depend on this hash.
  CHECK(graph_hash(graph) == "5998b7fd5d508b3dd551db282abd9774");
  CHECK(graph_hash(graph.with_ids(file_ids::listed({0, 1}))) == graph_hash(graph));
  std::set<std::string> hashes = {graph_hash(graph)};
  for (const id_list& ids : {id_list{1, 2}, id_list{2, 3}, id_list{1, 3}, id_list{0, 7}}) {
    CHECK(hashes.insert(graph_hash(graph.with_ids(file_ids::listed(ids)))).second);
  }
  const csr_graph three({0, 1, 2, 2}, {1, 0}, std::vector<std::uint32_t>{5, 6});
  CHECK(graph_hash(three.with_ids(file_ids::listed({1, 2, 9}))) !=
        graph_hash(three.with_ids(file_ids::listed({1, 3, 9}))));
}

TEST_CASE("messages of the checker call vertices by their ids") {
  const csr_graph graph =
      csr_graph({0, 1, 2, 2}, {1, 2}, std::vector<std::uint32_t>{5, 6}).with_ids(file_ids::listed({30, 50, 90}));
  CHECK(check_distances(graph, 0, std::vector<distance_bits>{0, 5, 11}).ok);
  CHECK_THAT(check_distances(graph, 0, std::vector<distance_bits>{0, 5, 12}).message,
             Contains("vertex 90 has distance 12, but vertex 50 with distance 5"));
  CHECK_THAT(check_distances(graph, 0, std::vector<distance_bits>{0, 5, 10}).message,
             Contains("vertex 90 has distance 10, but no path from source 30"));
  CHECK_THAT(check_distances(graph, 1, std::vector<distance_bits>{0, 5, 11}).message, Contains("source 50"));
}

TEST_CASE("distances from an id are those of the file's own ids") {
  const scratch_folder folder;
  std::mt19937_64 draw(11);
  const auto below = [&](std::uint64_t limit) { return draw() % limit; };
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 2 + below(30);
    std::vector<arc> arcs;  // between 0 … n-1, each of which has an arc
    for (std::uint64_t v = 0; v < n; ++v) arcs.push_back({v, below(n), static_cast<std::uint32_t>(below(50))});
    for (std::size_t i = below(3 * n); i > 0; --i) {
      arcs.push_back({below(n), below(n), static_cast<std::uint32_t>(below(50))});
    }
    std::shuffle(arcs.begin(), arcs.end(), draw);
    const auto renamed = [&](const id_list& names) {
      std::vector<arc> other = arcs;
      for (arc& edge : other) edge = {names[edge.source], names[edge.target], edge.weight};
      return other;
    };
    id_list from_0(n);
    id_list from_1(n);
    std::set<std::uint64_t> drawn;
    for (std::size_t v = 0; v < n; ++v) {
      from_0[v] = v;
      from_1[v] = v + 1;
    }
    while (drawn.size() < n) drawn.insert(below(round % 2 == 0 ? 4 * n : std::uint64_t{1} << 62));
    id_list any(drawn.begin(), drawn.end());
    for (id_list* const names : {&from_0, &from_1, &any}) std::shuffle(names->begin(), names->end(), draw);

    const std::uint64_t start = below(n);
    const auto check = [&](const std::string& name, const std::string& text, const id_list& names) {
      const csr_graph graph = read_graph(folder.write(name, text));
      INFO(name << ":\n" << text);
      REQUIRE(distances_of(graph, names[start]) == distances_by_id(renamed(names), names[start]));
    };
    check("a.gr", as_dimacs(n, renamed(from_1)), from_1);
    check("a.mtx", as_matrix(n, renamed(from_1)), from_1);
    check("b.gr", as_galois(n, renamed(from_0)), from_0);
    check("a.wel", as_lines(renamed(any)), any);
  }
}

TEST_CASE("writing keeps ids where the format can, and says how vertices are renumbered elsewhere") {
  const scratch_folder folder;
  const csr_graph graph = read_graph(folder.write("a.wel", "900 7 1\n7 20 2\n"));
  const auto written = [&](const std::string& name, const file_format format, const csr_graph& content) {
    const std::string said = write_graph(content, folder.path() / name, format);
    return std::pair(said, mlmq::read_file(folder.path() / name));
  };
  CHECK(written("b.wel", file_format::snap, graph) == std::pair<std::string, std::string>("", "7 20 2\n900 7 1\n"));
  CHECK(graph_hash(read_graph(folder.path() / "b.wel")) == graph_hash(graph));

  const std::string said = "the 3 vertices (ids 7 to 900, with gaps) are numbered 1 to 3 here, in the same order";
  CHECK(written("b.gr", file_format::dimacs, graph) == std::pair(said, "c " + said + "\np sp 3 2\na 1 2 2\na 3 1 1\n"));
  CHECK(written("b.mtx", file_format::matrix_market, graph) ==
        std::pair(said, "%%MatrixMarket matrix coordinate integer general\n% " + said + "\n3 3 2\n1 2 2\n3 1 1\n"));
  CHECK(written("c.gr", file_format::galois, graph).first ==
        "the 3 vertices (ids 7 to 900, with gaps) are numbered 0 to 2 here, in the same order");

  const csr_graph from_1 = read_graph(folder.path() / "b.gr");
  CHECK(written("d.gr", file_format::dimacs, from_1) ==
        std::pair<std::string, std::string>("", "p sp 3 2\na 1 2 2\na 3 1 1\n"));
  CHECK(written("d.wel", file_format::snap, from_1).second == "1 2 2\n3 1 1\n");
  CHECK(written("e.gr", file_format::galois, from_1).first == "vertices 1 to 3 are numbered 0 to 2 here");
  CHECK(written("f.gr", file_format::dimacs, generate_path(3)).first == "vertices 0 to 2 are numbered 1 to 3 here");
}
