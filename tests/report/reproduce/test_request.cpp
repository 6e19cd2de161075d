// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "report/reproduce/plotting.hpp"
#include "tests/report/reproduce/fixture.hpp"

using namespace mlmq::reproduce;
using namespace mlmq::reproduce::tests;

TEST_CASE("a request tells a script everything") {
  const figure_folder folder;
  const figure parsed = parse_figure(good, folder.path() / "f.yaml");
  plot_request request;
  request.database = "/data/results.sqlite";
  request.origin = data_origin::recorded;
  request.device = "d1";
  request.processors = "c1";
  request.experiments = {"paper_fig8"};
  request.workloads = {"g1", "g2"};
  request.picks = "/data/picks.csv";
  request.incomplete = true;
  request.width = "column";
  request.stamp = false;
  CHECK(nlohmann::json::parse(to_json(parsed, request)) == nlohmann::json::parse(R"({
    "figure": "paper/fig8", "title": "A title", "problem": "bfs", "database": "/data/results.sqlite", "recorded": true,
    "device": "d1", "processors": "c1", "experiments": ["paper_fig8"], "workloads": ["g1", "g2"],
    "picks": "/data/picks.csv", "incomplete": true, "width": "column", "stamp": false,
    "paper": [{"measure": "speed", "what": "speed-up", "value": 1.87, "unit": "x", "where": "A100"},
              {"measure": "best", "what": "best one", "text": "L1V-L2V", "unit": "", "where": ""}]})"));
}

TEST_CASE("the files of a figure are in one folder") {
  const figure_folder folder;
  const figure_files files = files_of(parse_figure(good, folder.path() / "f.yaml"), "out");
  CHECK(files.request == "out/paper_fig8.json");
  CHECK(files.picks == "out/paper_fig8.picks.csv");
}
