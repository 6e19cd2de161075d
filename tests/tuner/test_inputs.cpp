// SPDX-License-Identifier: Apache-2.0
// Which graphs an experiment means, and which vertices searches start from.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "fakes.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "message.hpp"
#include "tuner/inputs.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::tuner;
using mlmq::tuner::test::temporary_folder;
using vertices = std::vector<graph::vertex_id>;

/// A vertex of each of these degrees, in this order; all edges lead to vertex 0.
graph::csr_graph graph_of_degrees(const std::vector<int>& degrees) {
  graph::edge_list edges;
  for (graph::vertex_id v = 0; v < degrees.size(); ++v) {
    for (int i = 0; i < degrees[v]; ++i) edges.add(v, 0, 1);
  }
  return graph::build_csr(degrees.size(), edges);
}

source_rule rule(source_rule::choice choice, std::uint64_t count, std::uint64_t seed = 1) {
  return {.choose = choice, .count = count, .seed = seed, .listed = {}};
}

constexpr const char* tiny_gr = "p sp 3 2\na 1 2 5\na 2 3 7\n";

/// An experiment file beside three graphs, one of them not named by the pattern *.gr, and a file that is no graph.
class experiment_folder {
 public:
  experiment_folder() {
    write_file_atomically(path() / "graphs/b.gr", tiny_gr);
    write_file_atomically(path() / "graphs/a.gr", tiny_gr);
    write_file_atomically(path() / "graphs/c.el", "0 1\n1 2\n");
    write_file_atomically(path() / "graphs/notes.md", "no graph\n");
    write_file_atomically(path() / "graphs/inner/d.gr", tiny_gr);
    write_file_atomically(path() / "empty/notes.md", "no graph\n");
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path() / name).string(); }
  [[nodiscard]] experiment_file experiment(const std::string& graphs, const std::string& rest = "") const {
    return parse_experiment("name: n\nproblem: fake\nparameters: {alpha: [1]}\ngraphs:\n" + graphs + rest,
                            path() / "experiment.yaml");
  }

 private:
  temporary_folder folder_;
};

