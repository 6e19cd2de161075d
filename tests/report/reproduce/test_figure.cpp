// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "report/reproduce/figure.hpp"
#include "tests/report/reproduce/fixture.hpp"

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

TEST_CASE("a figure names its sweeps, its script and the values of the paper") {
  const figure_folder folder;
  const figure parsed = parse(folder, good);
  CHECK(parsed.name == "paper/fig8");
  CHECK(parsed.file_stem() == "paper_fig8");
  CHECK(parsed.problem == "bfs");
  REQUIRE(parsed.sweeps.size() == 2);
  CHECK(parsed.sweeps[0].file == folder.path() / "sweep.yaml");
  CHECK(parsed.sweeps[0].place == sweep_place::device);
  CHECK(parsed.sweeps[1].place == sweep_place::processors);
  CHECK(parsed.recorded == std::vector<std::string>{"another_sweep", "another_cpu"});
  CHECK(parsed.plot == "draw.py");
  CHECK(parsed.quick == std::vector<std::string>{"road8", "del7"});
  CHECK(parsed.needs_selector);
  CHECK(parsed.paper == std::vector<paper_number>{{.measure = "speed",
                                                   .description = "speed-up",
                                                   .value = 1.87,
                                                   .text = "",
                                                   .unit = "x",
                                                   .measured_on = "A100"},
                                                  {.measure = "best",
                                                   .description = "best one",
                                                   .value = {},
                                                   .text = "L1V-L2V",
                                                   .unit = "",
                                                   .measured_on = ""}});
}

TEST_CASE("small workloads may stand in a file, which is found from the figure's") {
  const figure_folder folder;
  folder.write("quick/models.yaml", "");
  const figure parsed = parse(folder, with("[road8, del7]", "[quick/models.yaml, road8]"));
  CHECK(parsed.quick == std::vector<std::string>{(folder.path() / "quick/models.yaml").string(), "road8"});
  CHECK_THROWS_WITH(parse(folder, with("[road8, del7]", "[quick/mdels.yaml]")),
                    Contains(":9: ") && Contains("there is no file") && Contains("quick/mdels.yaml"));
}

TEST_CASE("a paper may state no number, and most keys have defaults") {
  const figure_folder folder;
  const figure parsed = parse(folder, R"(figure: paper/table1
title: t
finding: f
sweeps: [{file: sweep.yaml, on: device}, {file: sweep.yaml, on: gpu}]
plot: draw.py
quick: [road8]
paper: []
)");
  CHECK(parsed.paper.empty());
  CHECK(parsed.sweeps[1].place == sweep_place::gpu);
  CHECK(parsed.problem == "sssp");
  CHECK_FALSE(parsed.needs_selector);
}

TEST_CASE("a mistake in a figure names its line") {
  const figure_folder folder;
  const auto check_refused = [&](const std::string& old_text, const std::string& new_text, const std::string& says,
                                 int line) {
    INFO(new_text);
    try {
      (void)parse(folder, with(old_text, new_text));
      FAIL("accepted");
    } catch (const input_error& error) {
      CHECK_THAT(error.what(), StartsWith((folder.path() / "f.yaml").string() + ":" + std::to_string(line) + ": "));
      CHECK_THAT(error.what(), Contains(says));
    }
  };
  check_refused("paper/fig8", "fig8", "PAPER/figN", 1);
  check_refused("paper/fig8", "paper/plot8", "PAPER/figN", 1);
  check_refused("title:", "titel:", "titel", 2);
  check_refused("file: sweep.yaml}", "file: other.yaml}", "there is no file " + (folder.path() / "other.yaml").string(),
                6);
  check_refused("on: processors", "on: mars", "got 'mars'", 7);
  check_refused("draw.py", "../draw.py", "plots/", 8);
  check_refused("draw.py", "draw.sh", "plots/", 8);
  check_refused("[road8, del7]", "[]", "at least one workload", 9);
  check_refused("value: 1.87", "value: fast", "value", 12);
  check_refused(", value: 1.87", "", "either 'value', a number, or 'text'", 12);
  check_refused("text: L1V-L2V", "text: L1V-L2V, value: 3", "either 'value', a number, or 'text'", 13);
  check_refused("  - {file: sweep.yaml}\n", "", "has to be on the device", 5);
}

TEST_CASE("a figure whose file is not there") {
  CHECK_THROWS_WITH(load_figure("/nowhere/f.yaml"), Contains("/nowhere/f.yaml"));
}
