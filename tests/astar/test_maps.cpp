// SPDX-License-Identifier: Apache-2.0
// Maps, scenarios, generated maps and queries, and the errors of invalid ones.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/files.hpp"
#include "problems/astar/generate.hpp"
#include "problems/astar/map_file.hpp"
#include "problems/astar/pairs.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace mlmq;
using namespace mlmq::astar;
using Catch::Contains;

namespace {

const std::filesystem::path maps = MLMQ_ASTAR_MAPS;

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const input_error& error) {
    const std::string text = error.what();
    CHECK(text.find('\n') == std::string::npos);
    return text;
  }
  return "no error";
}

std::string map_error(const std::string& text) {
  const tests::scratch_folder folder;
  const std::string file = folder.write("m.map", text);
  return error_of([&] { (void)read_map(file, corner_rule::none); });
}

std::string scenario_error(const std::string& text) {
  const tests::scratch_folder folder;
  const std::string file = folder.write("m.scen", text);
  const grid map = read_map(maps / "tiny.map", corner_rule::none);
  return error_of([&] { (void)read_scenarios(file, map, "tiny.map"); });
}

std::unique_ptr<tuner::workload> loaded(const std::string& generated) {
  tuner::workload_input input{.name = "", .file = "", .generated = generated};
  grid_kind().describe(input, {});
  return grid_kind().load(input);
}

tuner::setting setting_of(const std::string& name, const std::string& value) {
  return {.name = name, .values = {value}, .place = {.file = "e.yaml", .line = 3}};
}

}  // namespace

TEST_CASE("a map is read with its legal steps by both corner rules") {
  const grid none = read_map(maps / "tiny.map", corner_rule::none);
  CHECK(none.width() == 9);
  CHECK(none.height() == 6);
  CHECK(none.column_bits() == 4);
  CHECK(none.is_free(none.cell(4, 4)));  // G
  CHECK_FALSE(none.is_free(none.cell(5, 1)));
  CHECK_FALSE(none.is_free(none.cell(7, 2)));
  // From 0,0 there are steps to the east and to the south; the diagonal step ends on an obstacle.
  CHECK(none.moves(none.cell(0, 0)) == 0b101);
  // From 4,1 there are all steps to the north and to the south; the diagonal step to 3,2 passes 3,1.
  const grid cut = read_map(maps / "tiny.map", corner_rule::cut);
  CHECK((none.moves(none.cell(4, 1)) >> 3 & 1) == 0);
  CHECK((cut.moves(cut.cell(4, 1)) >> 3 & 1) == 1);
  for (std::uint32_t cell = 0; cell < cut.numbers(); ++cell) {
    for (unsigned d = 0; d < 8; ++d) {
      if ((cut.moves(cell) >> d & 1) != 0) CHECK((cut.moves(cut.after_step(cell, d)) >> (d ^ 4U) & 1) == 1);
    }
  }
}

TEST_CASE("a single cell is a valid map, and a carriage return is not part of a row") {
  const tests::scratch_folder folder;
  const grid map =
      read_map(folder.write("m.map", "type octile\r\nheight 1\r\nwidth 1\r\nmap\r\n.\r\n"), corner_rule::none);
  CHECK(map.free_cells() == 1);
  CHECK(map.numbers() == 1);
  CHECK(map.moves(0) == 0);
}

TEST_CASE("an invalid map gives a one-line error with the place") {
  CHECK_THAT(map_error(""), Contains("m.map: the file is empty"));
  CHECK_THAT(map_error("type tile\n"), Contains("m.map:1: ") && Contains("'tile'") && Contains("octile"));
  CHECK_THAT(map_error("PNG\n"), Contains("m.map:1: ") && Contains("type octile"));
  CHECK_THAT(map_error("type octile\nheight 2\n"), Contains("the file ends before the line 'width N'"));
  CHECK_THAT(map_error("type octile\nheight x\n"), Contains("m.map:2: ") && Contains("'height N'"));
  CHECK_THAT(map_error("type octile\nheight 2\nwidth 65536\nmap\n"),
             Contains("m.map:3: ") && Contains("65536") && Contains("16384"));
  CHECK_THAT(map_error("type octile\nheight 0\n"), Contains("m.map:2: "));
  CHECK_THAT(map_error("type octile\nheight 2\nwidth 2\n..\n"), Contains("m.map:4: expected 'map'"));
  CHECK_THAT(map_error("type octile\nheight 2\nwidth 2\nmap\n..\n"), Contains("the file ends after 1 of 2 rows"));
  CHECK_THAT(map_error("type octile\nheight 2\nwidth 2\nmap\n..\n.\n"), Contains("m.map:6: a row of 1 letters"));
  CHECK_THAT(map_error("type octile\nheight 1\nwidth 2\nmap\n.x\n"),
             Contains("m.map:5: unknown letter 'x' in column 1"));
  CHECK_THAT(map_error("type octile\nheight 1\nwidth 2\nmap\n..\n..\n"),
             Contains("m.map:6: unexpected text after the 1 rows"));
  CHECK_THAT(error_of([] { (void)read_map("/nowhere/m.map", corner_rule::none); }), Contains("/nowhere/m.map"));
}