std::vector<std::string> names_of(const std::vector<input>& inputs) {
  std::vector<std::string> names;
  for (const input& one : inputs) names.push_back(one.name);
  return names;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("the largest degrees come first, and among equal ones the lowest number") {
  const graph::csr_graph graph = graph_of_degrees({1, 3, 0, 3, 2, 3});
  CHECK(choose_sources(graph, rule(source_rule::choice::max_degree, 1), "g") == vertices{1});
  CHECK(choose_sources(graph, rule(source_rule::choice::max_degree, 4), "g") == vertices{1, 3, 5, 4});
  CHECK(choose_sources(graph, rule(source_rule::choice::max_degree, 6), "g") == vertices{1, 3, 5, 4, 0, 2});
}

TEST_CASE("the first vertices are the first, with edges or without") {
  CHECK(choose_sources(graph_of_degrees({0, 1, 2}), rule(source_rule::choice::first, 2), "g") == vertices{0, 1});
}

TEST_CASE("more sources than vertices are all of them, once each") {
  const graph::csr_graph graph = graph_of_degrees({1, 2});
  for (const auto choice : {source_rule::choice::max_degree, source_rule::choice::first, source_rule::choice::random}) {
    vertices chosen = choose_sources(graph, rule(choice, 100), "g");
    std::sort(chosen.begin(), chosen.end());
    CHECK(chosen == vertices{0, 1});
  }
}

TEST_CASE("random sources are the same on every machine, different for every seed, and have edges") {
  std::vector<int> degrees(1000);
  for (std::size_t v = 0; v < degrees.size(); ++v) degrees[v] = v % 3 == 0 ? 0 : 1;
  const graph::csr_graph graph = graph_of_degrees(degrees);
  const vertices chosen = choose_sources(graph, rule(source_rule::choice::random, 6), "g");
  CHECK(chosen == vertices{818, 128, 253, 49, 29, 620});
  // A longer list begins like a shorter one.
  vertices more = choose_sources(graph, rule(source_rule::choice::random, 500), "g");
  CHECK(vertices(more.begin(), more.begin() + 6) == chosen);
  CHECK(choose_sources(graph, rule(source_rule::choice::random, 6, 2), "g") != chosen);
  for (const graph::vertex_id v : more) CHECK(v % 3 != 0);
  std::sort(more.begin(), more.end());
  CHECK(std::adjacent_find(more.begin(), more.end()) == more.end());
  CHECK(more.size() == 500);
}

TEST_CASE("a graph without edges still has random sources") {
  CHECK(choose_sources(graph_of_degrees({0, 0, 0}), rule(source_rule::choice::random, 5), "g").size() == 3);
}

TEST_CASE("sources of several rules follow each other, each vertex once") {
  const graph::csr_graph graph = graph_of_degrees({1, 3, 0, 3, 2, 3});
  const source_rule listed{.choose = source_rule::choice::listed, .count = 2, .seed = 1, .listed = {3, 0}};
  const source_rule largest = rule(source_rule::choice::max_degree, 3);
  CHECK(choose_sources(graph, source_rules{listed, largest}, "g") == vertices{3, 0, 1, 5});
  CHECK(choose_sources(graph, source_rules{largest, listed}, "g") == vertices{1, 3, 5, 0});
  CHECK(choose_sources(graph, source_rules{largest, rule(source_rule::choice::random, 6)}, "g").size() == 5);
  CHECK(count_of({listed, largest}) == 5);
  const source_rule twice{.choose = source_rule::choice::listed, .count = 2, .seed = 1, .listed = {4, 4}};
  CHECK(choose_sources(graph, source_rules{twice, listed}, "g") == vertices{4, 3, 0});
}

TEST_CASE("a list of sources may hold vertices and rules") {
  const experiment_file e = parse_experiment(
      "name: n\nproblem: p\nparameters: {a: [1]}\ngraphs: [{generate: grid4}]\n"
      "sources: [4, 2, {count: 2, choose: random, seed: 7}, 9]\n",
      "x.yaml");
  CHECK(e.sources == source_rules{{source_rule::choice::listed, 2, 1, {4, 2}},
                                  {source_rule::choice::random, 2, 7, {}},
                                  {source_rule::choice::listed, 1, 1, {9}}});
}

TEST_CASE("listed sources are taken as they are, and one that is no vertex names the graph and its vertices") {
  const graph::csr_graph graph = graph_of_degrees({1, 1, 1});
  source_rule listed{.choose = source_rule::choice::listed, .count = 2, .seed = 1, .listed = {2, 0}};
  CHECK(choose_sources(graph, listed, "tiny") == vertices{2, 0});
  listed.listed = {0, 3};
  CHECK(message_of([&] { static_cast<void>(choose_sources(graph, listed, "tiny")); }) ==
        "source 3: tiny has no vertex 3; its ids run from 0 to 2");
}

TEST_CASE("a graph's name is its file's without folder, compression and format") {
  CHECK(graph_name_of("/data/USA-road-d.NY.gr.gz") == "USA-road-d.NY");
  CHECK(graph_name_of("rmat22.mtx") == "rmat22");
  CHECK(graph_name_of("a.b/web.el") == "web");
  CHECK(graph_name_of("plain") == "plain");
  // Not a format: part of the name.
  CHECK(graph_name_of("road.v2") == "road.v2");
  CHECK(graph_name_of("road.v2.gz") == "road.v2");
}

TEST_CASE("an experiment's graphs are those it lists, in its order, patterns sorted by name") {
  const experiment_folder folder;
  const auto inputs =
      list_inputs(folder.experiment("  - generate: path9\n  - file: graphs/*.gr\n  - file: graphs/c.el\n"), {});
  CHECK(names_of(inputs) == names{"path9", "a", "b", "c"});
  CHECK(inputs[0].generated == "path9");
  CHECK(inputs[0].file == "");
  CHECK(inputs[1].generated == "");
  CHECK(inputs[1].file == folder / "graphs/a.gr");
}

TEST_CASE("a graph's own sources go before those of the experiment") {
  const experiment_folder folder;
  const auto inputs = list_inputs(folder.experiment("  - {generate: path9, sources: [4]}\n  - generate: star9\n",
                                                    "sources: {count: 3, choose: first}\n"),
                                  {});
  CHECK(inputs[0].sources[0].listed == std::vector<std::uint64_t>{4});
  CHECK(inputs[1].sources == source_rules{rule(source_rule::choice::first, 3)});
}

TEST_CASE("graphs named on the command line replace the experiment's: folders, files, patterns, generators") {
  const experiment_folder folder;
  const experiment_file experiment = folder.experiment("  - generate: path9\n", "sources: {count: 2, choose: first}\n");
  const auto listed = [&](const std::vector<std::string>& instead) { return list_inputs(experiment, instead); };
  // A folder stands for its own graph files, not for those of its folders.
  CHECK(names_of(listed({folder / "graphs"})) == names{"a", "b", "c"});
  CHECK(names_of(listed({folder / "graphs/c.el"})) == names{"c"});
  CHECK(names_of(listed({folder / "graphs/[ab].gr"})) == names{"a", "b"});
  CHECK(names_of(listed({"star9"})) == names{"star9"});
  CHECK(names_of(listed({"power9:seed=3", folder / "graphs/*.el", folder / "graphs/a.gr"})) ==
        names{"power9:seed=3", "c", "a"});
  for (const input& one : listed({folder / "graphs", "star9"})) {
    CHECK(one.sources == source_rules{rule(source_rule::choice::first, 2)});
  }
}

TEST_CASE("what names no graph is refused with its name") {
  const experiment_folder folder;
  const experiment_file experiment = folder.experiment("  - generate: path9\n");
  const auto message = [&](const std::string& name) {
    return message_of([&] { static_cast<void>(list_inputs(experiment, std::vector{name})); });
  };
  CHECK_THAT(message(folder / "graphs/*.mtx"), Catch::Contains("*.mtx"));
  CHECK_THAT(message(folder / "absent/x.gr"), Catch::Contains("absent/x.gr"));
  CHECK_THAT(message(folder / "empty"), Catch::Contains(folder / "empty") && Catch::Contains("no graph files"));
}

TEST_CASE("a generated graph is recorded with its class and features") {
  const experiment_folder folder;
  const auto inputs = list_inputs(folder.experiment("  - {generate: grid5, sources: [7]}\n"), {});
  const loaded_input loaded = load_input(inputs.at(0));
  CHECK(loaded.graph.vertex_count() == 25);
  CHECK(loaded.record.name == "grid5");
  CHECK(loaded.record.path == "");
  CHECK(loaded.record.vertices == 25);
  CHECK(loaded.record.edges == 80);
  CHECK(loaded.record.weight_type == "uint32");
  CHECK(loaded.record.hash == graph::graph_hash(graph::generate_grid2d(5, 5)));
  CHECK_FALSE(loaded.record.graph_class.empty());
  CHECK(loaded.record.features.size() >= 8);
  CHECK(loaded.sources == vertices{7});
}

TEST_CASE("a graph's file is read when it is asked for, and recorded with its path") {
  const experiment_folder folder;
  const auto inputs = list_inputs(folder.experiment("  - file: graphs/a.gr\n  - file: graphs/b.gr\n"), {});
  const loaded_input first = load_input(inputs.at(0));
  const loaded_input second = load_input(inputs.at(1));
  CHECK(first.record.vertices == 3);
  CHECK(first.record.edges == 2);
  CHECK(first.record.path == folder / "graphs/a.gr");
  // The content is the identity, not the name.
  CHECK(first.record.hash == second.record.hash);
  CHECK(first.record.name != second.record.name);
  std::filesystem::remove(folder.path() / "graphs/a.gr");
  CHECK_THAT(message_of([&] { static_cast<void>(load_input(inputs.at(0))); }), Catch::Contains("a.gr"));
}

TEST_CASE("weights drawn for a graph without weights follow its seed") {
  const experiment_folder folder;
  const auto inputs = list_inputs(folder.experiment("  - {file: graphs/c.el, weight_seed: 1}\n"
                                                    "  - {file: graphs/c.el, weight_seed: 2}\n"
                                                    "  - {file: graphs/a.gr, ignore_weights: true}\n"
                                                    "  - {file: graphs/a.gr}\n"
                                                    "  - {file: graphs/a.gr, float_weights: true}\n"),
                                  {});
  CHECK(load_input(inputs.at(0)).record.hash != load_input(inputs.at(1)).record.hash);
  CHECK(load_input(inputs.at(0)).record.hash == load_input(inputs.at(0)).record.hash);
  CHECK(load_input(inputs.at(2)).record.hash != load_input(inputs.at(3)).record.hash);
  const loaded_input integers = load_input(inputs.at(3));
  const loaded_input floats = load_input(inputs.at(4));
  CHECK(floats.record.name == integers.record.name + "-float");
  CHECK(floats.record.weight_type == "float32");
  CHECK(floats.record.hash != integers.record.hash);
  CHECK(floats.graph.weight(0) == integers.graph.weight(0));
}
