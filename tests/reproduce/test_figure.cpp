// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "reproduce/figure.hpp"
#include "tests/reproduce/fixture.hpp"

using namespace mlmq;
using namespace mlmq::reproduce;
using namespace mlmq::reproduce::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

figure parse(const figure_folder& folder, const std::string& text) {
  return parse_figure(text, folder.path() / "f.yaml");
}

}  // namespace

TEST_CASE("a figure says what is measured, what draws it and what the paper states") {
  const figure_folder folder;
  const figure made = parse(folder, good);
  CHECK(made.name == "paper/fig8");
  CHECK(made.file_stem() == "paper_fig8");
  CHECK(made.problem == "bfs");
  REQUIRE(made.sweeps.size() == 2);
  CHECK(made.sweeps[0].file == folder.path() / "sweep.yaml");
  CHECK_FALSE(made.sweeps[0].on_processors);
  CHECK(made.sweeps[1].on_processors);
  CHECK(made.plot == "draw.py");
  CHECK(made.quick == std::vector<std::string>{"road8", "del7"});
  CHECK(made.needs_selector);
  CHECK(made.paper ==
        std::vector<paper_number>{
            {.measure = "speed", .what = "speed-up", .value = 1.87, .text = "", .unit = "x", .where = "A100"},
            {.measure = "best", .what = "best one", .value = {}, .text = "L1V-L2V", .unit = "", .where = ""}});
}

TEST_CASE("small workloads may stand in a file, which is found from the figure's") {
  const figure_folder folder;
  folder.write("quick/models.yaml", "");
  const figure made = parse(folder, with("[road8, del7]", "[quick/models.yaml, road8]"));
  CHECK(made.quick == std::vector<std::string>{(folder.path() / "quick/models.yaml").string(), "road8"});
  CHECK_THROWS_WITH(parse(folder, with("[road8, del7]", "[quick/mdels.yaml]")),
                    Contains(":9: ") && Contains("there is no file") && Contains("quick/mdels.yaml"));
}

TEST_CASE("a paper may state no number, and most keys have defaults") {
  const figure_folder folder;
  const figure made = parse(folder, R"(figure: paper/table1
title: t
finding: f
sweeps: [{file: sweep.yaml, on: device}]
plot: draw.py
quick: [road8]
paper: []
)");
  CHECK(made.paper.empty());
  CHECK(made.problem == "sssp");
  CHECK_FALSE(made.needs_selector);
}

TEST_CASE("a mistake in a figure names its line") {
  const figure_folder folder;
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& says, int line) {
    INFO(to);
    try {
      (void)parse(folder, with(from, to));
      FAIL("accepted");
    } catch (const input_error& error) {
      CHECK_THAT(error.what(), StartsWith((folder.path() / "f.yaml").string() + ":" + std::to_string(line) + ": "));
      CHECK_THAT(error.what(), Contains(says));
    }
  };
  refused("paper/fig8", "fig8", "PAPER/figN", 1);
  refused("paper/fig8", "paper/plot8", "PAPER/figN", 1);
  refused("title:", "titel:", "titel", 2);
  refused("file: sweep.yaml}", "file: other.yaml}", "there is no file " + (folder.path() / "other.yaml").string(), 6);
  refused("on: processors", "on: mars", "got 'mars'", 7);
  refused("draw.py", "../draw.py", "plots/", 8);
  refused("draw.py", "draw.sh", "plots/", 8);
  refused("[road8, del7]", "[]", "at least one workload", 9);
  refused("value: 1.87", "value: fast", "value", 12);
  refused(", value: 1.87", "", "either 'value', a number, or 'text'", 12);
  refused("text: L1V-L2V", "text: L1V-L2V, value: 3", "either 'value', a number, or 'text'", 13);
  refused("  - {file: sweep.yaml}\n", "", "has to be on the device", 5);
}

TEST_CASE("a figure whose file is not there") {
  CHECK_THROWS_WITH(load_figure("/nowhere/f.yaml"), Contains("/nowhere/f.yaml"));
}
