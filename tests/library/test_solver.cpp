// SPDX-License-Identifier: Apache-2.0
// Searches through the public interface.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "graph/builder.hpp"
#include "graph/check.hpp"
#include "graph/feature_list.hpp"
#include "graph/generate.hpp"
#include "graph/reference.hpp"
#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/graphs/graph_feature_kind.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "selector/ranking_model.hpp"
#include "sssp_test.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace mlmq;
using Catch::Contains;
using Catch::StartsWith;

/// The simulator, with compiled kernels in the build folder.
device simulator() { return detail::adopt(problems::tests::open_simulator()); }

digraph handle(const graph::csr_graph& csr, const std::string& name = "tested") {
  return detail::digraph_of(csr, name);
}

/// Checks every distance against Dijkstra's algorithm, in every form in which the answer provides it.
void check_answer(const solution& answer, const graph::csr_graph& csr) {
  const std::vector<graph::distance_bits> expected = graph::dijkstra(csr, answer.source());
  REQUIRE((answer.type() == number_type::uint32) == (csr.weights() == graph::weight_type::uint32));
  for (vertex v = 0; v < expected.size(); ++v) {
    const double distance = graph::distance_value(csr.weights(), expected[v]);
    if (answer.distance(v) != distance) FAIL("vertex " << v << ": " << answer.distance(v) << ", not " << distance);
    if (answer.type() == number_type::uint32) {
      if (answer.distances_uint32()[v] != expected[v]) FAIL("vertex " << v);
    } else if (static_cast<double>(answer.distances_float32()[v]) != distance) {
      FAIL("vertex " << v);
    }
  }
  CHECK(answer.check().empty());
  const std::vector<vertex> before = answer.predecessors();
  for (vertex v = 0; v < before.size(); ++v) {
    if ((before[v] == no_vertex) != (v == answer.source() || expected[v] == graph::unreached)) FAIL("vertex " << v);
  }
}

solve_options options_with(std::vector<std::string> configurations) {
  solve_options options;
  options.configurations = std::move(configurations);
  return options;
}

/// Ranks the same configurations in the same order for every graph.
struct fixed_ranking final : selector::ranking_model {
  explicit fixed_ranking(std::vector<std::string> best_first) : labels(std::move(best_first)) {}

  [[nodiscard]] std::span<const std::string_view> features() const override { return {}; }
  [[nodiscard]] std::vector<selector::predicted_label> ranked(std::span<const double>) const override {
    std::vector<selector::predicted_label> list;
    for (const std::string& label : labels) list.push_back({.label = label});
    return list;
  }

  std::vector<std::string> labels;
};

/// Ranks one of two candidates first, depending on whether the weights differ.
struct by_weights final : selector::ranking_model {
  [[nodiscard]] std::span<const std::string_view> features() const override { return names; }
  [[nodiscard]] std::vector<selector::predicted_label> ranked(std::span<const double> values) const override {
    return {{.label = values[0] == 0 && values[1] == 1 ? "threads=64" : "threads=128"}};
  }

  static constexpr std::array<std::string_view, 2> names = {"weight_variation", "max_weight"};
};

}  // namespace

TEST_CASE("the times of a search include those of attempts that failed") {
  solver search(device("simt:1x8"), digraph::open("road6"));
  solve_options options;
  options.configurations = {"threads=1024", "threads=64"};
  const solution second_attempt = search.solve(0, options);
  CHECK_THAT(second_attempt.choice().configuration, Contains("threads=64"));
  CHECK(second_attempt.times().upload > 0);  // by the first attempt
}

TEST_CASE("if no device is named, a GPU searches, or else the processors") {
  const device default_device;
  CHECK((default_device.facts().kind == "cuda" || default_device.facts().kind == "cpu"));
  CHECK_FALSE(default_device.facts().modelled);
  CHECK(device("auto").facts().selector == default_device.facts().selector);
}