TEST_CASE("invalid scenarios give a one-line error with the place") {
  const std::string head = "version 1\n";
  CHECK_THAT(scenario_error(""), Contains("m.scen: the file is empty"));
  CHECK_THAT(scenario_error(head), Contains("no scenarios"));
  CHECK_THAT(scenario_error("0 tiny.map\n"), Contains("m.scen:1: expected 'version 1'"));
  CHECK_THAT(scenario_error(head + "0\ttiny.map\t9\t6\t0\t0\t1\t0\n"),
             Contains("m.scen:2: expected the 9 fields of a scenario, got 8"));
  CHECK_THAT(scenario_error(head + "0\tx/other.map\t9\t6\t0\t0\t1\t0\t1\n"), Contains("other.map, not for tiny.map"));
  CHECK_THAT(scenario_error(head + "0\ttiny.map\t8\t6\t0\t0\t1\t0\t1\n"),
             Contains("8 x 6 cells, but tiny.map has 9 x 6"));
  CHECK_THAT(scenario_error(head + "0\ttiny.map\t9\t6\t9\t0\t1\t0\t1\n"), Contains("the start 9,0 is outside the map"));
  CHECK_THAT(scenario_error(head + "0\ttiny.map\t9\t6\t0\t0\t1\t1\t1\n"), Contains("the goal 1,1 is on an obstacle"));
  CHECK_THAT(scenario_error(head + "0\ttiny.map\t9\t6\t-1\t0\t1\t0\t1\n"), Contains("the start's column '-1'"));
  CHECK_THAT(scenario_error(head + "0\ttiny.map\t9\t6\t0\t0\t1\t0\tnan\n"), Contains("the length 'nan'"));
}

TEST_CASE("generated maps are equal for equal names and as dense as the paper's; invalid names give a one-line error") {
  const grid map = generate(recipe_of("grid256"));
  CHECK(map.corners() == corner_rule::cut);
  const double blocked = 1 - static_cast<double>(map.free_cells()) / (256.0 * 256.0);
  CHECK(blocked == Approx(0.312).margin(0.01));
  CHECK(generate(recipe_of("grid256:density=0.2:eta=1:seed=1:corners=cut")).all_moves() == map.all_moves());
  CHECK(generate(recipe_of("grid256:seed=2")).all_moves() != map.all_moves());
  CHECK(text_of(recipe_of("grid8x5:corners=none")) == "grid8x5:density=0.2:eta=1:seed=1:corners=none");
  CHECK(generate(recipe_of("grid8x5:density=0")).free_cells() == 40);
  for (const char* const wrong :
       {"grid", "grid0", "grid65536", "grid8x", "grid8:density=-1", "grid8:density=x", "grid8:eta=0", "grid8:seed=-1",
        "grid8:corners=some", "grid8:dense=1", "grid8:seed=1:seed=2"}) {
    CAPTURE(wrong);
    CHECK_THAT(error_of([&] { (void)recipe_of(wrong); }), Contains(std::string("'") + wrong + "'"));
  }
}

