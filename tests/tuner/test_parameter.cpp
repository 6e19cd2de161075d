// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "message.hpp"
#include "tuner/parameter.hpp"

using namespace mlmq::tuner;

namespace {

const std::vector<parameter_declaration>& declarations() {
  static const std::vector<parameter_declaration> list = {
      {"l1", value_type::text, binding::compile, std::string("none"), "queue of level 1", "", "", {"none", "vector"}},
      {"wb", value_type::integer, binding::compile, std::int64_t{8}, "", "", "l1 == vector", {}, 1, 64},
      {"delta", value_type::real, binding::launch, 4.0, "", "average_weight", "", {}, 0.25},
      {"counters", value_type::boolean, binding::compile, false, "", "", ""}};
  return list;
}

parameter integer(const std::string& name, const std::string& active_when, int line) {
  parameter p;
  p.declared.name = name;
  p.declared.default_value = std::int64_t{1};
  p.declared.when = active_when;
  p.values = {std::int64_t{1}, std::int64_t{2}};
  p.place = {"space.yaml", line};
  p.when_place = p.place;
  return p;
}

}  // namespace

TEST_CASE("a label reads back and is completed with defaults") {
  const auto set = parameter_set::from_declarations(declarations());
  CHECK(set.parse_label("").label() == "counters=false,delta=4,l1=none");
  CHECK(set.parse_label("l1=vector").label() == "counters=false,delta=4,l1=vector,wb=8");
  CHECK(set.parse_label(" delta = 2 , l1 = vector,wb=16").label() == "counters=false,delta=2,l1=vector,wb=16");
  CHECK(set.parse_label("delta=2").at("delta") == value(2.0));
  for (const char* label : {"counters=true,delta=0.3,l1=none", "counters=false,delta=1e+300,l1=vector,wb=64"}) {
    CHECK(set.parse_label(label).label() == label);
    CHECK(set.parse_label(set.parse_label(label).label()) == set.parse_label(label));
  }
}

TEST_CASE("a short label lists differences from the defaults, and reads back as the same configuration") {
  const auto set = parameter_set::from_declarations(declarations());
  CHECK(set.short_label(set.parse_label("")) == "defaults");
  CHECK(set.parse_label("defaults") == set.parse_label(""));
  CHECK(set.short_label(set.parse_label("l1=vector,wb=8")) == "l1=vector");
  CHECK(set.short_label(set.parse_label("l1=vector,wb=9,delta=0.3")) == "delta=0.3,l1=vector,wb=9");
  // A label that the set would complete differently is kept in full.
  configuration older;
  older.set("delta", 2.0);
  CHECK(set.short_label(older) == "delta=2");
  older.set("delta", 4.0);
  CHECK(set.short_label(older) == "delta=4");
  configuration other;
  other.set("delta", 4.0);
  other.set("gamma", std::int64_t{1});
  CHECK(set.short_label(other) == "delta=4,gamma=1");
}

TEST_CASE("a label that cannot be meant is refused") {
  const auto set = parameter_set::from_declarations(declarations());
  const auto error = [&](const char* label) { return message_of([&] { (void)set.parse_label(label); }); };
  CHECK(error("detla=2") == "unknown parameter 'detla'; did you mean 'delta'?");
  CHECK(error("delta") == "configuration 'delta': expected NAME=VALUE, got 'delta'");
  CHECK(error("delta=1,") == "configuration 'delta=1,': expected NAME=VALUE, got ''");
  CHECK(error("delta==1") == "configuration 'delta==1': expected NAME=VALUE, got 'delta==1'");
  CHECK(error("delta=1,delta=2") == "parameter 'delta' is given twice");
  CHECK(error("delta=x") == "parameter 'delta': 'x' is not a real; allowed: numbers from 0.25");
  CHECK(error("delta=0.125") == "parameter 'delta': 0.125 is out of range; allowed: numbers from 0.25");
  CHECK(error("l1=vector,wb=65") == "parameter 'wb': 65 is out of range; allowed: integers 1 to 64");
  CHECK(error("l1=vector,wb=2.5") == "parameter 'wb': '2.5' is not an integer; allowed: integers 1 to 64");
  CHECK(error("l1=vectro") == "parameter 'l1': unknown value 'vectro'; allowed: none, vector");
  CHECK(error("counters=1") == "parameter 'counters': '1' is not a boolean; allowed: true, false");
  CHECK(error("wb=16") == "parameter 'wb' does not apply here: it requires l1 == vector");
}

