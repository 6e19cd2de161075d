// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "base/error.hpp"
#include "selector/evaluate.hpp"
#include "tests/selector/synthetic.hpp"

using namespace mlmq;
using namespace mlmq::selector;
using Catch::Matchers::Contains;

namespace {

held_out_graph choice(const char* name, const char* graph_class, double selector_value, double fixed_value) {
  return {name, graph_class, 0, "", "", selector_value, fixed_value};
}

}  // namespace

TEST_CASE("scores by hand") {
  const evaluation_report report = summarise({choice("a", "road", 1.0, 0.5), choice("b", "road", 0.9, 0.95),
                                              choice("c", "mesh", 0.5, 0.0), choice("d", "mesh", 0.8, 0.9)},
                                             2, 1);
  CHECK(report.overall.graphs == 4);
  CHECK(report.overall.selector.near_best == 0.5);
  CHECK(report.overall.selector.mean_relative == Approx(0.8));
  CHECK(report.overall.fixed.near_best == 0.5);
  CHECK(report.overall.fixed.mean_relative == Approx(0.5875));
  CHECK(report.overall.oracle.near_best == 1.0);
  CHECK(report.overall.oracle.mean_relative == 1.0);
  REQUIRE(report.graph_classes.size() == 2);
  CHECK(report.graph_classes[0].graph_class == "mesh");
  CHECK(report.graph_classes[0].selector.near_best == 0.0);
  CHECK(report.graph_classes[0].selector.mean_relative == Approx(0.65));
  CHECK(report.graph_classes[0].fixed.near_best == 0.5);
  CHECK(report.graph_classes[1].graph_class == "road");
  CHECK(report.graph_classes[1].selector.near_best == 1.0);
  CHECK(to_table(report) ==
        "graphs       count  strategy       within 0.9  mean relative\n"
        "all              4  selector            50.0%          0.800\n"
        "                    best fixed          50.0%          0.588\n"
        "                    oracle             100.0%          1.000\n"
        "mesh             2  selector             0.0%          0.650\n"
        "                    best fixed          50.0%          0.450\n"
        "                    oracle             100.0%          1.000\n"
        "road             2  selector           100.0%          0.950\n"
        "                    best fixed          50.0%          0.725\n"
        "                    oracle             100.0%          1.000\n"
        "2-fold cross-validation over groups of graphs; left out, because no candidate succeeded: "
        "1 graphs.\n");
}

TEST_CASE("the best fixed candidate counts failures and gaps as 0") {
  training_set set;
  set.graphs.resize(3);
  set.candidates.resize(3);
  // Relative: candidate 0: 1, -, -; candidate 1: 0.5, 0.5, 0.5; candidate 2: failed, 1, 1.
  set.observations = {{0, 0, 1, true}, {0, 1, 2, true}, {0, 2, 0, false}, {1, 1, 2, true},
                      {1, 2, 1, true}, {2, 1, 2, true}, {2, 2, 1, true}};
  CHECK(best_fixed_candidate(performance_matrix(set)) == 2);
  set.observations.erase(set.observations.begin() + 4, set.observations.end());
  // Now graph 1 has only candidate 1: relative 1 there.
  CHECK(best_fixed_candidate(performance_matrix(set)) == 1);
}

TEST_CASE("a group is never in two folds, whatever the seed") {
  const training_set set = synthetic::make(50);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto folds = assign_folds(set.graphs, 5, seed);
    std::map<std::string, std::set<std::size_t>> folds_of;
    std::map<std::size_t, std::set<std::string>> groups_of;
    for (std::size_t g = 0; g < folds.size(); ++g) {
      folds_of[set.graphs[g].group].insert(folds[g]);
      groups_of[folds[g]].insert(set.graphs[g].group);
    }
    for (const auto& [group, used] : folds_of) CHECK(used.size() == 1);
    REQUIRE(groups_of.size() == 5);
    for (const auto& [fold, groups] : groups_of) CHECK((groups.size() == 3 || groups.size() == 4));  // 17 groups
  }
  CHECK(assign_folds(set.graphs, 5, 1) == assign_folds(set.graphs, 5, 1));
  CHECK(assign_folds(set.graphs, 5, 1) != assign_folds(set.graphs, 5, 2));
}

