// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "tuner/experiment_file.hpp"
#include "tuner/neighbourhood.hpp"

using namespace mlmq::tuner;

namespace {

search_space space_of(const std::string& parameters, const std::string& more = "") {
  return search_space(
      parse_experiment("name: n\nproblem: p\nparameters:\n" + parameters + more + "workloads: [{generate: path5}]\n",
                       "s")
          .space);
}

constexpr const char* conditional =
    "  l1: {values: [none, vector], bind: compile}\n"
    "  capacity: {values: [64, 128, 256], when: l1 == vector, bind: compile}\n"
    "  delta: {values: [1, 4, 16], bind: launch}\n";

configuration find(const search_space& space, const std::string& label) {
  for (std::uint64_t i = 0; i < space.count(); ++i) {
    if (space.at(i).label() == label) return space.at(i);
  }
  throw std::logic_error("no " + label);
}

std::vector<std::string> labels(const std::vector<configuration>& configurations) {
  std::vector<std::string> result;
  for (const configuration& c : configurations) result.push_back(c.label());
  std::ranges::sort(result);
  return result;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("neighbours differ in one parameter and in the parameters that depend on it") {
  const search_space space = space_of(conditional);
  const neighbourhood any(space, step_size::any);
  CHECK(labels(any.neighbours_of(find(space, "capacity=128,delta=4,l1=vector"))) ==
        names{"capacity=128,delta=1,l1=vector", "capacity=128,delta=16,l1=vector", "capacity=256,delta=4,l1=vector",
              "capacity=64,delta=4,l1=vector", "delta=4,l1=none"});
  CHECK(labels(any.neighbours_of(find(space, "delta=1,l1=none"))) ==
        names{"capacity=64,delta=1,l1=vector", "delta=16,l1=none", "delta=4,l1=none"});
}

TEST_CASE("with steps to the next value only the adjacent numbers are neighbours") {
  const search_space space = space_of(conditional);
  const neighbourhood next(space, step_size::next);
  CHECK(labels(next.neighbours_of(find(space, "capacity=64,delta=4,l1=vector"))) ==
        names{"capacity=128,delta=4,l1=vector", "capacity=64,delta=1,l1=vector", "capacity=64,delta=16,l1=vector",
              "delta=4,l1=none"});
}

TEST_CASE("neighbours keep the restrictions, and new parameters get allowed values") {
  const search_space space = space_of(conditional, "restrictions: [capacity >= 16 * delta]\n");
  const neighbourhood any(space, step_size::any);
  CHECK(labels(any.neighbours_of(find(space, "delta=16,l1=none"))) ==
        names{"capacity=256,delta=16,l1=vector", "delta=1,l1=none", "delta=4,l1=none"});
  CHECK(labels(any.neighbours_of(find(space, "capacity=64,delta=4,l1=vector"))) ==
        names{"capacity=128,delta=4,l1=vector", "capacity=256,delta=4,l1=vector", "capacity=64,delta=1,l1=vector",
              "delta=4,l1=none"});
  for (std::uint64_t i = 0; i < space.count(); ++i) {
    for (const configuration& c : any.neighbours_of(space.at(i))) CHECK(space.contains(c));
  }
}

TEST_CASE("a parameter that is not varied everywhere keeps its default there, and is still left and reached") {
  const std::vector<parameter_declaration> declarations = {
      {.name = "l1", .type = value_type::text, .default_value = value("none"), .allowed = {"none", "vector"}},
      {.name = "wb", .default_value = value(std::int64_t{16})}};
  const search_space space(
      parse_experiment("name: n\nproblem: p\nparameters:\n  l1: [none, vector]\n"
                       "  wb: {values: [2, 8], when: l1 == vector}\nworkloads: [{generate: path5}]\n",
                       "s")
          .space,
      declarations);
  const neighbourhood any(space, step_size::any);
  CHECK(labels(any.neighbours_of(find(space, "l1=none,wb=16"))) == names{"l1=vector,wb=8"});
  CHECK(labels(any.neighbours_of(find(space, "l1=vector,wb=2"))) == names{"l1=none,wb=16", "l1=vector,wb=8"});
}

TEST_CASE("every configuration of a connected space is reached by steps") {
  const search_space space = space_of(conditional, "restrictions: [capacity >= 16 * delta]\n");
  for (const step_size step : {step_size::any, step_size::next}) {
    const neighbourhood near(space, step);
    std::set<configuration> reached = {space.at(0)};
    std::vector<configuration> open = {space.at(0)};
    while (!open.empty()) {
      const configuration c = open.back();
      open.pop_back();
      for (const configuration& other : near.neighbours_of(c)) {
        if (reached.insert(other).second) open.push_back(other);
      }
    }
    CHECK(reached.size() == space.count());
  }
}

TEST_CASE("the nearest configuration has the wished values as far as the space has them") {
  const search_space space = space_of(conditional, "restrictions: [capacity >= 16 * delta]\n");
  const neighbourhood any(space, step_size::any);
  const auto nearest = [&](configuration::map wished) {
    return any.nearest(configuration(std::move(wished)))->label();
  };
  CHECK(nearest({{"l1", value("vector")}, {"capacity", value(std::int64_t{200})}, {"delta", value(std::int64_t{3})}}) ==
        "capacity=256,delta=4,l1=vector");
  CHECK(nearest({{"l1", value("none")}, {"capacity", value(std::int64_t{64})}, {"delta", value(std::int64_t{99})}}) ==
        "delta=16,l1=none");
  CHECK(nearest({{"l1", value("vector")}, {"delta", value(std::int64_t{16})}}) == "capacity=256,delta=16,l1=vector");
  // Values that the restrictions forbid are replaced.
  CHECK(nearest({{"l1", value("vector")}, {"capacity", value(std::int64_t{64})}, {"delta", value(std::int64_t{16})}}) ==
        "capacity=64,delta=4,l1=vector");
  CHECK(space.contains(*any.nearest({})));
}

TEST_CASE("in a list of configurations those are neighbours that differ in one parameter") {
  const search_space whole = space_of(conditional);
  std::vector<configuration> some;
  for (const char* label : {"capacity=64,delta=1,l1=vector", "capacity=64,delta=4,l1=vector", "delta=4,l1=none"}) {
    some.push_back(find(whole, label));
  }
  const search_space list = search_space::of_list(some);
  CHECK(list.count() == 3);
  const neighbourhood any(list, step_size::any);
  CHECK(labels(any.neighbours_of(some[0])) == names{"capacity=64,delta=4,l1=vector"});
  CHECK(labels(any.neighbours_of(some[1])) == names{"capacity=64,delta=1,l1=vector", "delta=4,l1=none"});
  CHECK(any.nearest(find(whole, "capacity=256,delta=4,l1=vector"))->label() == "capacity=64,delta=4,l1=vector");
}
