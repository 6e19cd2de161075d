// SPDX-License-Identifier: Apache-2.0
// Variants of one graph: drawn weights, lengths, shuffled vertices, and the family that the variants belong to.
#include <algorithm>
#include <catch2/catch.hpp>

#include "graph/features.hpp"
#include "graph/generate.hpp"
#include "graph/hash.hpp"
#include "graph/weight_rule.hpp"
#include "graph/weights.hpp"
#include "tests/graph/generated.hpp"
#include "tests/graph/support.hpp"

using namespace mlmq::graph;
using namespace mlmq::graph::test;
using Catch::Matchers::Contains;

TEST_CASE("drawn weights have the documented distributions") {
  const auto graph = [](const std::string& weights) { return graph_named("power14:weights=" + weights); };
  const auto average = [](const csr_graph& g) { return compute_features(g).avg_weight; };
  const csr_graph unit = graph("unit");
  CHECK(weight_quantile(unit, 0) == 1);
  CHECK(weight_quantile(unit, 1) == 1);

  const csr_graph uniform = graph("uniform");
  CHECK(weight_quantile(uniform, 0) == 1);
  CHECK(weight_quantile(uniform, 0.25) == Approx(25).margin(1));
  CHECK(weight_quantile(uniform, 0.75) == Approx(75).margin(1));
  CHECK(weight_quantile(uniform, 1) == 100);
  CHECK(average(uniform) == Approx(50.5).epsilon(0.01));

  const csr_graph skewed = graph("skewed");
  CHECK(weight_quantile(skewed, 0) == 1);
  CHECK(weight_quantile(skewed, 0.5) == 6);
  CHECK(weight_quantile(skewed, 0.89) == 10);
  CHECK(weight_quantile(skewed, 0.91) > 500);
  CHECK(weight_quantile(skewed, 0.95) == Approx(1000).margin(30));
  CHECK(weight_quantile(skewed, 1) <= 1500);
  CHECK(average(skewed) == Approx(105).epsilon(0.03));

  // A weight is at least w with probability 10 / w.
  const csr_graph pareto = graph("pareto");
  CHECK(weight_quantile(pareto, 0) == 10);
  CHECK(weight_quantile(pareto, 0.5) == Approx(20).margin(1));
  CHECK(weight_quantile(pareto, 0.9) == Approx(100).epsilon(0.05));
  CHECK(weight_quantile(pareto, 0.99) == Approx(1000).epsilon(0.1));
  CHECK(weight_quantile(pareto, 1) > 50'000);
  CHECK(weight_quantile(pareto, 1) < 1'000'000);
  CHECK(average(pareto) == Approx(115).epsilon(0.15));
}

TEST_CASE("weights are the same both ways, depend on the seed and leave the structure as it is") {
  for (const std::string& name : weight_distribution_names()) {
    INFO(name);
    const csr_graph graph = graph_named("power10:weights=" + name);
    check_simple_and_symmetric(graph);
    CHECK(targets_of(graph) == targets_of(graph_named("power10")));
    CHECK(offsets_of(graph) == offsets_of(graph_named("power10")));
    CHECK(weight_distribution_from(name) == weight_distribution_from(name_of(weight_distribution_from(name))));
    const bool differs = weights_of(graph_named("power10:weights=" + name + ":weight_seed=2")) != weights_of(graph);
    CHECK(differs == (name != "unit"));
  }
  // Kinds without weights of their own get uniform weights drawn with their seed.
  for (const std::string kind : {"power9", "lattice9", "small9", "circuit9", "lattice9:seed=3", "logic9", "community9",
                                 "web9", "lattice7:unknowns=2"}) {
    INFO(kind);
    CHECK(graph_hash(graph_named(kind)) == graph_hash(graph_named(kind + ":weights=uniform")));
    CHECK(graph_hash(graph_named(kind)) == graph_hash(graph_named(kind + ":weights=own")));
  }
  CHECK(seeded_weight(7, 3, 5) == drawn_weight({.distribution = weight_distribution::uniform, .seed = 7}, 5, 3));
  CHECK_THAT(error_of([] { return weight_distribution_from("unifrom"); }), Contains("did you mean 'uniform'?"));
  CHECK(with_drawn_weights(csr_graph(), {}).vertex_count() == 0);
}

TEST_CASE("roads with lengths for weights are the same roads") {
  const csr_graph original = graph_named("road10");
  const csr_graph lengths = graph_named("road10:weights=length");
  CHECK(targets_of(original) == targets_of(lengths));
  // Lengths are between a spacing less two shifts and a spacing plus two shifts, shifted sideways as well.
  CHECK(weight_quantile(lengths, 0) >= 300);
  CHECK(weight_quantile(lengths, 1) <= 1900);
  CHECK(weight_quantile(lengths, 0.5) == Approx(1020).margin(40));
  CHECK(graph_hash(graph_named("del8:weights=length")) == graph_hash(graph_named("del8")));
}

TEST_CASE("shuffled vertices: the same graph with other numbers") {
  for (const std::string name : {"road10", "rmat8", "power9:weights=pareto"}) {
    INFO(name);
    const csr_graph original = graph_named(name);
    const csr_graph mixed = graph_named(name + ":shuffle=1");
    CHECK(targets_of(original) != targets_of(mixed));
    // Degrees, weights and distances, as multisets: together they distinguish graphs.
    const auto sorted = [](auto values) {
      std::sort(values.begin(), values.end());
      return values;
    };
    const auto profile = [](const csr_graph& graph) {
      std::vector<std::pair<edge_offset, std::vector<std::uint32_t>>> rows;
      for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
        const auto row = graph.weight_bits().subspan(graph.offsets()[v], graph.offsets()[v + 1u] - graph.offsets()[v]);
        std::vector<std::uint32_t> weights(row.begin(), row.end());
        std::sort(weights.begin(), weights.end());
        rows.emplace_back(weights.size(), weights);
      }
      return rows;
    };
    CHECK(sorted(profile(original)) == sorted(profile(mixed)));
    // Some vertex of the shuffled graph has the same distances as vertex 0 of the original graph.
    const auto distances = sorted(dijkstra(original, 0));
    bool is_changed = false;
    for (vertex_id v = 0; v < mixed.vertex_count() && !is_changed; ++v)
      is_changed = sorted(dijkstra(mixed, v)) == distances;
    CHECK(is_changed);
  }
  CHECK(graph_hash(with_shuffled_vertices(graph_named("road8"), 1)) !=
        graph_hash(with_shuffled_vertices(graph_named("road8"), 2)));
}

TEST_CASE("variants of a generated graph share its family") {
  CHECK(family_of_generated("power14") == "power14");
  CHECK(family_of_generated("power14:weights=pareto:degree=8:weight_seed=3:seed=2:shuffle=1") ==
        "power14:degree=8:seed=2");
  CHECK(family_of_generated("logic14:shuffle=1:fanin=3:weights=unit:undirected=1") == "logic14:fanin=3:undirected=1");
  CHECK(family_of_generated("community9:weights=unit:largest=9:degree=4") == "community9:largest=9:degree=4");
  CHECK(family_of_generated("web9:copied=0.5:weights=unit:weight_seed=4") == "web9:copied=0.5");
  CHECK(family_of_generated("lattice9:weights=length:unknowns=3") == "lattice9:unknowns=3");
  CHECK_THAT(error_of([] { return family_of_generated("pwer14"); }), Contains("did you mean 'power'?"));
}
