// SPDX-License-Identifier: Apache-2.0
// Searches that learn: budgets, repeatability, and that learning pays.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "message.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/strategy.hpp"

using namespace mlmq;
using namespace mlmq::tuner;

namespace {

const std::vector<std::string> learners = {"local", "annealing", "genetic", "model"};

/// Returns 5 · 5 · 5 configurations with `c` if kind is two, and 5 · 5 if kind is one: 150 configurations less the
/// restricted ones.
search_space test_space() {
  return search_space(parse_experiment("name: n\nproblem: p\nparameters:\n"
                                       "  kind: {values: [one, two], bind: compile}\n"
                                       "  a: {values: [1, 2, 3, 4, 5], bind: compile}\n"
                                       "  b: {values: [1, 2, 3, 4, 5], bind: compile}\n"
                                       "  c: {values: [1, 2, 3, 4, 5], bind: launch, when: kind == two}\n"
                                       "restrictions: [a + b <= 9]\nworkloads: [{generate: path5}]\n",
                                       "s")
                          .space);
}

double number(const configuration& c, const char* name) {
  const value* v = c.find(name);
  return v == nullptr ? 5.0 : static_cast<double>(std::get<std::int64_t>(*v));
}

/// Returns a smooth function with one optimum: 1 ms at a=2, b=4, c=3.
double time_of(const configuration& c) {
  return 1 + std::abs(number(c, "a") - 2) + 0.5 * std::abs(number(c, "b") - 4) + 0.7 * std::abs(number(c, "c") - 3);
}

strategy_settings settings_of(const std::string& name, std::uint64_t budget, std::uint64_t seed = 1) {
  strategy_settings settings;
  settings.name = name;
  settings.seed = seed;
  (settings.learns() ? settings.budget : settings.count) = budget;
  return settings;
}

std::unique_ptr<strategy> make(const strategy_settings& settings, const search_space& space) {
  return make_strategy(settings, space, {});
}

using answer = std::function<evaluation(const configuration&)>;

evaluation smooth(const configuration& c) { return {.cost = time_of(c), .seconds = 0.5}; }

std::vector<std::string> sequence(strategy& s, const answer& objective = smooth, std::size_t at_most = 10'000) {
  std::vector<std::string> labels;
  while (labels.size() < at_most) {
    const auto c = s.next();
    if (!c) break;
    labels.push_back(c->label());
    s.report(*c, objective(*c));
  }
  return labels;
}

}  // namespace

TEST_CASE("a search stays in the space, tries nothing twice, and ends with its budget") {
  const search_space space = test_space();
  std::set<std::string> labels;
  for (std::uint64_t i = 0; i < space.count(); ++i) labels.insert(space.at(i).label());
  for (const std::string& name : learners) {
    CAPTURE(name);
    const auto s = make(settings_of(name, 40), space);
    CHECK(s->total() == 40u);
    const auto tried = sequence(*s);
    CHECK(tried.size() == 40);
    CHECK(std::set(tried.begin(), tried.end()).size() == 40);
    for (const std::string& label : tried) CHECK(labels.contains(label));
    CHECK_FALSE(s->next());
    // A strategy with a larger budget proposes the whole space.
    const auto everything = sequence(*make(settings_of(name, 1000), space));
    CHECK(std::set(everything.begin(), everything.end()) == labels);
    CHECK(everything.size() == labels.size());
  }
}

TEST_CASE("failures neither stop a search nor mislead it") {
  const search_space space = test_space();
  const answer fails = [](const configuration&) { return evaluation{}; };
  const answer half = [](const configuration& c) { return c.find("c") == nullptr ? evaluation{} : smooth(c); };
  for (const std::string& name : learners) {
    CAPTURE(name);
    CHECK(sequence(*make(settings_of(name, 1000), space), fails).size() == space.count());
    const auto tried = sequence(*make(settings_of(name, 60, 3), space), half);
    CHECK(std::ranges::count_if(tried, [](const std::string& label) { return label.find("kind=two") != label.npos; }) >
          30);
  }
}

TEST_CASE("the same seed gives the same search, another one another") {
  const search_space space = test_space();
  for (const std::string& name : learners) {
    CAPTURE(name);
    const auto first = sequence(*make(settings_of(name, 50, 7), space));
    CHECK(first == sequence(*make(settings_of(name, 50, 7), space)));
    CHECK(first != sequence(*make(settings_of(name, 50, 8), space)));
  }
}

TEST_CASE("a search is resumed by replaying its known results") {
  const search_space space = test_space();
  for (const std::string& name : learners) {
    CAPTURE(name);
    const auto whole = sequence(*make(settings_of(name, 50), space));
    for (const std::size_t stopped_after : {1u, 7u, 33u}) {
      const auto before = sequence(*make(settings_of(name, 50), space), smooth, stopped_after);
      int measured = 0;
      const auto after = sequence(*make(settings_of(name, 50), space), [&](const configuration& c) {
        if (std::ranges::find(before, c.label()) == before.end()) ++measured;
        return smooth(c);
      });
      CHECK(after == whole);
      CHECK(measured == 50 - static_cast<int>(stopped_after));
    }
  }
}