TEST_CASE("processors and simulator find Dijkstra's distances, from one source after the other") {
  const device processors("cpu:2");
  const device simulated = simulator();
  for (const auto weights : {graph::weight_type::uint32, graph::weight_type::float32}) {
    for (const auto& hard : problems::tests::hard_graphs(weights)) {
      for (const device& target : {processors, simulated}) {
        // Large graphs take long on the simulator.
        if (target.facts().kind == "simt" && hard.graph.edge_count() > 2000) continue;
        CAPTURE(hard.name, target.facts().selector);
        solver search(target, handle(hard.graph));
        const solve_options options = options_with({target.facts().kind == "cpu" ? "solver=dijkstra" : "threads=64"});
        for (const vertex source : hard.sources) {
          if (graph::has_saturated(weights, graph::dijkstra(hard.graph, source))) {
            CHECK_THROWS_AS(search.solve(source, options), search_error);
          } else {
            check_answer(search.solve(source, options), hard.graph);
          }
        }
      }
    }
  }
}

TEST_CASE("bfs finds levels, as whole numbers whatever the weights") {
  const auto hard = problems::tests::hard_graph_named("power_law", graph::weight_type::float32);
  solver search(device("cpu:2"), handle(hard.graph), problem::bfs);
  for (const char* const label : {"solver=bfs", "solver=delta_stepping", "solver=dijkstra"}) {
    check_answer(search.solve(1, options_with({label})), graph::with_unit_weights(hard.graph));
  }
  check_answer(solver(simulator(), handle(hard.graph), problem::bfs).solve(0, options_with({"threads=64"})),
               graph::with_unit_weights(hard.graph));
}

TEST_CASE("for breadth-first search the model gets the features of unit weights") {
  const auto hard = problems::tests::hard_graph_named("power_law", graph::weight_type::uint32);
  solve_options options;
  options.model = detail::model_of(std::make_shared<const by_weights>());
  for (const bool first_there : {false, true}) {
    CAPTURE(first_there);
    solver levels(simulator(), handle(hard.graph), problem::bfs);
    solver lengths(simulator(), handle(hard.graph));
    // Features are computed on the device if the graph is already there, or else by processors.
    if (first_there) {
      levels.upload();
      lengths.upload();
    }
    CHECK(levels.choose(options).configuration == complete_configuration("threads=64"));
    CHECK(lengths.choose(options).configuration == complete_configuration("threads=128"));
  }
}

TEST_CASE("a second search uploads and compiles nothing") {
  const auto hard = problems::tests::hard_graph_named("grid", graph::weight_type::uint32);
  solver search(simulator(), handle(hard.graph));
  CHECK_FALSE(search.resident());
  const solution first = search.solve(0, options_with({"threads=64"}));
  CHECK(search.resident());
  CHECK(first.times().upload > 0);
  CHECK(first.times().compile > 0);
  CHECK(first.times().solve > 0);
  const solution second = search.solve(3, options_with({"threads=64"}));
  CHECK(second.times().upload == 0);
  CHECK(second.times().compile == 0);
  CHECK(second.times().prepare == 0);
  CHECK(second.times().solve > 0);
  CHECK(search.upload() == 0);
  // The first answer has not changed.
  CHECK(first.source() == 0);
  check_answer(first, hard.graph);
  check_answer(second, hard.graph);
  // Another Δ makes another configuration that uses the same kernel but prepares differently.
  const solution third = search.solve(3, options_with({"threads=64,delta=1"}));
  CHECK(third.times().upload == 0);
  CHECK(third.choice().configuration != second.choice().configuration);
  check_answer(third, hard.graph);
  CHECK(solver(device("cpu"), handle(hard.graph)).upload() > 0);
}

