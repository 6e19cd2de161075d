// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "problems/compare/table.hpp"

using namespace mlmq;
using namespace mlmq::compare;
using Catch::Matchers::Contains;

namespace {

contestant_result row(const std::string& graph, const std::string& contestant, std::optional<double> median) {
  contestant_result result;
  result.workload = graph;
  result.workload_class = graph.starts_with("road") ? "road" : "mesh";
  result.device = "GPU";
  result.contestant = contestant;
  result.median_ms = median;
  result.outcome = median ? db::outcome::ok : db::outcome::timeout;
  result.message = median ? "" : "over 500 ms";
  result.samples = median ? 5 : 2;
  result.is_selected = contestant == "mlmq selected" || contestant == "mlmq selected = best";
  result.is_best = contestant == "mlmq best" || contestant == "mlmq selected = best";
  return result;
}

std::vector<contestant_result> three_graphs() {
  return {row("road1", "mlmq selected", 2), row("road1", "mlmq best", 1),          row("road1", "adds", 4),
          row("road2", "mlmq selected", 4), row("road2", "mlmq best", 2),          row("road2", "adds", 32),
          row("del1", "adds", {}),          row("del1", "mlmq selected = best", 5)};
}

std::string cell_of(const db::table& rows, const std::string& graph, const std::string& workload_class,
                    const std::string& contestant, const std::string& column) {
  for (const auto& cells : rows.rows) {
    if (cells[0].text != graph || cells[1].text != workload_class || cells[3].text != contestant) continue;
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
      if (rows.columns[i] == column) return cells[i].text;
    }
  }
  return "absent";
}

}  // namespace

TEST_CASE("rows of mlmq are named by how their configuration was chosen") {
  const auto named = [](std::vector<std::string> solvers, bool selector_chose) {
    std::vector<contestant_result> rows;
    for (const std::string& solver : solvers) rows.push_back(row("road1", solver, 1));
    name_ours(rows, selector_chose);
    std::string names;
    for (const contestant_result& result : rows) {
      names += fmt::format("{}{}{}, ", result.is_selected ? "*" : "", result.is_best ? "!" : "", result.contestant);
    }
    return names;
  };
  CHECK(named({"mlmq", "mlmq", "adds"}, true) == "*mlmq selected, !mlmq best, adds, ");
  CHECK(named({"mlmq", "adds"}, true) == "*!mlmq selected = best, adds, ");
  // The selector may choose a competitor's solver, which is then what a user gets.
  CHECK(named({"near_far", "mlmq", "near_far"}, true) == "*mlmq selected: near_far, !mlmq best, near_far, ");
  CHECK(named({"near_far", "adds"}, true) == "*mlmq selected: near_far, adds, ");
  CHECK(named({"delta_stepping", "dijkstra"}, false) == "delta_stepping, dijkstra, ");
  CHECK(named({}, true).empty());
}

TEST_CASE("ratios are to ours on the same graph, and their geometric means by class") {
  const db::table rows = make_table(three_graphs(), "pops/vertex");
  CHECK(cell_of(rows, "road1", "road", "adds", "/ selected") == "2");
  CHECK(cell_of(rows, "road1", "road", "adds", "/ best") == "4");
  CHECK(cell_of(rows, "road2", "road", "adds", "/ selected") == "8");
  CHECK(cell_of(rows, "road1", "road", "mlmq selected", "/ best") == "2");
  CHECK(std::stod(cell_of(rows, "geometric mean", "road", "adds", "/ selected")) == Approx(4));
  CHECK(std::stod(cell_of(rows, "geometric mean", "road", "adds", "/ best")) == Approx(8));
  CHECK(cell_of(rows, "geometric mean", "road", "adds", "outcome") == "2 of 2");
  CHECK(cell_of(rows, "geometric mean", "mesh", "adds", "outcome") == "0 of 1");
  CHECK(cell_of(rows, "geometric mean", "mesh", "adds", "/ best").empty());
  CHECK(cell_of(rows, "del1", "mesh", "adds", "outcome") == "timeout");
  CHECK(cell_of(rows, "del1", "mesh", "adds", "ms").empty());
  // A configuration that is both counts as both.
  CHECK(cell_of(rows, "geometric mean", "mesh", "mlmq selected", "/ best") == "1");
  CHECK(cell_of(rows, "geometric mean", "mesh", "mlmq best", "/ selected") == "1");
}

TEST_CASE("another source of a graph, and a processor, are compared with ours on the same graph and source") {
  std::vector<contestant_result> results = {row("road1", "mlmq selected = best", 2), row("road1", "dijkstra", 6)};
  results[1].device = "CPU";
  CHECK(cell_of(make_table(results, "pops/vertex"), "road1", "road", "dijkstra", "/ best") == "3");
  results[1].query = 7;
  CHECK(cell_of(make_table(results, "pops/vertex"), "road1", "road", "dijkstra", "/ best").empty());
}

TEST_CASE("modelled and measured times have no ratio") {
  std::vector<contestant_result> results = {row("road1", "mlmq selected = best", 2), row("road1", "dijkstra", 6),
                                            row("road1", "near_far", 4)};
  results[0].modelled = results[2].modelled = true;
  const db::table rows = make_table(results, "pops/vertex");
  CHECK(cell_of(rows, "road1", "road", "dijkstra", "/ best").empty());
  CHECK(cell_of(rows, "road1", "road", "near_far", "/ best") == "2");
  CHECK(cell_of(rows, "road1", "road", "near_far", "outcome") == "ok, modelled");
  CHECK_THAT(table_notes(results).back(), Contains("modelled"));
}

TEST_CASE("the table says how many parameter sets the best is of") {
  std::vector<contestant_result> results = {row("road1", "near_far", 2)};
  results[0].configuration = "threads=512";
  results[0].sets = 4;
  CHECK(cell_of(make_table(results, "pops/vertex"), "road1", "road", "near_far", "configuration") ==
        "threads=512 (best of 4)");
}

TEST_CASE("failures are explained") {
  CHECK(table_notes(three_graphs()).front() == "adds on del1, GPU: timeout: over 500 ms");
}

TEST_CASE("the formats show the same rows") {
  std::vector<contestant_result> results = three_graphs();
  results[0].median_ms = 2.123456789;
  results[0].configuration = "a|b";
  const db::table rows = make_table(results, "pops/vertex");
  const std::string aligned = render(rows, comparison_format::aligned);
  CHECK_THAT(aligned, Contains("2.12") && !Contains("2.123456789"));
  const std::string markdown = render(rows, comparison_format::markdown);
  CHECK_THAT(markdown,
             Contains("| workload | class |") && Contains("|---:|") && Contains("| 2.12 |") && Contains("a\\|b"));
  CHECK(std::count(markdown.begin(), markdown.end(), '\n') == static_cast<std::ptrdiff_t>(rows.rows.size()) + 2);
  const std::string csv = render(rows, comparison_format::csv);
  CHECK_THAT(csv, Contains("2.123456789") && Contains("workload,class,device"));
  CHECK(comparison_format_from("csv") == comparison_format::csv);
  CHECK_THROWS_AS(comparison_format_from("cvs"), input_error);
}