TEST_CASE("learning pays: the optimum is found sooner than by chance") {
  const search_space space = test_space();
  const auto median_needed = [&](const std::string& name) {
    std::vector<std::size_t> needed;
    for (std::uint64_t seed = 1; seed <= 31; ++seed) {
      const auto tried = sequence(*make(settings_of(name, space.count(), seed), space));
      const auto optimum = std::ranges::find(tried, "a=2,b=4,c=3,kind=two");
      REQUIRE(optimum != tried.end());
      needed.push_back(static_cast<std::size_t>(optimum - tried.begin()) + 1);
    }
    std::ranges::sort(needed);
    return needed[15];
  };
  const std::size_t by_chance = median_needed("random");
  CHECK(by_chance > space.count() / 4);
  for (const std::string& name : learners) {
    CAPTURE(name);
    CHECK(median_needed(name) * 3 < by_chance * 2);
  }
}

TEST_CASE("a budget in seconds ends the search, and together with evaluations the first of the two does") {
  const search_space space = test_space();
  for (const std::string& name : learners) {
    CAPTURE(name);
    strategy_settings settings = settings_of(name, 40);
    settings.seconds = 6.0;  // half a second per trial
    CHECK(sequence(*make(settings, space)).size() == 12);
    settings.budget.reset();
    CHECK(sequence(*make(settings, space)).size() == 12);
    CHECK_FALSE(make(settings, space)->total());
    settings.budget = 5;
    CHECK(sequence(*make(settings, space)).size() == 5);
  }
}

TEST_CASE("a warm start begins with the recommended configurations, or the nearest in the space") {
  const search_space space = test_space();
  strategy_guide guide{};
  guide.recommended.push_back(configuration({{"kind", value("two")},
                                             {"a", value(std::int64_t{2})},
                                             {"b", value(std::int64_t{4})},
                                             {"c", value(std::int64_t{9})},
                                             {"other", value("x")}}));
  for (const std::string& name : learners) {
    strategy_settings settings = settings_of(name, 40);
    settings.warm_start = true;
    CHECK(make_strategy(settings, space, guide)->next()->label() == "a=2,b=4,c=5,kind=two");
    settings.warm_start = false;
    CHECK(make_strategy(settings, space, guide)->next()->label() != "a=2,b=4,c=5,kind=two");
  }
}

TEST_CASE("several configurations can be requested before the first result") {
  const search_space space = test_space();
  for (const std::string& name : learners) {
    CAPTURE(name);
    const auto s = make(settings_of(name, 42), space);
    std::set<configuration> tried;
    double best = INFINITY;
    while (true) {
      std::vector<configuration> batch;
      while (batch.size() < 8) {
        auto c = s->next();
        if (!c) break;
        CHECK(tried.insert(*c).second);
        batch.push_back(*std::move(c));
      }
      if (batch.empty()) break;
      for (const configuration& c : batch) {
        best = std::min(best, time_of(c));
        s->report(c, smooth(c));
      }
    }
    CHECK(tried.size() == 42);
    CHECK(best <= 1.7);
  }
}

TEST_CASE("spaces of one and of very many configurations can be searched") {
  const auto space_from = [](const std::string& values) {
    std::string text = "name: n\nproblem: p\nparameters:\n";
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
      text += std::string("  ") + name + ": {bind: compile, " + values + "}\n";
    }
    return search_space(parse_experiment(text + "workloads: [{generate: path5}]\n", "s").space);
  };
  const search_space single_point = space_from("values: [1]");
  const search_space many = space_from("range: {from: 1, to: 500, step: 1}");
  for (const std::string& name : learners) {
    CAPTURE(name);
    CHECK(sequence(*make(settings_of(name, 5), single_point)).size() == 1);
    CHECK(sequence(*make(settings_of(name, 30), many)).size() == 30);
  }
}

TEST_CASE("spaces beyond 2^63 can be searched, with restrictions") {
  std::string text = "name: n\nproblem: p\nparameters:\n";
  for (int i = 0; i < 70; ++i) text += "  p" + std::to_string(i) + ": {bind: compile, values: [0, 1, 2, 3]}\n";
  text += "restrictions: ['p0 + p1 + p2 == 3', 'p3 != p4']\nworkloads: [{generate: path5}]\n";
  const search_space space(parse_experiment(text, "s").space);
  REQUIRE(space.count() == search_space::most_counted);
  for (const std::string& name : learners) {
    CAPTURE(name);
    const std::vector<std::string> tried = sequence(*make(settings_of(name, 12), space));
    CHECK(tried.size() == 12);
    for (const std::string& label : tried) CHECK(space.contains(space.parameters().parse_label(label)));
  }
  strategy_settings sample;
  sample.name = "random";
  sample.count = 20;
  const auto drawn = proposals(*make_strategy(sample, space));
  CHECK(std::set(drawn.begin(), drawn.end()).size() == 20);
  CHECK(drawn == proposals(*make_strategy(sample, space)));
}

TEST_CASE("settings of a strategy that learns are checked") {
  const auto error = [](strategy_settings settings) {
    settings.place = {"space.yaml", 9};
    return message_of([&] { check_strategy(settings); });
  };
  strategy_settings settings;
  settings.name = "local";
  CHECK(error(settings) ==
        "space.yaml:9: strategy 'local' needs 'budget' (evaluations per workload) or 'seconds' (per workload)");
  settings.budget = 3;
  check_strategy(settings);
  settings.count = 3;
  CHECK(error(settings) ==
        "space.yaml:9: strategy 'local' has no 'count'; 'budget' limits the number of configurations");
  settings = settings_of("random", 3);
  settings.warm_start = true;
  CHECK(error(settings) == "space.yaml:9: strategy 'random' has no 'warm_start'; it does not learn from results");
  settings = settings_of("genetic", 3);
  settings.neighbours = step_size::next;
  CHECK(error(settings) ==
        "space.yaml:9: strategy 'genetic' has no 'neighbours'; only 'local' and 'annealing' have it");
}