TEST_CASE("the configuration is given, the first of a list that runs, or the selector's") {
  const auto hard = problems::tests::hard_graph_named("path", graph::weight_type::uint32);
  const device processors("cpu:2");
  solver search(processors, handle(hard.graph));
  const solution dijkstra = search.solve(0, options_with({"solver=dijkstra"}));
  CHECK(dijkstra.choice().configuration == "solver=dijkstra");
  CHECK(dijkstra.choice().chosen_by == choice::source::caller);
  CHECK(dijkstra.choice().device == "cpu:2");
  CHECK(dijkstra.choice().device_name == processors.facts().name);
  CHECK_FALSE(dijkstra.choice().predicted.has_value());

  // Kernels do not run on processors; the third configuration would, but the second comes first.
  const solution listed = search.solve(0, options_with({"l2=heap", "solver=dijkstra", "solver=boost_dijkstra"}));
  CHECK(listed.choice().configuration == "solver=dijkstra");
  CHECK_THROWS_AS(search.solve(0, options_with({"l2=heap", ""})), unsuitable_error);
  // So may be configurations of solve_many().
  CHECK(search.solve(0, options_with({"solver=supernode", "solver=dijkstra"})).choice().configuration ==
        "solver=dijkstra");
  const solution many = search.solve(0, options_with({"l2=heap", "solver=cpu_dijkstra"}));
  CHECK(many.choice().configuration == "solver=cpu_dijkstra");
  CHECK(std::ranges::equal(many.distances_uint32(), listed.distances_uint32()));
  CHECK_THROWS_WITH(search.solve(0, options_with({"l2=heap"})), Contains("solver mlmq") && Contains("delta_stepping"));

  const solution standard = search.solve(0);
  CHECK(standard.choice().chosen_by == choice::source::standard);
  CHECK(standard.choice().configuration ==
        problems::recommend(problems::find_problem("sssp"),
                            {.name = "a graph",
                             .features = {{"m", static_cast<double>(hard.graph.vertex_count())},
                                          {"nnz", static_cast<double>(hard.graph.edge_count())}}},
                            detail::info_of(device("cpu:2")))
            .front()
            .configuration.label());
  CHECK_THAT(standard.choice().reason, Contains("the fastest expected search on 2 threads"));
  CHECK(standard.times().features == 0);

  // The standard simulator has room for blocks of 256 threads. Whether one of the shipped candidates fits depends on
  // the candidates.
  for (const char* const selector : {"simt:2x32", "simt"}) {
    CAPTURE(selector);
    solver simulated(detail::adopt(problems::tests::open_simulator(selector)), handle(hard.graph));
    const choice expected = simulated.choose();
    CHECK_FALSE(simulated.resident());
    CHECK(expected.chosen_by == choice::source::model);
    // Some learning methods predict relative performance, others only rank.
    const char* const reason = expected.predicted ? "relative performance" : "ranked first";
    CHECK(expected.predicted.value_or(1) > 0);
    CHECK_THAT(expected.reason, Contains(reason));
    const solution chosen = simulated.solve(0);
    check_answer(chosen, hard.graph);
    CHECK(chosen.choice().device == selector);
    const bool fits = chosen.choice().chosen_by == choice::source::model;
    CHECK((fits || selector == std::string("simt")));
    CHECK_THAT(chosen.choice().reason, Contains(fits ? reason : "none of the selector's candidates fits"));
    // From now on the simulator knows which configuration fits.
    CHECK(simulated.choose().chosen_by == chosen.choice().chosen_by);
  }
}

TEST_CASE("where none of the selector's candidates fits, the default is taken, and it says so") {
  const auto hard = problems::tests::hard_graph_named("power_law", graph::weight_type::uint32);
  // A multiprocessor of the standard simulator has room for 8 warps.
  const std::vector<std::string> too_large = {"threads=512", "solver=near_far,threads=1024"};
  for (const std::string& label : too_large) {
    CAPTURE(label);
    CHECK_THROWS_AS(solver(simulator(), handle(hard.graph)).solve(0, options_with({label})), unsuitable_error);
  }
  std::vector<std::string> candidates = too_large;
  candidates.emplace_back("solver=dijkstra");  // for processors: does not fit here either
  solve_options options;
  options.model = detail::model_of(std::make_shared<const fixed_ranking>(std::move(candidates)));
  solver search(simulator(), handle(hard.graph));
  // Only a trial shows which configuration fits.
  CHECK(search.choose(options).chosen_by == choice::source::model);
  CHECK(search.choose(options).configuration == complete_configuration(too_large.front()));
  const solution first = search.solve(0, options);
  check_answer(first, hard.graph);
  const choice second_choice = search.choose(options);
  const solution second = search.solve(1, options);
  check_answer(second, hard.graph);
  CHECK(second.times().compile == 0);
  for (const choice& chosen : {first.choice(), second_choice, second.choice()}) {
    CHECK(chosen.chosen_by == choice::source::standard);
    CHECK(chosen.configuration == complete_configuration(""));
    CHECK(chosen.device == "simt");
    CHECK_FALSE(chosen.predicted.has_value());
    CHECK(chosen.reason == "the default: none of the selector's candidates fits on this device");
  }
}

