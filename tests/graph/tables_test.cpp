// SPDX-License-Identifier: Apache-2.0
// What the columns of a table of edges mean: the tables of other tools, and the columns that the caller names.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "graph/hash.hpp"
#include "graph/io.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;

namespace {

/// Returns the edges as "FROM>TO=WEIGHT", in the order of the sources.
std::string edges_text(const csr_graph& graph) {
  std::string text;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    for (edge_offset i = graph.offsets()[v]; i < graph.offsets()[v + std::size_t{1}]; ++i) {
      text += fmt::format("{}{}>{}={}", text.empty() ? "" : " ", graph.ids().text_of(v),
                          graph.ids().text_of(graph.targets()[i]), graph.weight(i));
    }
  }
  return text;
}

std::string notes_text(const std::filesystem::path& file, const read_options& options = {}) {
  std::vector<std::string> notes;
  static_cast<void>(read_graph(file, options, &notes));
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

struct tool_table {
  const char* tool;
  const char* name;
  const char* content;
  const char* edges;
  const char* note;
};

}  // namespace

TEST_CASE("tables of other tools are read as their users mean them") {
  const scratch_folder folder;
  const auto tables = std::to_array<tool_table>({
      {"osmnx: graph_to_gdfs(G)[1].to_csv()", "a.csv",
       "u,v,key,osmid,highway,oneway,reversed,length,geometry\n"
       "1,2,0,77,residential,False,False,10.5,\"LINESTRING (0 0, 1 1)\"\n"
       "2,1,0,77,residential,False,True,10.5,\"LINESTRING (1 1, 0 0)\"\n"
       "2,3,0,\"[78, 79]\",primary,True,False,4.25,\"LINESTRING (1 1, 2 2)\"\n",
       "1>2=10.5 2>1=10.5 2>3=4.25", "the weight is 'length'; not used: 'key', 'osmid'"},
      {"pgRouting: table of edges", "a.csv",
       "id,source,target,cost,reverse_cost\n1,1,2,1,6\n2,2,3,1,-1\n3,3,4,-1,1\n4,4,5,2,\n",
       "1>2=1 2>1=6 2>3=1 4>3=1 4>5=2", "the weight is 'cost', against the direction 'reverse_cost'"},
      {"osm2pgrouting: table ways", "a.csv",
       "gid,length,length_m,source,target,cost,reverse_cost,cost_s,reverse_cost_s,one_way\n"
       "1,0.1,90,1,2,1,-1,10,-1,1\n2,0.1,80,2,3,1,3,20,60,2\n",
       "1>2=1 2>3=1 3>2=3", "other possible weights: 'length', 'length_m', 'cost_s'"},
      {"Gephi", "a.csv", "Source,Target,Type,Id,Label,Weight\n1,2,Undirected,0,,3.0\n3,2,Directed,1,,1.5\n",
       "1>2=3 2>1=3 3>2=1.5", "'Type' tells whether an edge leads in both directions"},
      {"NetworkX: to_pandas_edgelist().to_csv(index=False)", "a.csv", "source,target,weight\nA,B,4\nB,C,2\n",
       "A>B=4 B>C=2", "the weight is 'weight'"},
      {"pandas: to_csv() with its index", "a.csv", ",source,target,distance\n0,1.0,2.0,4\n1,2.0,3.0,2\n", "1>2=4 2>3=2",
       "the weight is 'distance'\n"},
      {"R: write.csv(as_data_frame(g))", "a.csv", "\"\",\"from\",\"to\",\"weight\"\n\"1\",\"a\",\"b\",0.5\n", "a>b=0.5",
       "the weight is 'weight'\n"},
      {"Neo4j: neo4j-admin", "a.csv", ":START_ID(Place),:END_ID(Place),:TYPE,cost:float\n7,9,ROAD,1.5\n", "7>9=1.5",
       "the weight is 'cost:float'; not used: ':TYPE'"},
      {"cuGraph", "a.csv", "src dst wgt\n", nullptr, "expected a header"},
      {"cuGraph: to_csv(sep='\\t')", "a.tsv", "src\tdst\twgt\n0\t1\t2.5\n", "0>1=2.5", "the weight is 'wgt'"},
      {"GMNS: link.csv", "a.csv",
       "link_id,from_node_id,to_node_id,directed,length,free_speed\n1,10,20,0,3,50\n2,20,30,1,4,50\n",
       "10>20=3 20>10=3 20>30=4", "'directed' tells whether an edge leads in both directions"},
      {"Excel with German settings", "a.csv", "Start;End;Distance (km)\nKöln;Bonn;30\n", "Köln>Bonn=30",
       "the weight is 'Distance (km)'"},
      {"OpenStreetMap, a line for each street", "a.csv",
       "from,to,length,oneway\n1,2,10,no\n2,3,5,yes\n4,3,1,-1\n5,3,7,\n", "1>2=10 2>1=10 2>3=5 3>4=1 3>5=7 5>3=7",
       "'oneway' tells whether an edge leads in both directions"},
      {"numpy: savetxt()", "a.txt", "1.000000000000000000e+00 2.000000000000000000e+00 4.5e+00\n", "1>2=4.5", ""},
      {"NetworkX: write_edgelist()", "a.txt", "0 1 {'weight': 3}\n", nullptr, "write_weighted_edgelist()"},
  });
  for (const tool_table& example : tables) {
    INFO(example.tool);
    const auto file = folder.write(example.name, example.content);
    if (example.edges == nullptr) {
      CHECK_THAT(error_of([&] { return read_graph(file); }), Contains(example.note));
      continue;
    }
    CHECK(edges_text(read_graph(file)) == example.edges);
    CHECK_THAT(notes_text(file), Contains(example.note));
  }
}