TEST_CASE("a preset stands for its values, which explicit values override") {
  constexpr std::array presets{preset{"paper-vector", "l1=vector,wb=16", "a paper"}, preset{"plain", "", "nobody"}};
  const auto set = parameter_set::from_declarations(declarations(), presets);
  CHECK(set.parse_label("preset=paper-vector").label() == "counters=false,delta=4,l1=vector,wb=16");
  CHECK(set.parse_label("delta=2,preset=paper-vector,wb=32").label() == "counters=false,delta=2,l1=vector,wb=32");
  CHECK(set.parse_label("preset=plain") == set.parse_label(""));
  // wb of the preset then has no meaning, but the label does not set it, so this is no error.
  CHECK(set.parse_label("preset=paper-vector,l1=none") == set.parse_label("l1=none"));
  configuration settings;
  settings.set("preset", std::string("paper-vector"));
  CHECK(set.complete(settings) == set.parse_label("l1=vector,wb=16"));
  // Tables show the name of the preset.
  CHECK(set.short_label(set.parse_label("l1=vector,wb=16")) == "preset=paper-vector");
  CHECK(set.short_label(set.parse_label("l1=vector")) == "l1=vector");

  const auto error = [&](const parameter_set& parameters, const char* label) {
    return message_of([&] { (void)parameters.parse_label(label); });
  };
  CHECK(error(set, "preset=paper-vectr") == "unknown preset 'paper-vectr'; did you mean 'paper-vector'?");
  CHECK(error(set, "preset=x") == "unknown preset 'x'; known: paper-vector, plain");
  CHECK(error(set, "preset=plain,preset=plain") == "parameter 'preset' is given twice");
  CHECK(error(set, "preset=plain,wb=16") == "parameter 'wb' does not apply here: it requires l1 == vector");
  CHECK(error(parameter_set::from_declarations(declarations()), "preset=x") == "this problem has no presets");
  CHECK(message_of([&] {
          (void)set.complete(settings = configuration({{"preset", std::int64_t{1}}}), {"a.yaml", 3});
        }) == "a.yaml:3: unknown preset '1'; known: paper-vector, plain");
}

TEST_CASE("a silent default is left out, and stands for the parameter where it is missing") {
  std::vector<parameter_declaration> declared = declarations();
  declared.push_back(
      {"solver", value_type::text, binding::compile, std::string("queue"), "", "", "", {"queue", "sort"}});
  declared.back().silent_default = true;
  declared.push_back({"depth", value_type::integer, binding::compile, std::int64_t{2}, "", "", "solver == queue"});
  const auto set = parameter_set::from_declarations(declared);
  CHECK(set.parse_label("").label() == "counters=false,delta=4,depth=2,l1=none");
  CHECK(set.parse_label("solver=queue") == set.parse_label(""));
  CHECK(set.parse_label("solver=sort").label() == "counters=false,delta=4,l1=none,solver=sort");
  const auto solver = static_cast<std::size_t>(set.find("solver") - set.parameters().data());
  const auto without = set.decided(set.parse_label(""));
  CHECK(without.active[solver] != 0);
  CHECK(without.numbers[solver].real() != set.decided(set.parse_label("solver=sort")).numbers[solver].real());
}

TEST_CASE("a silent default with a condition stands for the parameter only where that holds") {
  std::vector<parameter_declaration> declared = declarations();
  declared.push_back(
      {"mode", value_type::text, binding::compile, std::string("fixed"), "", "", "l1 == vector", {"fixed", "free"}});
  declared.back().silent_default = true;
  declared.push_back({"room", value_type::integer, binding::compile, std::int64_t{2}, "", "", "mode == fixed"});
  const auto set = parameter_set::from_declarations(declared);
  CHECK(set.parse_label("l1=vector").label() == "counters=false,delta=4,l1=vector,room=2,wb=8");
  CHECK(set.parse_label("l1=vector,mode=fixed") == set.parse_label("l1=vector"));
  CHECK(set.parse_label("l1=vector,mode=free").label() == "counters=false,delta=4,l1=vector,mode=free,wb=8");
  CHECK(set.parse_label("l1=none").label() == "counters=false,delta=4,l1=none");
  CHECK_THROWS_AS((void)set.parse_label("l1=none,mode=free"), mlmq::input_error);
  const auto mode = static_cast<std::size_t>(set.find("mode") - set.parameters().data());
  CHECK(set.decided(set.parse_label("l1=vector")).active[mode] != 0);
  CHECK(set.decided(set.parse_label("l1=none")).active[mode] == 0);
  CHECK(set.is_active("mode", set.parse_label("l1=vector")));
  CHECK(set.is_active("mode", set.parse_label("l1=vector,mode=free")));
  CHECK_FALSE(set.is_active("mode", set.parse_label("l1=none")));
  CHECK_FALSE(set.is_active("wb", set.parse_label("l1=none")));
  CHECK_FALSE(set.is_active("unheard_of", set.parse_label("l1=none")));
}