TEST_CASE("queries are drawn pairs, equal for equal seeds, or scenarios known by their content") {
  const auto generated = loaded("grid20");
  const grid_workload& drawn = grid_of(*generated);
  const auto pairs =
      queries_of(drawn, {{.settings = {setting_of("pairs", "7")}}, {.settings = {setting_of("pairs", "7")}}});
  REQUIRE(pairs.size() == 1);
  CHECK(pairs.front().text() == "pairs=7:seed=1");
  const search_set set = searches_of(drawn, pairs.front());
  CHECK(set.pairs.size() == 7);
  CHECK(set.printed.empty());
  CHECK(searches_of(drawn, tuner::query::parse("pairs=7:seed=1")).pairs == set.pairs);
  CHECK(searches_of(drawn, tuner::query::parse("pairs=7:seed=2")).pairs != set.pairs);
  for (const cell_pair& pair : set.pairs) CHECK((drawn.map.is_free(pair.start) && drawn.map.is_free(pair.goal)));

  tuner::workload_input input{.name = "", .file = (maps / "tiny.map").string(), .generated = ""};
  grid_kind().describe(input, {});
  const auto from_file = grid_kind().load(input);
  const grid_workload& tiny = grid_of(*from_file);
  const auto listed = queries_of(tiny, {{.settings = {setting_of("scenarios", "own"), setting_of("count", "5")}}});
  REQUIRE(listed.size() == 1);
  CHECK_THAT(listed.front().text(), Contains("count=5:first=0:scenarios=tiny.map.scen"));
  CHECK(searches_of(tiny, listed.front()).printed.size() == 5);

  const auto query_error = [&](const grid_workload& workload, const char* text) {
    return error_of([&] { (void)searches_of(workload, tuner::query::parse(text)); });
  };
  CHECK_THAT(query_error(tiny, "scenarios=tiny.map.scen:content=0123456789abcdef:first=0:count=1"),
             Contains("is not that of the query"));
  CHECK_THAT(query_error(tiny, "scenarios=none.scen:content=0:first=0:count=1"), Contains("none.scen: no such file"));
  CHECK_THAT(query_error(drawn, "scenarios=a.scen:content=0:first=0:count=1"), Contains("generated"));
  CHECK_THAT(query_error(drawn, "pairs=0:seed=1"), Contains("expected 1 to"));
  CHECK_THAT(query_error(drawn, "pairs=1:seed=1:more=2"), Contains("expected pairs and seed"));
  CHECK_THAT(query_error(drawn, "concurrent=1:pairs=1:seed=1:more=2"), Contains("expected pairs and seed"));
  CHECK_THAT(query_error(drawn, "concurrent=2:pairs=1:seed=1"), Contains("expected 1 to 1"));
  const auto rule_error = [&](std::vector<tuner::setting> settings) {
    return error_of([&] { (void)queries_of(tiny, {{.settings = std::move(settings), .place = {"e.yaml", 2}}}); });
  };
  CHECK_THAT(rule_error({setting_of("pair", "1")}), Contains("e.yaml:3: ") && Contains("did you mean 'pairs'"));
  CHECK_THAT(rule_error({setting_of("pairs", "0")}), Contains("e.yaml:3: 'pairs'"));
  CHECK_THAT(rule_error({setting_of("first", "0")}), Contains("it requires 'scenarios'"));
  CHECK_THAT(rule_error({setting_of("scenarios", "own"), setting_of("seed", "0")}),
             Contains("cannot be combined with"));
  CHECK_THAT(rule_error({setting_of("scenarios", "own"), setting_of("first", "999")}), Contains("e.yaml:3: 'first'"));
  CHECK_THAT(rule_error({setting_of("scenarios", "own"), setting_of("count", "999")}), Contains("e.yaml:3: 'count'"));
  CHECK_THAT(rule_error({setting_of("scenarios", "../tiny.map.scen")}), Contains("the name of a file"));
  const auto full = loaded("grid4:density=4:eta=0.001");
  REQUIRE(grid_of(*full).map.free_cells() == 0);
  CHECK_THAT(error_of([&] { (void)queries_of(grid_of(*full), {}); }), Contains("no free cell"));
}

TEST_CASE("features describe a map") {
  tuner::workload_input input{.name = "", .file = "", .generated = "grid32:density=0"};
  grid_kind().describe(input, {});
  const auto open = grid_kind().load(input);
  CHECK(open->record.feature("blocked") == 0);
  CHECK(open->record.feature("cells") == 1024);
  CHECK(open->record.feature("free_run") == 32);
  CHECK(open->record.feature("largest_component") == 1);
  CHECK(open->record.feature("reachable") == 1);
  CHECK(*open->record.feature("probe_ratio") == Approx(1));
  CHECK(open->record.family == "grid32:density=0:eta=1");
  const auto rough = loaded("grid32:density=0.4:corners=none");
  CHECK(*rough->record.feature("blocked") > 0.4);
  CHECK(*rough->record.feature("reachable") < 1);
  CHECK(rough->record.hash != loaded("grid32:density=0.4")->record.hash);
}

TEST_CASE("every feature has a meaning, in the order of the record") {
  const auto map = loaded("grid9");
  const auto definitions = grid_kind().features().definitions();
  REQUIRE(map->record.features.size() == definitions.size());
  for (std::size_t i = 0; i < definitions.size(); ++i) CHECK(map->record.features[i].first == definitions[i].name);
}
