// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tuner/parameter_values.hpp"

using namespace mlmq::tuner;

namespace {

const std::vector<parameter_declaration>& declarations() {
  static const std::vector<parameter_declaration> list = {
      {.name = "l1",
       .type = value_type::text,
       .default_value = "none",
       .allowed = {"none", "vector"},
       .macro = {.name = "L1", .prefix = "l1_"}},
      {.name = "capacity",
       .default_value = 128,
       .when = "l1 == vector",
       .inactive = 0,
       .macro = {.name = "CAPACITY", .kernels = {"multi", "other"}}},
      {.name = "mode",
       .type = value_type::text,
       .default_value = "static",
       .allowed = {"dynamic", "static"},
       .macro = {.name = "DYNAMIC", .one_for = "dynamic", .kernels = {"other"}}},
      {.name = "first", .type = value_type::boolean, .default_value = true, .macro = {.name = "FIRST"}},
      {.name = "delta", .type = value_type::real, .bind = binding::launch, .default_value = 4.0},
  };
  return list;
}

using macros = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("parameters that a configuration omits have their inactive value, or their default") {
  const configuration chosen;
  const parameter_values values(declarations(), chosen);
  CHECK(values.text("l1") == "none");
  CHECK(values.whole("capacity") == 0);
  CHECK(values.flag("first"));
  CHECK(values.real("delta") == 4);
}

TEST_CASE("explicit values of a configuration count") {
  configuration chosen;
  chosen.set("capacity", 64);
  chosen.set("first", false);
  chosen.set("delta", 0.5);
  const parameter_values values(declarations(), chosen);
  CHECK(values.whole("capacity") == 64);
  CHECK_FALSE(values.flag("first"));
  CHECK(values.real("delta") == 0.5);
}

TEST_CASE("a kernel gets the macros that it reads") {
  configuration chosen;
  chosen.set("l1", "vector");
  chosen.set("capacity", 64);
  chosen.set("mode", "dynamic");
  chosen.set("first", false);
  const parameter_values values(declarations(), chosen);
  CHECK(values.macros("multi") == macros{{"L1", "l1_vector"}, {"CAPACITY", "64"}, {"FIRST", "0"}});
  CHECK(values.macros("other") == macros{{"L1", "l1_vector"}, {"CAPACITY", "64"}, {"DYNAMIC", "1"}, {"FIRST", "0"}});
  CHECK(values.macros("third") == macros{{"L1", "l1_vector"}, {"FIRST", "0"}});
  const configuration none;
  CHECK(parameter_values(declarations(), none).macros("other") ==
        macros{{"L1", "l1_none"}, {"CAPACITY", "0"}, {"DYNAMIC", "0"}, {"FIRST", "1"}});
}

TEST_CASE("the macro of a real parameter is real") {
  const std::vector<parameter_declaration> reals = {
      {.name = "scale", .type = value_type::real, .default_value = std::int64_t{2}, .macro = {.name = "SCALE"}}};
  const auto macro_of = [&](const value& v) {
    configuration chosen;
    chosen.set("scale", v);
    return parameter_values(reals, chosen).macros("any").at("SCALE");
  };
  CHECK(macro_of(2.0) == "2.0");
  CHECK(macro_of(-0.5) == "-0.5");
  CHECK(macro_of(1e30) == "1e+30");
  CHECK(macro_of(std::int64_t{3}) == "3.0");
  CHECK(parameter_values(reals, {}).macros("any").at("SCALE") == "2.0");
}

TEST_CASE("an undeclared parameter, or one of another type, is an error of the program") {
  const configuration chosen;
  const parameter_values values(declarations(), chosen);
  CHECK_THROWS_AS(values.whole("colour"), mlmq::work_error);
  CHECK_THROWS_AS(values.whole("l1"), mlmq::work_error);
  CHECK_THROWS_AS(values.text("delta"), mlmq::work_error);
}

TEST_CASE("declarations that contradict themselves are refused") {
  const auto check_refused = [](parameter_declaration declared) {
    CHECK_THROWS_AS(parameter_set::from_declarations(std::vector{declared}), mlmq::work_error);
  };
  check_refused({.name = "a", .bind = binding::launch, .default_value = 1, .macro = {.name = "A"}});
  check_refused({.name = "a", .default_value = 1, .macro = {.name = "A", .prefix = "a_"}});
  check_refused({.name = "a", .default_value = 1, .macro = {.name = "A", .one_for = "x"}});
  check_refused({.name = "a", .default_value = 1, .inactive = 0.5});
}
