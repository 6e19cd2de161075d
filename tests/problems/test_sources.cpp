// SPDX-License-Identifier: Apache-2.0
// Source vertices of searches, and the queries that define them.
#include "problems/graphs/sources.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "graph/builder.hpp"
#include "tests/tuner/message.hpp"
#include "tuner/experiment_file.hpp"

namespace {

using namespace mlmq;
using namespace mlmq::problems;
using Catch::Contains;
using vertices = std::vector<graph::vertex_id>;

/// Returns a graph with one vertex of each of these degrees, in this order; all edges lead to vertex 0.
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

/// Parses `queries: TEXT` of an experiment file.
std::vector<source_rule> rules_of(const std::string& text) {
  return source_rules_of(tuner::parse_experiment("name: n\nproblem: sssp\nparameters: {threads: [64]}\n"
                                                 "workloads: [{generate: grid4}]\nqueries: " +
                                                     text + "\n",
                                                 "x.yaml")
                             .queries);
}

std::string error_of(const std::string& text) {
  return message_of([&] { static_cast<void>(rules_of(text)); });
}

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
  const source_rule listed{.choose = source_rule::choice::listed, .count = 2, .seed = 1, .listed = {"3", "0"}};
  const source_rule largest = rule(source_rule::choice::max_degree, 3);
  CHECK(choose_sources(graph, std::vector<source_rule>{listed, largest}, "g") == vertices{3, 0, 1, 5});
  CHECK(choose_sources(graph, std::vector<source_rule>{largest, listed}, "g") == vertices{1, 3, 5, 0});
  CHECK(choose_sources(graph, std::vector<source_rule>{largest, rule(source_rule::choice::random, 6)}, "g").size() ==
        5);
  const source_rule twice{.choose = source_rule::choice::listed, .count = 2, .seed = 1, .listed = {"4", "4"}};
  CHECK(choose_sources(graph, std::vector<source_rule>{twice, listed}, "g") == vertices{4, 3, 0});
}

TEST_CASE("listed sources are taken as they are, and one that is no vertex names the graph and its vertices") {
  const graph::csr_graph graph = graph_of_degrees({1, 1, 1});
  source_rule listed{.choose = source_rule::choice::listed, .count = 2, .seed = 1, .listed = {"2", "0"}};
  CHECK(choose_sources(graph, listed, "tiny") == vertices{2, 0});
  listed.listed = {"0", "3"};
  CHECK(message_of([&] { static_cast<void>(choose_sources(graph, listed, "tiny")); }) ==
        "source 3: tiny has no vertex 3; its ids run from 0 to 2");
}

TEST_CASE("listed sources of a graph with names are called by their names") {
  const graph::csr_graph graph = graph_of_degrees({1, 1, 1});
  const graph::csr_graph named = graph.with_ids(graph::file_ids::named({"Oslo", "Bergen", "7"}));
  CHECK(choose_sources(named, rules_of("{source: [Bergen, 7]}").front(), "towns") == vertices{1, 2});
  CHECK_THAT(message_of([&] { static_cast<void>(choose_sources(named, rules_of("{source: Olso}").front(), "towns")); }),
             Catch::Contains("source Olso: towns has no vertex 'Olso'") && Catch::Contains("did you mean 'Oslo'"));
}

TEST_CASE("rules are read from an experiment file, with vertices in one list or one by one") {
  CHECK(rules_of("[{source: [4, 2]}, {count: 2, choose: random, seed: 7}, {source: 9}]") ==
        std::vector<source_rule>{{source_rule::choice::listed, 2, 1, {"4", "2"}},
                                 {source_rule::choice::random, 2, 7, {}},
                                 {source_rule::choice::listed, 1, 1, {"9"}}});
  CHECK(rules_of("{choose: first, count: 3}") == std::vector<source_rule>{rule(source_rule::choice::first, 3)});
  CHECK(source_rules_of({}) == std::vector<source_rule>{source_rule{}});
}

TEST_CASE("rules that make no sense name line and key") {
  CHECK(error_of("{chose: first}") ==
        "x.yaml:5: unknown key 'chose' of a query; did you mean 'choose'?; known: source, choose, count, seed");
  CHECK(error_of("[{source: 0}, {until: 9}]") ==
        "x.yaml:5: unknown key 'until' of a query; known: source, choose, count, seed");
  CHECK(error_of("{choose: last}") == "x.yaml:5: 'choose': expected max_degree, first or random, got 'last'");
  CHECK(error_of("{count: 0}") == "x.yaml:5: 'count': expected a whole number from 1, got '0'");
  CHECK(error_of("{count: [1, 2]}") == "x.yaml:5: 'count': expected one value, got a list");
  CHECK(error_of("{seed: -1}") == "x.yaml:5: 'seed': expected a whole number from 0, got '-1'");
  CHECK(error_of("{source: 3, count: 2}") ==
        "x.yaml:5: 'count': it cannot be combined with 'source', which already lists the vertices");
  CHECK(error_of("[]") == "x.yaml:5: 'queries': the list is empty");
  CHECK(error_of("[{}]") == "x.yaml:5: 'queries': the rule is empty");
  CHECK(error_of("7") == "x.yaml:5: 'queries': expected a rule (a map) or a list of rules, got '7'");
}

TEST_CASE("a query names its source by the id in the graph's file") {
  graph::edge_list edges;
  edges.add(0, 1, 5);
  const graph::csr_graph graph = graph::build_csr(2, edges).with_ids(graph::file_ids::counted_from(1, 2));
  CHECK(query_of(graph, 1).text() == "source=2");
  CHECK(source_of(graph, tuner::query::parse("source=2"), "g") == 1);
  CHECK_THAT(message_of([&] { static_cast<void>(source_of(graph, tuner::query::parse("source=0"), "g")); }),
             Contains("g has no vertex 0"));
  CHECK_THAT(message_of([&] { static_cast<void>(source_of(graph, tuner::query::parse("until=2"), "g")); }),
             Contains("query 'until=2': 'source' is missing"));
}