TEST_CASE("a quantity by any usual name is the weight, and an unknown column is an error") {
  const scratch_folder folder;
  for (const char* name : {"seconds", "time", "minutes", "travel_time", "Travel Time (min)", "duration_s", "length_m",
                           "dist-km", "Shape__Length", "impedance", "free_flow_time"}) {
    INFO(name);
    const auto file = folder.write("a.csv", fmt::format("from,to,{}\n1,2,30\n2,3,40\n", name));
    CHECK(edges_text(read_graph(file)) == "1>2=30 2>3=40");
    CHECK_THAT(notes_text(file), Contains(fmt::format("the weight is '{}'", name)));
  }
  for (const char* name : {"Distanz", "id", "capacity", "speed"}) {
    INFO(name);
    const auto file = folder.write("a.csv", fmt::format("from,to,{}\n1,2,30\n", name));
    CHECK_THAT(error_of([&] { return read_graph(file); }),
               Contains(fmt::format("the others are '{}'", name)) && Contains("--weight-column"));
    CHECK(edges_text(read_graph(file, {.columns = {.weight = name}})) == "1>2=30");
    CHECK(read_graph(file, {.ignore_weights = true}).edge_count() == 1);
  }
  const auto two = folder.write("a.csv", "from,to,seconds,length\n1,2,9,100\n");
  CHECK(edges_text(read_graph(two)) == "1>2=100");
  CHECK_THAT(notes_text(two), Contains("the weight is 'length'; other possible weights: 'seconds'"));
  CHECK(edges_text(read_graph(two, {.columns = {.weight = "seconds"}})) == "1>2=9");
  CHECK(notes_text(two, {.undirected = false, .columns = {.weight = "seconds"}}).empty());
}

TEST_CASE("decimal weights that float32 rounds are noted, or become whole numbers or float64") {
  const scratch_folder folder;
  const auto tenths = folder.write("a.csv", "from,to,cost\n1,2,0.1\n2,3,3\n");
  CHECK(read_graph(tenths).weights() == weight_type::float32);
  CHECK_THAT(notes_text(tenths), Contains("rounded to 32-bit floats") && Contains("--weights float64"));
  const csr_graph exact = read_graph(tenths, {.exact_decimals = true});
  CHECK(edges_text(exact) == "1>2=1 2>3=30");
  CHECK(exact.decimal_places() == 1u);
  CHECK(graph_hash(exact) != graph_hash(exact.with_decimal_places(std::nullopt)));
  CHECK_THAT(notes_text(tenths, {.exact_decimals = true}),
             Contains("decimal weights are searched as whole multiples of 0.1, without rounding"));
  const auto long_numbers = folder.write("long.csv", "from,to,cost\n1,2,0.33333333333\n2,3,3\n");
  CHECK(read_graph(long_numbers, {.exact_decimals = true}).weights() == weight_type::float64);
  CHECK(read_graph(long_numbers, {.exact_decimals = true}).weight(0) == 0.33333333333);
  CHECK_THAT(notes_text(long_numbers, {.exact_decimals = true}), Contains("decimal weights are float64"));
  CHECK(read_graph(tenths, {.weight_type = weight_type::float32, .exact_decimals = true}).weights() ==
        weight_type::float32);
  CHECK_THAT(notes_text(tenths, {.weight_type = weight_type::float32}), !Contains("rounded"));
  for (const auto& [name, content] :
       {std::pair("b.csv", "from,to,cost\n1,2,0.5\n2,3,16777216\n"), std::pair("c.el", "1 2 0.25\n")}) {
    const auto halves = folder.write(name, content);
    CHECK(read_graph(halves).weights() == weight_type::float32);
    CHECK(read_graph(halves, {.exact_decimals = true}).decimal_places().value() <= 2);
    CHECK_THAT(notes_text(halves), !Contains("rounded"));
  }
  // A whole number that is no float32 is rounded as well.
  CHECK_THAT(notes_text(folder.write("d.el", "1 2 16777217\n2 3 0.5\n")), Contains("rounded to 32-bit floats"));
  CHECK_THAT(notes_text(folder.write("e.gr", "p sp 2 1\na 1 2 0.1\n")), Contains("rounded to 32-bit floats"));
}

