// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "message.hpp"
#include "tuner/strategy.hpp"

using namespace mlmq::tuner;

namespace {

search_space space_of(std::int64_t a, std::int64_t b) {
  space_definition d;
  for (const auto& [name, count] : {std::pair("a", a), std::pair("b", b)}) {
    parameter_request r;
    r.name = name;
    r.bind = std::pair(binding::compile, source_place{});
    for (std::int64_t i = 0; i < count; ++i) r.values.emplace_back(i, source_place{});
    d.parameters.push_back(std::move(r));
  }
  return search_space(d);
}

std::vector<std::string> labels(const strategy_settings& settings, const search_space& space) {
  std::vector<std::string> result;
  for (const configuration& c : proposals(*make_strategy(settings, space))) {
    result.push_back(c.label());
  }
  return result;
}

}  // namespace

TEST_CASE("strategies keep to the restrictions of a space that is too entangled to count") {
  space_definition d;
  for (const char* const name : {"a", "b", "c", "d", "e", "f"}) {
    parameter_request r;
    r.name = name;
    r.bind = std::pair(binding::compile, source_place{});
    for (std::int64_t i = 1; i <= 40; ++i) r.values.emplace_back(i, source_place{});
    d.parameters.push_back(std::move(r));
  }
  d.restrictions.push_back({"a * b + c * d + e * f < 300", {}});
  const search_space space(d);
  REQUIRE_FALSE(space.is_counted());
  const auto drawn = labels({"random", 50, 1, {}}, space);
  CHECK(drawn.size() == 50);
  CHECK(std::set<std::string>(drawn.begin(), drawn.end()).size() == 50);
  CHECK(labels({"random", 20, 1, {}}, space) == std::vector<std::string>(drawn.begin(), drawn.begin() + 20));
  const auto unlimited = make_strategy({}, space);
  CHECK_FALSE(unlimited->total());
  for (int i = 0; i < 1000; ++i) CHECK(space.contains(*unlimited->next()));
  for (const char* const name : {"local", "annealing", "genetic"}) {
    strategy_settings settings{.name = name, .count = {}, .seed = {}};
    settings.budget = 40;
    const auto learning = make_strategy(settings, space);
    std::set<std::string> seen;
    while (const auto c = learning->next()) {
      CHECK(space.contains(*c));
      seen.insert(c->label());
      learning->report(*c, {.cost = static_cast<double>(std::get<std::int64_t>(*c->find("a")))});
    }
    CHECK(seen.size() == 40);
  }
}

TEST_CASE("exhaustive proposes the space in its order") {
  const search_space space = space_of(2, 2);
  const auto s = make_strategy({}, space);
  CHECK(s->total() == 4u);
  const auto first = s->next();
  REQUIRE(first);
  CHECK(first->label() == "a=0,b=0");
  s->report(*first, {.cost = 1.5});
  s->report(*first, {});
  CHECK(proposals(*s).size() == 3);
  CHECK_FALSE(s->next());
}

TEST_CASE("random draws the same sample everywhere") {
  const search_space space = space_of(10, 10);
  CHECK(labels({"random", 5, 1, {}}, space) ==
        std::vector<std::string>{"a=6,b=5", "a=5,b=3", "a=6,b=6", "a=5,b=6", "a=6,b=1"});
  CHECK(labels({"random", 5, std::nullopt, {}}, space) == labels({"random", 5, 1, {}}, space));
  CHECK(labels({"random", 5, 2, {}}, space) != labels({"random", 5, 1, {}}, space));
}

TEST_CASE("random draws without replacement, at most the whole space") {
  const search_space space = space_of(7, 11);
  const auto every_label = labels({"random", 1000, 3, {}}, space);
  CHECK(every_label.size() == 77);
  CHECK(std::set<std::string>(every_label.begin(), every_label.end()).size() == 77);
  // A smaller sample of the same seed is the beginning of a larger one.
  const auto some = labels({"random", 20, 3, {}}, space);
  CHECK(std::equal(some.begin(), some.end(), every_label.begin()));
}

TEST_CASE("strategies that cannot be made say why") {
  const search_space space = space_of(2, 2);
  const auto error = [&](const strategy_settings& settings) {
    return message_of([&] { (void)make_strategy(settings, space); });
  };
  CHECK(error({"exhaustiv", {}, {}, {"space.yaml", 9}}) ==
        "space.yaml:9: unknown strategy 'exhaustiv'; did you mean 'exhaustive'? (known: "
        "exhaustive, random, local, annealing, genetic, model)");
  CHECK(error({"random", {}, 1, {"space.yaml", 9}}) ==
        "space.yaml:9: strategy 'random' needs 'count', the number of configurations to draw");
  CHECK(error({"exhaustive", 3, {}, {}}) == "strategy 'exhaustive' has no 'count'; use 'random' for a sample");
}