TEST_CASE("a configuration splits into compile-time and launch parameters") {
  const auto set = parameter_set::from_declarations(declarations());
  const auto parts = set.split(set.parse_label("l1=vector,delta=2"));
  CHECK(parts.compile.label() == "counters=false,l1=vector,wb=8");
  CHECK(parts.launch.label() == "delta=2");
  configuration foreign;
  foreign.set("x", true);
  CHECK_THROWS_AS((void)set.split(foreign), mlmq::work_error);
}

TEST_CASE("conditions order the parameters and otherwise leave their order") {
  std::vector<parameter> parameters = {integer("a", "c == 2", 1), integer("b", "", 2), integer("c", "d == 2", 3),
                                       integer("d", "", 4)};
  const parameter_set set(std::move(parameters));
  CHECK(std::vector<std::size_t>(set.order().begin(), set.order().end()) == std::vector<std::size_t>{1, 3, 2, 0});
  // a depends on c, which is inactive because d is 1.
  CHECK(set.parse_label("").label() == "b=1,d=1");
  CHECK(set.parse_label("d=2,c=2").label() == "a=1,b=1,c=2,d=2");
}

TEST_CASE("conditions that form a cycle are named") {
  CHECK(message_of([] {
          parameter_set({integer("x", "a == 1", 1), integer("a", "b == 1", 2), integer("b", "c == 1", 3),
                         integer("c", "a == 1", 4)});
        }) == "space.yaml:2: conditions ('when') form a cycle: a -> b -> c -> a");
  CHECK(message_of([] { parameter_set({integer("a", "a == 1", 1)}); }) ==
        "space.yaml:1: conditions ('when') form a cycle: a -> a");
}

TEST_CASE("bad parameters are refused") {
  CHECK(message_of([] { parameter_set({integer("a-b", "", 3)}); }) ==
        "space.yaml:3: 'a-b' is not a valid parameter name: use letters, digits and '_', but "
        "none of the words and, or, not, true, false, min, max, abs, ceil, floor, power_of_two, sizeof");
  CHECK(message_of([] {
          parameter_set({integer("a", "", 3), integer("a", "", 4)});
        }) == "space.yaml:4: parameter 'a' is given twice");
  CHECK(message_of([] {
          parameter p = integer("a", "", 3);
          p.values.clear();
          parameter_set({p});
        }) == "space.yaml:3: parameter 'a' has no values");
  CHECK(message_of([] {
          parameter p = integer("a", "", 3);
          p.values.emplace_back(std::int64_t{1});
          parameter_set({p});
        }) == "space.yaml:3: parameter 'a' has the value 1 twice");
  CHECK(message_of([] { parameter_set({integer("a", "b == 1", 3)}); }) ==
        "space.yaml:3: in 'b == 1' at 1: unknown name 'b'; did you mean 'a'?");
}

TEST_CASE("a declaration without a list takes any text") {
  const std::vector<parameter_declaration> free = {
      {"a", value_type::text, binding::compile, std::string("x"), "", "", ""},
      {"b", value_type::text, binding::compile, std::string("y"), "", "", ""},
      {"c", value_type::integer, binding::compile, std::int64_t{1}, "", "", "a == b"}};
  const auto set = parameter_set::from_declarations(free);
  CHECK(set.parse_label("a=new,b=new").label() == "a=new,b=new,c=1");
  CHECK(set.parse_label("a=new,b=other").label() == "a=new,b=other");
  CHECK(set.parse_label("a=two words").label() == R"(a="two words",b=y)");
  CHECK(message_of([&] { (void)set.parse_label("a="); }) == "parameter 'a': '' is not a text; allowed: text");
}