/// A model that records its inputs.
struct curious_model final : selector::ranking_model {
  [[nodiscard]] std::span<const std::string_view> features() const override { return names; }
  [[nodiscard]] std::vector<selector::predicted_label> ranked(std::span<const double> values) const override {
    inputs.assign(values.begin(), values.end());
    return {{.label = "solver=dijkstra"}};
  }

  std::array<std::string_view, 3> names{"frontier", "nnz", "hops"};
  mutable std::vector<double> inputs;
};

TEST_CASE("a graph is sampled during its upload or after it, and a small graph is not sampled") {
  for (const char* const name : {"rmat16", "road8"}) {
    CAPTURE(name);
    const graph::csr_graph csr = graph::generate_named(name).graph;
    const graph::feature_values features = graph::all_features(csr);
    for (const bool uploaded_before : {false, true}) {
      const auto recorder = std::make_shared<const curious_model>();
      solve_options options;
      options.model = detail::model_of(recorder);
      options.place = placement::device;
      solver search(device("cpu:2"), handle(csr));
      if (uploaded_before) search.upload();
      const solution answer = search.solve(0, options);
      CHECK(answer.choice().configuration == complete_configuration("solver=dijkstra"));
      REQUIRE(recorder->inputs.size() == 3);
      CHECK(recorder->inputs[1] == static_cast<double>(csr.edge_count()));
      if (static_cast<double>(csr.edge_count()) < problems::least_sampled_edges) {
        CHECK(std::isnan(recorder->inputs[0]));
        CHECK(std::isnan(recorder->inputs[2]));
      } else {
        CHECK(recorder->inputs[0] == features[graph::feature_index("frontier")]);
        CHECK(recorder->inputs[2] == features[graph::feature_index("hops")]);
      }
    }
  }
}

TEST_CASE("the fastest tried configuration is chosen from then on") {
  const auto hard = problems::tests::hard_graph_named("grid", graph::weight_type::uint32);
  const std::vector<std::string> candidates = {"threads=512", "l1=vector,l2=vector,threads=64",
                                               "l1=vector,l2=bucket,delta=4,threads=64", "solver=dijkstra",
                                               "l2=bucket,delta=2,threads=64"};
  solve_options options;
  options.model = detail::model_of(std::make_shared<const fixed_ranking>(candidates));
  solver search(simulator(), handle(hard.graph));
  const std::array<vertex, 2> sources{0, 78};
  CHECK(search.choose(options).configuration == complete_configuration(candidates[0]));
  const std::vector<tried> trials = search.try_out(sources, 2, options);
  // The first configuration does not fit on the device, the fourth is for another device.
  REQUIRE(trials.size() == 2);
  REQUIRE(trials[0].milliseconds);
  REQUIRE(trials[1].milliseconds);
  CHECK(*trials[0].milliseconds <= *trials[1].milliseconds);
  const std::set<std::string> labels{trials[0].configuration, trials[1].configuration};
  CHECK(labels == std::set{complete_configuration(candidates[1]), complete_configuration(candidates[2])});
  const solution answer = search.solve(5, options);
  check_answer(answer, hard.graph);
  CHECK(answer.choice().configuration == trials[0].configuration);
  CHECK(answer.choice().chosen_by == choice::source::trial);
  CHECK_THAT(answer.choice().reason, Contains("the fastest of 2 configurations tried") && Contains("2 sources"));
  CHECK(answer.times().compile == 0);
  // Tries all of them; the best comes first, whatever the order of the model.
  const std::vector<tried> all_trials = search.try_out(sources, 9, options);
  REQUIRE(all_trials.size() == 3);
  CHECK(search.choose(options).configuration == all_trials[0].configuration);
  CHECK(search.choose(options_with({"l2=bucket"})).chosen_by == choice::source::caller);
  // Trials for one model do not count for another model.
  options.model = detail::model_of(std::make_shared<const fixed_ranking>(candidates));
  CHECK(search.choose(options).chosen_by == choice::source::model);
}

