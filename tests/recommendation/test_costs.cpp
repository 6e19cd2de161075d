// SPDX-License-Identifier: Apache-2.0
// The choice among classes of algorithms by their expected times.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "base/thread_team.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/hierarchy/arc_bound.hpp"
#include "graph/hierarchy/kept_order.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/multi_source/batch_check.hpp"
#include "problems/multi_source/reached_share.hpp"
#include "problems/recommendation.hpp"
#include "problems/searches/cost_model.hpp"
#include "problems/searches/plan.hpp"
#include "tests/support/environment.hpp"

using namespace mlmq;
using namespace mlmq::problems;
using namespace mlmq::multi_source;
using Catch::Contains;

namespace {

constexpr cost_features road16{.vertices = 64'958, .edges = 187'872, .longest_row = 4, .hops = 276};
constexpr cost_features road18{.vertices = 259'956, .edges = 753'940, .longest_row = 4, .hops = 557.6};
constexpr cost_features rmat18{.vertices = 262'144, .edges = 2'097'152, .longest_row = 11'860, .hops = 5.774};
constexpr cost_features ak2010{.vertices = 45'292, .edges = 217'098, .longest_row = 430, .hops = 23.07};
constexpr cost_features lattice18{.vertices = 262'144, .edges = 1'548'288, .longest_row = 6, .hops = 112.8};

expected_cost cost(std::string_view solver, const cost_features& features) {
  return expected_cost_of(solver, features).value();
}

std::vector<problems::recommended_configuration> recommended_for(
    const cost_features& features, const problems::recommendation_request& request, bool on_device,
    const tuner::workload* loaded = nullptr, const std::string& problem = "sssp_batch", unsigned processors = 16) {
  backends::device_info device;
  device.grid = on_device;
  device.multiprocessors = processors;
  return problems::recommend(problems::find_problem(problem),
                             {.name = "a graph",
                              .features = {{"m", features.vertices},
                                           {"nnz", features.edges},
                                           {"max_nnz", features.longest_row},
                                           {"hops", features.hops}},
                              .loaded = loaded},
                             device, request);
}

std::vector<problems::recommended_configuration> recommended(const cost_features& features, std::size_t searches,
                                                             bool on_device, const tuner::workload* loaded = nullptr,
                                                             std::size_t calls = 1) {
  return recommended_for(features, {.searches = searches, .calls = calls}, on_device, loaded);
}

/// Returns the recommendation for searches with a cutoff on road18.
problems::recommended_configuration recommended_within(std::optional<double> share, std::size_t searches,
                                                       bool on_device) {
  return recommended_for(road18, {.searches = searches, .reaches_all = false, .reached_share = share}, on_device)
      .front();
}

/// Returns a road network with a vertex that 400 others are adjacent to.
graph::csr_graph road_with_hub() {
  const graph::csr_graph road = graph::generate_road(14);
  graph::edge_list edges;
  for (graph::vertex_id v = 0; v < road.vertex_count(); ++v) {
    for (graph::edge_offset e = road.offsets()[v]; e < road.offsets()[v + std::size_t{1}]; ++e)
      edges.add(v, road.targets()[e], road.weight_bits()[e]);
  }
  for (graph::vertex_id v = 1; v <= 400; ++v) edges.add(v * 40, 0, 1000);
  return graph::build_csr(road.vertex_count(), edges, {.symmetric = true, .merge_duplicates = true});
}

/// A road network, and an empty cache folder: without the orders of hierarchies that other tests have kept.
struct road16_without_order {
  problems::graph_workload workload;
  temporary_folder place{"test"};
  mlmq::tests::environment variable{"MLMQ_CACHE", place.path().c_str()};

  road16_without_order() { workload.graph = graph::generate_road(16); }
};

std::string solver_in(const problems::recommended_configuration& configuration) {
  const std::string label = configuration.configuration.label();
  const std::size_t begin = label.find("solver=") + 7;
  return label.substr(begin, label.find(',', begin) - begin);
}

}  // namespace

TEST_CASE("expected times are near the recorded ones") {
  const auto is_near = [](double expected, double recorded) {
    CAPTURE(expected, recorded);
    CHECK(std::abs(std::log2(expected / recorded)) < 1.2);
  };
  is_near(cost("block", road18).milliseconds(4224), 87.6);
  is_near(cost("hierarchy", road18).preparation_ms, 829);
  is_near(cost("hierarchy", road18).milliseconds(16'384), 829 + 23.6);
  is_near(cost("cpu_dijkstra", road18).milliseconds(64), 89.9);
  is_near(cost("cpu_hierarchy", road18).milliseconds(2048), 380 + 76.9);
  is_near(cost(one_at_a_time, road18).milliseconds(1), 0.84);
  is_near(cost("group", rmat18).milliseconds(5632), 139.7);
  is_near(cost("block", rmat18).milliseconds(4224), 406);
}

TEST_CASE("a hierarchy is expected to have few arcs only for graphs with small separators") {
  CHECK(suits_hierarchy(road18));
  CHECK_FALSE(suits_hierarchy(rmat18));
  CHECK_FALSE(suits_hierarchy(lattice18));
  CHECK_FALSE(suits_hierarchy(ak2010));
  cost_features bounded = ak2010;
  bounded.arc_bound = 6.712;
  CHECK(suits_hierarchy(bounded));
  CHECK(risk_of("hierarchy", bounded) == 1);
  bounded.arc_bound = 173.5;  // of soc-douban, whose hierarchy has too many arcs
  CHECK(suits_hierarchy(bounded));
  CHECK(risk_of("hierarchy", bounded) > 1);
  CHECK(risk_of("block", bounded) == 1);
  bounded.arc_bound = 24'140;  // of lattice18:dims=3
  CHECK_FALSE(suits_hierarchy(bounded));
  CHECK(risk_of("hierarchy", road18) == 1);
  // Times without a hierarchy and with one.
  CHECK(needs_arc_bound(ak2010, 100, 1));
  CHECK(needs_arc_bound(lattice18, 1, 100));
  CHECK(needs_arc_bound(road18, 100, 110));
  CHECK_FALSE(needs_arc_bound(road18, 100, 1));
  CHECK_FALSE(needs_arc_bound(road18, 1, 100));
  CHECK_FALSE(needs_arc_bound(rmat18, 100, 1));  // too long a row
  CHECK_FALSE(expected_cost_of("hierarchy", rmat18));
  CHECK_FALSE(expected_cost_of("cpu_hierarchy", rmat18));
  cost_features changed = road18;
  changed.vertices = 500;
  CHECK_FALSE(suits_hierarchy(changed));  // no record of small ones
  for (double cost_features::*const member :
       {&cost_features::vertices, &cost_features::edges, &cost_features::longest_row, &cost_features::hops}) {
    cost_features unknown = road18;
    unknown.*member = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(expected_cost_of("hierarchy", unknown));
    CHECK_FALSE(expected_cost_of("block", unknown));
  }
}

TEST_CASE("a hierarchy pays sooner if its order is in the cache folder") {
  const road16_without_order road;
  const auto with_order = expected_cost_of("hierarchy", road16, order_source::cache_folder).value();
  const expected_cost computed = cost("hierarchy", road16);
  const expected_cost block = cost("block", road16);
  CHECK(with_order.preparation_ms < 0.7 * computed.preparation_ms);
  CHECK(with_order.first_ms == computed.first_ms);
  CHECK(with_order.each_ms == computed.each_ms);
  CHECK(cost("block", road16).preparation_ms ==
        expected_cost_of("block", road16, order_source::cache_folder)->preparation_ms);
  const double soonest = searches_to_pay(block, with_order).value();
  const double latest = searches_to_pay(block, computed).value();
  REQUIRE(soonest < latest);
  const auto between = static_cast<std::size_t>((soonest + latest) / 2);
  const auto choice = [&](std::size_t searches, bool on_device) {
    return recommended(road16, searches, on_device, &road.workload).front();
  };
  CHECK(solver_in(choice(between, true)) == "block");
  thread_team team(1);
  static_cast<void>(graph::kept_dissection_order(road.workload.graph, team));
  CHECK(solver_in(choice(between, true)) == "hierarchy");
  CHECK_THAT(choice(between, true).reason, Contains(" on a Hopper GPU, with the order from the cache folder"));
  CHECK(solver_in(choice(static_cast<std::size_t>(0.9 * soonest), true)) == "block");
  CHECK_THAT(choice(static_cast<std::size_t>(2 * latest), true).reason, !Contains("cache folder"));
  // The order cannot be looked up without the graph.
  CHECK(solver_in(recommended(road16, between, true).front()) == "block");
  const expected_cost dijkstra = cost("cpu_dijkstra", road16);
  constexpr const char* on_processors = "cpu_hierarchy";
  const auto sweeps = expected_cost_of(on_processors, road16, order_source::cache_folder).value();
  // Without its leaves and chains, the graph takes less time than `dijkstra`, so not as few as possible.
  const double too_few = searches_to_pay(dijkstra, cost(on_processors, road16)).value();
  REQUIRE(searches_to_pay(dijkstra, sweeps).value() < 0.9 * too_few);
  CHECK(solver_in(choice(static_cast<std::size_t>(0.95 * too_few), false)) == "cpu_hierarchy");
}

TEST_CASE("many searches are of the core where they save more time than removing leaves and chains takes") {
  const road16_without_order road;
  for (const bool on_device : {true, false}) {
    const auto is_of_core = [&](std::size_t searches) {
      const auto& label = recommended(road16, searches, on_device, &road.workload).front().configuration.label();
      return label.find("reduction=chains") != std::string::npos;
    };
    CHECK_FALSE(is_of_core(1));
    CHECK(is_of_core(on_device ? 20'000 : 400));
    CHECK_FALSE(is_of_core(10'000'000));  // a hierarchy
  }
  // Without the graph, nothing is known of its chains.
  const std::string label = recommended(road16, 20'000, true).front().configuration.label();
  CHECK(label.find("reduction") == std::string::npos);
}

TEST_CASE("a hierarchy is recommended for a graph with hubs if an elimination by degree needs few arcs") {
  problems::graph_workload workload;
  workload.graph = road_with_hub();
  const auto choice = [&](std::size_t searches, std::size_t calls, bool on_device) {
    return recommended(ak2010, searches, on_device, &workload, calls).front();
  };
  CHECK(solver_in(choice(1'000'000, 1, true)) == "hierarchy");
  CHECK_THAT(choice(1'000'000, 1, true).reason,
             Contains("; an elimination by degree needs at most ") && Contains(" arcs per vertex"));
  CHECK(solver_in(choice(100'000, 100'000, true)) == "supernode");
  CHECK(solver_in(choice(100'000, 1, false)) == "cpu_hierarchy");
  // The elimination would take longer than it can save.
  for (const bool on_device : {false, true}) {
    CHECK_THAT(choice(100, 1, on_device).reason, !Contains("hierarchy") && !Contains("elimination"));
    CHECK(solver_in(choice(100, 1, on_device)) != "hierarchy");
  }
  workload.graph = graph::generate_named("small14").graph;
  CHECK(solver_in(choice(1'000'000, 1, true)) == "block");
  CHECK_THAT(choice(1'000'000, 1, true).reason, Contains(" arcs per vertex, so that a hierarchy may have too many"));
  // Nothing is known without the graph.
  CHECK(solver_in(recommended(ak2010, 1'000'000, true).front()) == "block");
  // A bound that is kept is not computed again.
  workload.arc_bound = std::make_shared<graph::lazy_arc_bound>();
  CHECK(workload.arc_bound->value_for(road_with_hub()) < 20);
  CHECK(solver_in(choice(1'000'000, 1, true)) == "hierarchy");
}

TEST_CASE("a slower start pays if each search is faster") {
  const expected_cost block{.preparation_ms = 0, .first_ms = 10, .each_ms = 0.02};
  const expected_cost hierarchy{.preparation_ms = 800, .first_ms = 5, .each_ms = 0.01};
  CHECK(searches_to_pay(block, hierarchy) == 79'500);
  CHECK(block.milliseconds(79'499) < hierarchy.milliseconds(79'499));
  CHECK(block.milliseconds(79'501) > hierarchy.milliseconds(79'501));
  CHECK_FALSE(searches_to_pay(hierarchy, block));
  CHECK_FALSE(searches_to_pay(block, block));
}

TEST_CASE("every call takes the time of its first search again") {
  const expected_cost once{.preparation_ms = 800, .first_ms = 5, .each_ms = 0.01};
  CHECK(once.in_calls_of(1).milliseconds(100) == Approx(800 + 100 * 5.01));
  CHECK(once.in_calls_of(50).milliseconds(100) == Approx(800 + 2 * 5 + 1));
  CHECK(solver_in(recommended(road18, 2000, true).front()) == "block");
  const auto one_per_call = recommended(road18, 2000, true, nullptr, 2000);
  CHECK(solver_in(one_per_call.front()) != "block");
  CHECK_THAT(one_per_call.front().reason, Contains(" expected for 2000 searches in 2000 calls on a Hopper GPU"));
}

TEST_CASE("supernodes are recommended with as many columns as a call has searches") {
  const auto of_supernodes = [](const cost_features& features, std::size_t searches, std::size_t calls) {
    std::vector<std::string> labels;
    for (const auto& next : recommended(features, searches, true, nullptr, calls)) {
      if (solver_in(next) == "supernode") labels.push_back(next.configuration.label());
    }
    return labels;
  };
  using Catch::Equals;
  CHECK_THAT(of_supernodes(road18, 100, 100),
             Equals(std::vector<std::string>{"added_arcs=8,blocks=1,columns=1,solver=supernode,threads=768"}));
  CHECK_THAT(of_supernodes(road18, 100, 99),
             Equals(std::vector<std::string>{"added_arcs=8,blocks=1,columns=2,solver=supernode,threads=768"}));
  cost_features large = road18;
  large.vertices = 1'000'000;
  CHECK_THAT(of_supernodes(large, 100, 100),
             Equals(std::vector<std::string>{"added_arcs=8,blocks=1,columns=1,solver=supernode,threads=1024"}));
  for (const std::size_t calls : {1, 33})
    CHECK_THAT(of_supernodes(road18, 100, calls),
               Equals(std::vector<std::string>{"added_arcs=8,blocks=1,columns=4,solver=supernode,threads=512"}));
  CHECK(of_supernodes(rmat18, 100, 1).empty());
}

TEST_CASE("no hierarchy is recommended for distances with float weights") {
  problems::graph_workload workload;
  for (const bool has_floats : {false, true}) {
    workload.graph = graph::generate_road(8);
    if (has_floats) workload.graph = graph::with_weight_type(workload.graph, graph::weight_type::float32);
    for (const char* name : {"sssp_batch", "bfs_batch"}) {
      CAPTURE(has_floats, name);
      bool names_hierarchy = false;
      for (const auto& next : recommended_for(road18, {.searches = 1'000'000}, true, &workload, name)) {
        names_hierarchy = names_hierarchy || next.configuration.label().find("solver=hierarchy") != std::string::npos;
      }
      CHECK(names_hierarchy == (!has_floats || std::string(name) == "bfs_batch"));
    }
  }
}

TEST_CASE("fewer processors search more slowly, and a hierarchy pays earlier on them") {
  const expected_cost recorded{.preparation_ms = 100, .first_ms = 3, .each_ms = 2};
  CHECK(recorded.on_processors(16).milliseconds(10) == Approx(recorded.milliseconds(10)));
  const expected_cost on_two = recorded.on_processors(2);
  CHECK(on_two.first_ms == Approx(24));
  CHECK(on_two.each_ms == Approx(16));
  CHECK(on_two.preparation_ms > 200);
  CHECK(on_two.preparation_ms < 800);
  // The least number of searches for which a hierarchy is chosen.
  const auto least_searches = [](unsigned processors) {
    std::size_t searches = 1;
    while (
        solver_in(recommended_for(road18, {.searches = searches}, false, nullptr, "sssp_batch", processors).front()) !=
        "cpu_hierarchy")
      searches += 1 + searches / 50;
    return searches;
  };
  CHECK(10 * least_searches(2) < 7 * least_searches(16));
  CHECK_THAT(recommended_for(road18, {.searches = 9}, false, nullptr, "sssp_batch", 1).front().reason,
             Contains(" on 1 processor"));
}

TEST_CASE("searches with a cutoff take less time if they reach few vertices, except for those of a hierarchy") {
  const expected_cost complete{.preparation_ms = 8, .first_ms = 4, .each_ms = 2};
  CHECK(complete.of_share(0.25).milliseconds(10) == Approx(8 + 1 + 10 * 0.5));
  for (const char* const kind : {"hierarchy", "supernode", "cpu_hierarchy"}) CHECK(time_share(kind, 0.3) == 1);
  for (const char* const kind : {"block", "group", "cpu_dijkstra"}) {
    CHECK(time_share(kind, 1) == Approx(1));
    CHECK(time_share(kind, 0) > 0.01);
    CHECK(time_share(kind, 0.5) < 0.6);
  }
  CHECK(time_share("cpu_dijkstra", 0) < time_share("block", 0));
  // The share of the time of complete searches from which blocks take longer than a hierarchy.
  const double block_ms = cost("block", road18).milliseconds(200'000);
  const double equal_share = cost("hierarchy", road18).milliseconds(200'000) / block_ms;
  const auto reached_in = [](double share) {
    const double least = time_share("block", 0);
    return (share - least) / (1 - least);
  };
  REQUIRE(equal_share < 0.9);
  REQUIRE(reached_in(0.9 * equal_share) > 0);
  CHECK(solver_in(recommended_within(reached_in(0.9 * equal_share), 200'000, true)) == "block");
  CHECK(solver_in(recommended_within(reached_in(1.1 * equal_share), 200'000, true)) == "hierarchy");
  CHECK(solver_in(recommended_within(0.01, 5000, false)) == "cpu_dijkstra");
  CHECK(solver_in(recommended_within(0.9, 5000, false)) == "cpu_hierarchy");
  CHECK_THAT(recommended_within(0.9, 5000, false).reason,
             Contains(" expected for 5000 searches that reach 90 % of the vertices on 16 processors"));
  CHECK_THAT(recommended_within(0.0123, 200'000, true).reason, Contains(" that reach 1.2 % of the vertices on a"));
  // Without an estimate the times are those of searches that reach all vertices.
  CHECK(solver_in(recommended_within(std::nullopt, 200'000, true)) == "hierarchy");
  const std::string reason = recommended_within(std::nullopt, 100, true).reason;
  CHECK_THAT(reason,
             Contains("block: at most ") && Contains(" expected for 100 searches with a cutoff on a Hopper GPU"));
  CHECK_THAT(reason, !Contains("would pay"));
}

TEST_CASE("the share of the vertices within a cutoff is the mean of eight searches, evenly spaced") {
  const graph::csr_graph road = graph::generate_road(10);
  const auto share = [&](std::span<const graph::vertex_id> sources, graph::wide_distance_bits cutoff,
                         problems::search_kind kind = problems::search_kind::sssp) {
    return estimate_reached_share(road, kind, sources, cutoff);
  };
  std::vector<graph::vertex_id> sources(80);
  std::iota(sources.begin(), sources.end(), graph::vertex_id{100});
  CHECK(share(sources, graph::wide_unreached) == 1);
  CHECK(share(sources, 0) == Approx(1.0 / road.vertex_count()));
  search_set spaced;
  for (std::size_t i = 0; i < 8; ++i) spaced.sources.push_back(sources[10 * i]);
  for (const problems::search_kind kind : {problems::search_kind::sssp, problems::search_kind::bfs}) {
    spaced.cutoff = kind == problems::search_kind::bfs ? 7 : 5000;
    double reached = 0;
    for (const multi_source_answer& answer : find_right_answers(road, kind, spaced).answers) reached += answer.reached;
    CHECK(share(sources, spaced.cutoff, kind) == Approx(reached / 8 / road.vertex_count()));
    CHECK(share(sources, spaced.cutoff, kind) < 0.9);
  }
  CHECK(share(std::span(sources).first(1), graph::wide_unreached) == 1);
  const graph::csr_graph wide =
      graph::with_weight_type(graph::with_weight_type(road, graph::weight_type::float32), graph::weight_type::float64);
  CHECK(estimate_reached_share(wide, problems::search_kind::sssp, sources, std::bit_cast<std::uint64_t>(5000.0)) ==
        share(sources, 5000));
}

TEST_CASE("few searches of a large graph are made one after another, if the caller can do that") {
  const auto first_of = [](const cost_features& features, std::size_t searches, bool may_search_one_by_one) {
    return recommended_for(features, {.searches = searches, .may_search_one_by_one = may_search_one_by_one}, true);
  };
  for (const cost_features& features : {road18, rmat18, lattice18}) {
    CHECK(first_of(features, 2, true).front().is_one_by_one);
    CHECK_THAT(first_of(features, 2, true).front().reason,
               Contains("one search at a time: ") && Contains(" would pay from ") && !Contains("would take"));
    CHECK_FALSE(first_of(features, 2, false).front().is_one_by_one);
    // Otherwise it makes no difference.
    const auto many = first_of(features, 1000, true);
    const auto others = first_of(features, 1000, false);
    REQUIRE(many.size() == others.size());
    for (std::size_t i = 0; i < many.size(); ++i) {
      CHECK_FALSE(many[i].is_one_by_one);
      CHECK(many[i].configuration.label() == others[i].configuration.label());
    }
  }
  CHECK_FALSE(recommended_for(road18, {.searches = 2, .may_search_one_by_one = true}, false).front().is_one_by_one);
}

TEST_CASE("the class with the least expected time comes first, and the reason says when another one would pay") {
  const auto few = recommended(road18, 1000, true);
  CHECK(solver_in(few.front()) == "block");
  CHECK_THAT(few.front().reason,
             Contains("block: ") && Contains(" expected for 1000 searches on a Hopper GPU; hierarchy would pay from "));
  // 10 searches are fewer than blocks of a GPU need.
  CHECK_THAT(recommended(road18, 2, true).front().reason, Contains("; one search at a time would take "));
  CHECK_THAT(few.front().reason, !Contains("one search at a time"));
  const auto many = recommended(road18, 200'000, true);
  CHECK(solver_in(many.front()) == "hierarchy");
  CHECK_THAT(many.front().reason, Contains("hierarchy: ") && !Contains("would pay"));
  // If the device has not enough shared memory for it, a smaller one follows, and then the next class.
  CHECK_THAT(many.at(1).configuration.label(), Contains("solver=hierarchy") && Contains("threads=128"));
  CHECK(solver_in(many.at(2)) == "block");
  CHECK_THAT(many.at(2).configuration.label(), Contains("order=place"));
  for (const std::size_t searches : {1'000, 1'000'000}) {
    CHECK(solver_in(recommended(rmat18, searches, true).front()) == "group");
    CHECK(solver_in(recommended(lattice18, searches, true).front()) == "block");
  }
  CHECK(solver_in(recommended(road18, 10, false).front()) == "cpu_dijkstra");
  CHECK_THAT(recommended(road18, 10, false).front().reason, Contains("cpu_hierarchy would pay from "));
  CHECK(solver_in(recommended(road18, 5000, false).front()) == "cpu_hierarchy");
  CHECK(solver_in(recommended(road18, 5000, false).at(1)) == "cpu_dijkstra");
  // Without the feature `hops` nothing is expected.
  cost_features unknown = road18;
  unknown.hops = std::numeric_limits<double>::quiet_NaN();
  CHECK(solver_in(recommended(unknown, 1'000'000, true).front()) == "block");
  CHECK(solver_in(recommended(unknown, 1'000'000, false).front()) == "cpu_dijkstra");
}

TEST_CASE("some searches show which solver is the fastest, if the caller can make them first") {
  // Blocks and groups are expected to take about as long.
  const cost_features circuit{.vertices = 214'591, .edges = 857'340, .longest_row = 150, .hops = 9};
  recommendation_request request{.searches = 10'000, .triable_searches = 10'000};
  const auto first = [&] { return recommended_for(circuit, request, true).front(); };
  const std::size_t searches = request.searches;
  const double expected_ratio = cost("block", circuit).milliseconds(static_cast<double>(searches)) /
                                cost("group", circuit).milliseconds(static_cast<double>(searches));
  REQUIRE(expected_ratio > 0.5);
  REQUIRE(expected_ratio < 2);
  const std::string tried = solver_in(first());
  const std::string other = tried == "block" ? "group" : "block";
  const std::size_t count = first().trial_searches;
  REQUIRE(count > 0);
  REQUIRE(4 * count < searches);
  SECTION("only then") {
    request.triable_searches = 0;
    CHECK(first().trial_searches == 0);
    request.triable_searches = 4 * count - 1;
    CHECK(first().trial_searches == 0);
  }
  SECTION("a slower one than expected is not used") {
    const double expected_ms = cost(tried, circuit).milliseconds(static_cast<double>(count));
    request.measured = {{.solver = tried, .searches = count, .milliseconds = 20 * expected_ms}};
    CHECK(solver_in(first()) == other);
    CHECK(first().trial_searches == 0);
    CHECK_THAT(first().reason, Contains("; measured: " + std::to_string(count) + " " + tried + " in "));
  }
  SECTION("a faster one is used without further trials") {
    const double expected_ms = cost(tried, circuit).milliseconds(static_cast<double>(count));
    request.measured = {{.solver = tried, .searches = count, .milliseconds = expected_ms / 20}};
    CHECK(solver_in(first()) == tried);
    CHECK(first().trial_searches == 0);
  }
  SECTION("one that the device cannot run is last of those with an expectation") {
    request.measured = {{.solver = tried, .searches = count, .milliseconds = std::numeric_limits<double>::infinity()}};
    CHECK(solver_in(first()) == other);
    CHECK_THAT(first().reason, !Contains("measured"));
  }
  SECTION("the last trial counts") {
    const double expected_ms = cost(tried, circuit).milliseconds(static_cast<double>(count));
    request.measured = {{.solver = tried, .searches = count, .milliseconds = expected_ms},
                        {.solver = tried, .searches = count, .milliseconds = 20 * expected_ms}};
    CHECK(solver_in(first()) == other);
  }
}

TEST_CASE("searches of the core are tried before all searches are of it, if the caller can do that") {
  const road16_without_order road;
  recommendation_request request{.searches = 20'000, .triable_searches = 20'000};
  const auto first = [&] { return recommended_for(road16, request, true, &road.workload).front(); };
  const auto is_of_core = [&] { return first().configuration.label().find("reduction=") != std::string::npos; };
  REQUIRE(is_of_core());
  REQUIRE(first().trial_searches > 0);
  CHECK(first().trial_of == "block of the core");
  SECTION("faster") {
    request.measured = {{.solver = "block of the core", .searches = first().trial_searches, .milliseconds = 0.5}};
    CHECK(is_of_core());
  }
  SECTION("slower") {
    request.measured = {{.solver = "block of the core", .searches = first().trial_searches, .milliseconds = 500}};
    CHECK_FALSE(is_of_core());
  }
  SECTION("the device can run none of the configurations") {
    request.measured = {{.solver = "block of the core",
                         .searches = first().trial_searches,
                         .milliseconds = std::numeric_limits<double>::infinity()}};
    for (const std::size_t calls : {1, 2}) {
      request.calls = calls;
      CHECK_FALSE(is_of_core());
    }
  }
  SECTION("in two calls they take as long as in one, and the start of another") {
    request.measured = {{.solver = "block of the core", .searches = first().trial_searches, .milliseconds = 0.5}};
    REQUIRE(is_of_core());
    const double once_ms = first().expected_ms.value();
    request.calls = 2;
    REQUIRE(is_of_core());
    CHECK(first().expected_ms.value() > once_ms);
    CHECK(first().expected_ms.value() < once_ms + 0.5);
  }
  SECTION("every configuration is for the trial, in case that the device cannot run the first") {
    const auto ranked = recommended_for(road16, request, true, &road.workload);
    for (const auto& next : ranked) {
      CAPTURE(next.configuration.label());
      const bool is_tried = next.configuration.label().find("reduction=") != std::string::npos;
      CHECK(next.trial_searches == (is_tried ? ranked.front().trial_searches : 0));
      CHECK(next.trial_of == (is_tried ? "block of the core" : ""));
    }
  }
  SECTION("a trial would take too much of the time") {
    request.searches = 3000;
    CHECK_FALSE(is_of_core());
    request.triable_searches = 0;
    CHECK(first().trial_searches == 0);
  }
}

TEST_CASE("the time of a transfer follows from the size of the graph") {
  const transfer_cost cost{.array_ms = 1, .byte_ms = 0.001};
  // Only the distances are copied back.
  CHECK(transfer_ms(cost, 1000, 5000, true, true) == Approx(1 + 4));
  // Row starts, targets and weights are uploaded before.
  CHECK(transfer_ms(cost, 1000, 5000, true, false) == Approx(5 + 3 + 4.004 + 40));
  CHECK(transfer_ms(cost, 1000, 5000, false, false) == Approx(5 + 3 + 4.004 + 20));
  // More edges than 32 bits can count.
  CHECK(transfer_ms(cost, 0, 5e9, false, false) == Approx(1 + 3 + 0.008 + 2e7));
}

TEST_CASE("the place with the smaller sum of transfer and search is taken, the usual one if they are equal") {
  CHECK(is_sooner({.transfer_ms = 0, .search_ms = 2.5}, {.transfer_ms = 2, .search_ms = 1}));
  CHECK_FALSE(is_sooner({.transfer_ms = 0, .search_ms = 2.5}, {.transfer_ms = 0, .search_ms = 1}));
  CHECK_FALSE(is_sooner({.transfer_ms = 0.5, .search_ms = 0.5}, {.transfer_ms = 0, .search_ms = 1}));
  // The time of the usual search is unknown.
  CHECK(is_sooner({.transfer_ms = 0, .search_ms = 1.5}, {.transfer_ms = 2}));
  CHECK_FALSE(is_sooner({.transfer_ms = 0, .search_ms = 2.5}, {.transfer_ms = 2}));
}