TEST_CASE("a configuration that breaks a limit is refused with its values and the reason") {
  const std::vector<parameter_declaration> declared = {
      {.name = "kind", .type = value_type::text, .default_value = "ring", .allowed = {"ring", "heap"}},
      {.name = "size",
       .default_value = std::int64_t{8},
       .minimum = 1,
       .maximum = 64,
       .limits = {{"power_of_two(size)", "a mask finds places"}}},
      {.name = "open",
       .default_value = std::int64_t{2},
       .when = "kind == ring",
       .minimum = 1,
       .maximum = 64,
       .silent_default = true,
       .limits = {{"open + 2 < size", "one place stays free"}}}};
  const auto set = parameter_set::from_declarations(declared);
  const auto error = [&](const char* label) { return message_of([&] { (void)set.parse_label(label); }); };
  CHECK(error("size=12") == "size=12 violates the limit 'power_of_two(size)': a mask finds places");
  CHECK(error("size=4") == "open=2,size=4 violates the limit 'open + 2 < size': one place stays free");
  CHECK(error("size=16,open=14") == "open=14,size=16 violates the limit 'open + 2 < size': one place stays free");
  CHECK(set.parse_label("size=16,open=13").label() == "kind=ring,open=13,size=16");
  // Without the other parameter, the joint limit does not apply.
  CHECK(set.parse_label("kind=heap,size=2").label() == "kind=heap,size=2");
  configuration recorded;
  recorded.set("kind", std::string("ring"));
  recorded.set("size", std::int64_t{4});
  CHECK(set.broken_limit(recorded) == error("size=4"));
  recorded.set("size", std::int64_t{8});
  CHECK(set.broken_limit(recorded) == "");
}

TEST_CASE("texts with commas, blanks, quotes and equals signs are in quotes in labels") {
  const std::vector<std::string> tiles = {"Tile<16,8>", "unsigned int", "a=b", "it's", "say \"x\\\"", "plain"};
  const parameter_declaration tile{"tile", value_type::text, binding::compile, tiles.front(), "", "", "", tiles};
  const parameter_declaration n{"n", value_type::integer, binding::compile, std::int64_t{1}};
  const parameter_set set = parameter_set::from_declarations(std::vector{tile, n});
  for (const std::string& text : tiles) {
    configuration c;
    c.set("tile", text);
    c.set("n", std::int64_t{2});
    INFO(c.label());
    CHECK(set.parse_label(c.label()) == c);
    CHECK(set.parse_label(set.short_label(c)) == c);
    CHECK(configuration::from_json(c.to_json()) == c);
  }
  CHECK(set.parse_label(R"( n = 3 , tile = "a=b" )").label() == R"(n=3,tile="a=b")");
  CHECK(set.parse_label("tile=unsigned int").label() == R"(n=1,tile="unsigned int")");
  for (const char* wrong : {R"(tile="Tile<16,8>)", R"(tile="a=b"x)", "tile=a=b", "=1", "n", "n=2,", R"(n="2")"}) {
    INFO(wrong);
    CHECK_THROWS_AS(set.parse_label(wrong), mlmq::input_error);
  }
}

TEST_CASE("names of the papers are suggested") {
  parameter_declaration first{"l1_delta", value_type::integer, binding::compile, std::int64_t{1}};
  first.symbol = "Δ, F";
  parameter_declaration second{"delta", value_type::integer, binding::compile, std::int64_t{1}};
  second.symbol = "Δ";
  const parameter_set set = parameter_set::from_declarations(std::vector{first, second});
  CHECK(message_of([&] { (void)set.parse_label("f=1"); }) == "unknown parameter 'f'; the papers' f is 'l1_delta'");
  CHECK(message_of([&] { (void)set.parse_label("Δ=1"); }) ==
        "unknown parameter 'Δ'; the papers' Δ is 'l1_delta' or 'delta'");
}

TEST_CASE("short labels show the parameters that a sweep varies") {
  const parameter_declaration l1{"l1", value_type::text,  binding::compile, std::string("vector"), "", "",
                                 "",   {"none", "vector"}};
  const parameter_declaration n{"n", value_type::integer, binding::compile, std::int64_t{1}};
  const parameter_set set = parameter_set::from_declarations(std::vector{l1, n});
  const std::vector<std::string> varied = {"l1"};
  CHECK(set.short_label(set.parse_label("n=2")) == "n=2");
  CHECK(set.short_label(set.parse_label("n=2"), varied) == "l1=vector,n=2");
  CHECK(set.short_label(set.parse_label(""), varied) == "l1=vector");
}