TEST_CASE("configurations are compared on the caller's searches, and later solvers of the graph remember the fastest") {
  const tests::scratch_folder cache;
  const tests::environment setting("MLMQ_CACHE", cache.path().string());
  const auto hard = problems::tests::hard_graph_named("grid", graph::weight_type::uint32);
  const std::vector<std::string> candidates = {"l2=bucket,threads=64", "l2=vector,l1=none,threads=64"};
  solve_options options;
  options.model = detail::model_of(std::make_shared<const fixed_ranking>(candidates));
  options.tries = 2;
  solver search(simulator(), handle(hard.graph));
  std::map<std::string, std::size_t> searches;
  std::size_t count = 0;
  for (; count < 20; ++count) {
    const solution answer = search.solve(0, options);
    check_answer(answer, hard.graph);
    if (answer.choice().chosen_by == choice::source::trial) break;
    ++searches[answer.choice().configuration];
  }
  // Both took part, until the winner was known.
  CHECK(searches.size() == 2);
  CHECK(count >= 8);
  CHECK(count <= 16);
  const choice decided = search.solve(1, options).choice();
  CHECK_THAT(decided.reason, Contains("searches with 2 configurations"));
  // Another solver compares nothing.
  solver later(simulator(), handle(hard.graph));
  const choice remembered = later.solve(2, options).choice();
  CHECK(remembered.configuration == decided.configuration);
  CHECK(remembered.chosen_by == choice::source::trial);
  CHECK_THAT(remembered.reason, Contains("earlier process"));
  // Without the option nothing is compared.
  options.tries = 0;
  solver usual(simulator(), handle(hard.graph));
  CHECK(usual.solve(0, options).choice().chosen_by == choice::source::model);
}

TEST_CASE("options that prevent a comparison are refused by trials") {
  const auto hard = problems::tests::hard_graph_named("path", graph::weight_type::uint32);
  solver search(simulator(), handle(hard.graph));
  const std::array<vertex, 1> source{0};
  solve_options options;
  CHECK_THROWS_AS(search.try_out({}, 2, options), input_error);
  CHECK_THROWS_AS(search.try_out(source, 0, options), input_error);
  CHECK_THROWS_AS(search.try_out(std::array<vertex, 1>{1'000'000}, 2, options), input_error);
  CHECK_THROWS_AS(search.try_out(source, 2, options_with({"l2=bucket"})), input_error);
  options.counters = true;
  CHECK_THROWS_AS(search.try_out(source, 2, options), input_error);
  options.counters = false;
  options.model = detail::model_of(std::make_shared<const fixed_ranking>(std::vector<std::string>{"solver=dijkstra"}));
  CHECK_THROWS_AS(search.try_out(source, 2, options), unsuitable_error);
  options.model =
      detail::model_of(std::make_shared<const fixed_ranking>(std::vector<std::string>{"l2=bucket,threads=64"}));
  options.time_limit_ms = 1e-6;
  CHECK_THROWS_AS(search.try_out(source, 2, options), search_error);
}

TEST_CASE("a configuration is completed, and an unknown one is refused") {
  CHECK(complete_configuration("solver=dijkstra") == "solver=dijkstra");
  CHECK_THAT(complete_configuration("delta=2"), Contains("delta=2,") && Contains("l2=bucket"));
  CHECK(complete_configuration(complete_configuration("delta=2")) == complete_configuration("delta=2"));
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"l7=vector", "l7"}, {"l2=vektor", "vektor"}, {"delta", "delta"}, {"delta=-1", "delta"}, {"auto", "auto"}};
  solver search(device("cpu:1"), digraph::open("path3"));
  for (const auto& [text, part] : wrong) {
    CAPTURE(text);
    CHECK_THROWS_AS(complete_configuration(text), input_error);
    CHECK_THROWS_AS(search.solve(0, options_with({text})), input_error);
    CHECK_THROWS_WITH(search.solve(0, options_with({"solver=dijkstra", text})), Contains(part));
  }
}