TEST_CASE("the caller names columns") {
  const scratch_folder folder;
  const auto file = folder.write("a.csv", "A,B,C,D,E\nx,1,2,7,yes\ny,3,2,8,no\n");
  const named_columns columns{.source = "c", .target = "B", .weight = "D", .direction = "E"};
  CHECK(edges_text(read_graph(file, {.columns = columns})) == "2>1=7 2>3=8 3>2=8");
  CHECK_THAT(error_of([&] { return read_graph(file); }), Contains("expected a header"));
  const auto changed = [&](const read_options& options) { return error_of([&] { return read_graph(file, options); }); };
  CHECK_THAT(changed({.columns = {.source = "A"}}), Contains("name it with --target-column"));
  CHECK_THAT(changed({.columns = {.source = "F", .target = "B"}}),
             Contains("--source-column F: there is no such column") && Contains("'A', 'B', 'C', 'D', 'E'"));
  CHECK_THAT(changed({.columns = {.source = "A", .target = "A"}}), Contains("named for two purposes"));
  CHECK_THAT(changed({.columns = {.source = "B", .target = "C", .weight = "D", .direction = "A"}}),
             Contains("a.csv:2: 'x' does not say"));
  CHECK_THAT(changed({.undirected = true, .columns = columns}), Contains("exclude each other"));
  const auto numbers = folder.write("b.csv", "5,1,2,9\n6,2,3,9\n");
  CHECK(edges_text(read_graph(numbers, {.columns = {.source = "2", .target = "3", .weight = "1"}})) == "1>2=5 2>3=6");
  CHECK_THAT(error_of([&] { return read_graph(numbers, {.columns = {.weight = "5"}}); }), Contains("1 to 4"));
  CHECK_THAT(error_of([&] { return read_graph(folder.write("c.gr", "p sp 2 1\na 1 2 3\n"), {.columns = columns}); }),
             Contains("columns can only be named for a table"));
  CHECK_THAT(error_of([&] { return read_graph(folder.write("c.el", "1 2\n"), {.columns = columns}); }),
             Contains("columns can only be named for a table"));
}

TEST_CASE("directions of all edges overrule a column, and self-loops are not doubled") {
  const scratch_folder folder;
  const auto file = folder.write("a.csv", "from,to,cost,undirected\n1,1,5,true\n1,2,3,true\n2,3,4,false\n");
  CHECK(edges_text(read_graph(file)) == "1>1=5 1>2=3 2>1=3 2>3=4");
  CHECK(edges_text(read_graph(file, {.undirected = false})) == "1>1=5 1>2=3 2>3=4");
  CHECK(read_graph(file, {.undirected = true}).edge_count() == 5);
  // A column "type" with other values is not a direction.
  const auto roads = folder.write("b.csv", "from,to,cost,type\n1,2,3,residential\n");
  CHECK(edges_text(read_graph(roads)) == "1>2=3");
  CHECK_THAT(notes_text(roads), Contains("not used: 'type'") && Contains("does not say whether edges are directed"));
}

TEST_CASE("ids as floats, and names over two lines") {
  const scratch_folder folder;
  CHECK(edges_text(read_graph(folder.write("a.csv", "1.0,2,3\n2.0,1e1,4\n"))) == "1>2=3 2>10=4");
  CHECK(edges_text(read_graph(folder.write("a.csv", "1.5,2,3\n"))) == "1.5>2=3");
  CHECK(edges_text(read_graph(folder.write("a.csv", "from,to,cost\n01,1,3\n"))) == "01>1=3");
  CHECK(edges_text(read_graph(folder.write("a.csv", "from,to,cost\n\"a\nb\",c,3\n"))) == "a\nb>c=3");
  const std::string lone = "from,to,cost\n1,2,3\n\"a,b,3\n" + std::string(100'000, '\n');
  CHECK_THAT(error_of([&] { return read_graph(folder.write("a.csv", lone)); }),
             Contains("a.csv:3: a quoted field is not closed"));
  CHECK(parse_id("9007199254740993.0") == std::nullopt);
  CHECK(parse_id("9223372036854775807") == file_ids::largest);
  CHECK(parse_id("9223372036854775808") == std::nullopt);
}