TEST_CASE("too few groups or folds") {
  training_set set = synthetic::make(3);  // one group
  CHECK_THROWS_AS(evaluate(set, synthetic::quick_settings(), {}), input_error);
  CHECK_THROWS_WITH(evaluate(set, synthetic::quick_settings(), {}), Contains("at least 2 groups"));
  set = synthetic::make(6);
  CHECK_THROWS_WITH(evaluate(set, synthetic::quick_settings(), {1, 1, {}}), Contains("at least 2 folds"));
  CHECK(evaluate(set, synthetic::quick_settings(), {}).folds == 2);
}

TEST_CASE("on unseen graphs the trained selector beats the best fixed configuration") {
  const training_set set = synthetic::make();
  const evaluation_report report = evaluate(set, synthetic::quick_settings(), {});
  CHECK(report.folds == 5);
  CHECK(report.overall.graphs == 48);
  CHECK(report.unsolved == 0);
  CHECK(report.overall.selector.mean_relative > 0.9);
  CHECK(report.overall.selector.mean_relative > report.overall.fixed.mean_relative + 0.1);
  CHECK(report.overall.selector.near_best > report.overall.fixed.near_best);
  std::map<std::string, std::set<std::size_t>> folds_of;
  REQUIRE(report.graphs.size() == 48);
  for (std::size_t g = 0; g < 48; ++g) folds_of[set.graphs[g].group].insert(report.graphs[g].fold);
  for (const auto& [group, folds] : folds_of) CHECK(folds.size() == 1);
}

TEST_CASE("the report does not depend on the order of the record") {
  training_set shuffled = synthetic::make(24);
  const std::string expected = to_table(evaluate(shuffled, synthetic::quick_settings(), {}));
  std::reverse(shuffled.observations.begin(), shuffled.observations.end());
  std::vector<std::size_t> backwards;
  for (std::size_t c = shuffled.candidates.size(); c-- > 0;) backwards.push_back(c);
  shuffled = keep_candidates(shuffled, backwards);
  CHECK(to_table(evaluate(shuffled, synthetic::quick_settings(), {})) == expected);
}

TEST_CASE("the held-out graphs do not influence what is chosen for them") {
  const training_set set = synthetic::make(24);
  const evaluation_report before = evaluate(set, synthetic::quick_settings(), {});
  // Turn the times of one group upside down: the choices for its fold must stay as they were.
  training_set changed = set;
  for (observation& one : changed.observations) {
    if (set.graphs[one.graph].group == "group-2") one.milliseconds = 1.0 / one.milliseconds;
  }
  for (bool reduce : {false, true}) {
    evaluation_options options;
    if (reduce) options.cover_tolerance = 0.1;
    const auto first = evaluate(set, synthetic::quick_settings(), options);
    const auto second = evaluate(changed, synthetic::quick_settings(), options);
    const std::size_t fold = first.graphs[6].fold;
    REQUIRE(set.graphs[6].group == "group-2");
    for (std::size_t g = 0; g < first.graphs.size(); ++g) {
      if (first.graphs[g].fold != fold) continue;
      CHECK(first.graphs[g].selected == second.graphs[g].selected);
      CHECK(first.graphs[g].fixed == second.graphs[g].fixed);
    }
  }
}

TEST_CASE("gaps and failures: a choice without a time scores 0, an unsolved graph is left out") {
  training_set set = synthetic::make(12);
  std::erase_if(set.observations, [](const observation& one) { return one.graph == 4 && one.candidate % 2 == 0; });
  for (observation& one : set.observations) one.ok = one.ok && one.graph != 7;
  const evaluation_report report = evaluate(set, synthetic::quick_settings(), {});
  CHECK(report.unsolved == 1);
  REQUIRE(report.graphs.size() == 11);
  CHECK(std::none_of(report.graphs.begin(), report.graphs.end(),
                     [](const held_out_graph& graph) { return graph.name == "graph-007"; }));
  const held_out_graph& gappy = report.graphs[4];
  REQUIRE(gappy.name == "graph-004");
  for (std::size_t c = 0; c < set.candidates.size(); c += 2) {
    if (gappy.selected == set.candidates[c].label) CHECK(gappy.selector_value == 0.0);
    if (gappy.fixed == set.candidates[c].label) CHECK(gappy.fixed_value == 0.0);
  }
}

TEST_CASE("candidates can be reduced inside each fold") {
  evaluation_options options;
  options.cover_tolerance = 0.05;
  const evaluation_report report = evaluate(synthetic::make(), synthetic::quick_settings(), options);
  CHECK(report.overall.selector.mean_relative > report.overall.fixed.mean_relative);
}