TEST_CASE("invalid input is an input_error that names it") {
  CHECK_THROWS_AS(device("gpu"), input_error);
  CHECK_THROWS_WITH(device("gpu"), Contains("unknown device 'gpu'") && Contains("cuda:N"));
  CHECK_THROWS_AS(device("cpu:0"), input_error);
  CHECK_THROWS_AS(model::read("none.json"), input_error);
  solver search(device("cpu:1"), digraph::open("path4"));
  CHECK_THROWS_AS(search.solve(4), input_error);
  CHECK_THROWS_WITH(search.solve(4), Contains("source 4") && Contains("0 to 3"));
  solve_options no_time;
  no_time.time_limit_ms = 0;
  CHECK_THROWS_WITH(search.solve(0, no_time), Contains("time limit"));
  const solution answer = search.solve(0);
  CHECK_THROWS_AS(answer.distance(4), input_error);
  CHECK_THROWS_AS(answer.distances_float32(), input_error);
  CHECK(answer.distances_uint32()[3] == 3);
}

TEST_CASE("after a search that was not finished in time the next one is right") {
  const digraph path = digraph::open("path300000");
  solver search(device("cpu:1"), path);
  solve_options hurried = options_with({"solver=delta_stepping,fusion=0"});
  hurried.time_limit_ms = 0.001;
  try {
    static_cast<void>(search.solve(0, hurried));
    FAIL("in time");
  } catch (const search_error& error) {
    CHECK(error.why == search_error::reason::time_limit);
    CHECK_THAT(error.what(), Contains("path300000: timeout"));
  }
  CHECK(search.solve(0).distance(299'999) == 299'999);
}

TEST_CASE("work is counted on request") {
  solver search(device("cpu:1"), digraph::open("grid20"));
  solve_options options = options_with({"solver=dijkstra"});
  CHECK(search.solve(0, options).counters().empty());
  options.counters = true;
  const solution counted = search.solve(0, options);
  const std::map<std::string, double> counters(counted.counters().begin(), counted.counters().end());
  CHECK(counters.at("relaxations") == 4 * 20 * 19);
}

TEST_CASE("the timeline of a search is recorded on request") {
  solver search(simulator(), digraph::open("grid12"));
  solve_options options = options_with({"threads=64"});
  CHECK(search.solve(0, options).timeline().empty());
  options.timeline = true;
  const solution recorded = search.solve(0, options);
  REQUIRE_FALSE(recorded.timeline().empty());
  double read = 0;
  double last_start = -1;
  for (const timeline_interval& interval : recorded.timeline()) {
    CHECK(interval.start_ms > last_start);
    last_start = interval.start_ms;
    read += interval.vertices;
  }
  CHECK(read >= 144);  // every vertex is read at least once
  options.counters = true;
  CHECK_THROWS_AS(search.solve(0, options), input_error);
  options.counters = false;
  options.configurations = {"solver=dijkstra"};
  CHECK_THROWS_AS(solver(device("cpu:1"), digraph::open("grid12")).solve(0, options), unsuitable_error);
}

TEST_CASE("distances that do not fit their type are an error, however they are requested") {
  const digraph whole =
      digraph::from_rows({0, 1, 2, 2}, {1, 2}, std::vector<std::uint32_t>{4294967290U, 4294967290U}, "whole");
  const digraph decimal = digraph::from_rows({0, 1, 2, 2}, {1, 2}, std::vector<float>{3e38F, 3e38F}, "decimal");
  const digraph wide = digraph::from_rows({0, 1, 2, 2}, {1, 2}, std::vector<double>{1.5e308, 1.5e308}, "wide");
  const std::vector<vertex> from_0 = {0};
  const std::vector<vertex> from_1 = {1};
  const std::vector<vertex> to_2 = {2};
  const std::vector<std::uint32_t> ones = {1, 1};
  const take_distances ignore = [](const distance_rows&) {};
  for (const auto& [graph, text] : {std::pair{whole, "whole: a distance is beyond 32 bits"},
                                    std::pair{decimal, "decimal: a distance is too large for float32"},
                                    std::pair{wide, "wide: a distance is too large for float64"}}) {
    for (const char* const name : {"cpu:1", "simt"}) {
      CAPTURE(text, name);
      const device target(name);
      solver search(target, graph);
      CHECK(search.solve(1).distance(2) > 1e9);
      CHECK_THROWS_WITH(search.solve(0), StartsWith(text));
      if (search.solve(1).type() == number_type::uint32) {
        std::vector<std::uint32_t> out(3);
        CHECK_THROWS_WITH(search.solve_into(0, out), StartsWith(text));
      } else if (search.solve(1).type() == number_type::float32) {
        std::vector<float> out(3);
        CHECK_THROWS_WITH(search.solve_into(0, out), StartsWith(text));
      } else {
        std::vector<double> out(3);
        CHECK_THROWS_WITH(search.solve_into(0, out), StartsWith(text));
      }
      CHECK(search.solve_many(from_1).searches == 1);
      CHECK(search.solve_many(from_0, {.cutoff = 4e9}).searches == 1);
      CHECK_THROWS_WITH(search.solve_many(from_0), StartsWith(text));
      CHECK_THROWS_WITH(search.solve_many(from_0, {}, ignore), StartsWith(text));
      CHECK_THROWS_WITH(search.solve_many(from_0, {.targets = to_2}, ignore), StartsWith(text));
      CHECK_THROWS_WITH(search.solve_pairs(from_0, to_2), StartsWith(text));
      CHECK_THROWS_WITH(search.sum_pair_paths(from_0, to_2, ones), StartsWith(text));
      CHECK_THROWS_WITH(search.sum_matrix_paths(from_0, to_2, ones), StartsWith(text));
      for (const reduction& quantity : {reduction::closeness(), reduction::eccentricity(), reduction::nearest({2}, 1)})
        CHECK_THROWS_WITH(search.reduce(from_0, std::span(&quantity, 1)), StartsWith(text));
      if (std::string_view(name) == "cpu:1") continue;
      CHECK_THROWS_WITH(search.solve(0, {.keep_on_device = true}), StartsWith(text));
      CHECK_THROWS_WITH(search.solve_many(from_0, {.keep_on_device = true}, ignore), StartsWith(text));
      CHECK(search.solve(1, {.keep_on_device = true}).distance(2) > 1e9);
    }
  }
}

TEST_CASE("threads share a device, a solver and a solution") {
  const auto hard = problems::tests::hard_graph_named("power_law", graph::weight_type::float32);
  const device processors("cpu:2");
  solver shared(processors, handle(hard.graph));
  const solution answer = shared.solve(0);
  std::vector<std::vector<double>> distances(4);
  std::vector<std::thread> threads;
  for (vertex t = 0; t < distances.size(); ++t) {
    threads.emplace_back([&, t] {
      solver private_solver(processors, handle(hard.graph));
      for (int i = 0; i < 5; ++i) {
        const solution from_shared = shared.solve(t);
        const solution from_private = private_solver.solve(t);
        distances[t] = {from_shared.distance(50), from_private.distance(50),
                        static_cast<double>(answer.distances_float32()[60])};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (vertex t = 0; t < distances.size(); ++t) {
    const double expected = graph::distance_value(graph::weight_type::float32, graph::dijkstra(hard.graph, t)[50]);
    CHECK(distances[t] == std::vector<double>{expected, expected, answer.distance(60)});
  }
}

TEST_CASE("solvers outlive the variables that they were made from") {
  std::optional<solver> search;
  {
    const device processors("cpu:1");
    search.emplace(processors, digraph::open("path5"));
  }
  const solution answer = search->solve(1);
  search.reset();
  CHECK(answer.distance(4) == 3);
  CHECK(answer.predecessors() == std::vector<vertex>{1, no_vertex, 1, 2, 3});
}

TEST_CASE("a graph is searched in parts if requested and suitable") {
  solve_options in_parts;
  in_parts.partition = mlmq::partitioning::always;
  const graph::csr_graph road = graph::generate_road(8);
  solver on_road(simulator(), handle(road));
  CHECK_THAT(on_road.solve(0).choice().configuration, !Contains("partitioned"));
  for (const vertex source : {vertex{0}, vertex{17}}) {
    const solution answer = on_road.solve(source, in_parts);
    CHECK_THAT(answer.choice().configuration, Contains("solver=partitioned"));
    CHECK_THAT(answer.choice().reason, Contains("in parts"));
    check_answer(answer, road);
  }
  // The option of one call does not carry over to the next.
  CHECK_THAT(on_road.solve(0).choice().configuration, !Contains("partitioned"));

  // Splitting can be forbidden, and is not automatic for so few searches.
  for (const mlmq::partitioning none : {mlmq::partitioning::never, mlmq::partitioning::automatic}) {
    CHECK_THAT(on_road.solve(0, {.partition = none}).choice().configuration, !Contains("partitioned"));
  }

  // The row of a hub is spread.
  graph::edge_list edges;
  for (vertex v = 1; v <= 2000; ++v) edges.add(0, v, 1);
  const graph::csr_graph hub = graph::build_csr(2001, edges);
  solver on_hub(simulator(), handle(hub));
  const solution answer = on_hub.solve(0, in_parts);
  CHECK_THAT(answer.choice().configuration, Contains("hub_degree=128"));
  check_answer(answer, hub);

  // Most edges lead to other parts.
  const graph::csr_graph dense = graph::generate_complete(100);
  solver on_dense(simulator(), handle(dense));
  const solution among_all = on_dense.solve(0, in_parts);
  CHECK_THAT(among_all.choice().configuration, Contains("partitioned"));
  check_answer(among_all, dense);

  solver on_processors(device("cpu"), handle(road));
  CHECK_THAT(on_processors.solve(0, in_parts).choice().configuration, !Contains("partitioned"));
}

TEST_CASE("solve() takes configurations of many searches") {
  const digraph graph = digraph::open("road8");
  for (const auto& [device_name, configuration] :
       {std::pair("simt", "solver=supernode,threads=64,blocks=1,columns=1"),
        std::pair("simt", "solver=block,threads=32"), std::pair("cpu:2", "solver=cpu_hierarchy")}) {
    CAPTURE(device_name, configuration);
    solver searches(device(device_name), graph);
    const solve_options options{.configurations = {configuration}};
    CHECK(searches.choose(options).configuration == complete_configuration(configuration));
    std::vector<std::uint32_t> written(graph.vertex_count());
    for (const vertex source : {vertex{0}, vertex{17}, vertex{0}}) {
      const solution answer = searches.solve(source, options);
      CHECK(answer.check().empty());
      CHECK(answer.choice().configuration == complete_configuration(configuration));
      CHECK(answer.choice().chosen_by == choice::source::caller);
      CHECK(answer.times().solve > 0);
      const search_summary summary = searches.solve_into(source, written, options);
      CHECK(std::ranges::equal(written, answer.distances_uint32()));
      CHECK(summary.choice.configuration == answer.choice().configuration);
    }
    CHECK(searches.solve(3).check().empty());
    solve_options counted = options;
    counted.counters = true;
    CHECK_THROWS_WITH(searches.solve(0, counted), Contains("no counters"));
  }
  const std::vector<float> lengths{0.5F, 0.25F};
  const digraph floats =
      digraph::from_rows(std::vector<std::uint64_t>{0, 1, 2, 2, 2}, std::vector<vertex>{1, 2}, lengths);
  solver searches(device("simt"), floats);
  std::vector<float> written(4);
  const solve_options options{.configurations = {"solver=block,threads=32"}};
  (void)searches.solve_into(0, written, options);
  CHECK(written == std::vector<float>{0, 0.5F, 0.75F, std::numeric_limits<float>::infinity()});
  CHECK(searches.solve(0, options).distance(2) == 0.75);
  const digraph decimals = digraph::from_rows(std::vector<std::uint64_t>{0, 1, 2, 2, 2}, std::vector<vertex>{1, 2},
                                              std::vector<double>{0.1, 0.2})
                               .with_decimal_places();
  solver decimal_searches(device("simt"), decimals);
  const solve_options supernodes{.configurations = {"solver=supernode,threads=64,blocks=1,columns=1"}};
  CHECK(decimal_searches.solve(0, supernodes).distance(2) == 0.3);
}
