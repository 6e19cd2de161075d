// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_bounded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/json_output.hpp"
#include "cli/output_file.hpp"
#include "cli/solve_many.hpp"
#include "cli/vertex_files.hpp"
#include "graph/check.hpp"

namespace mlmq::cli {
namespace {

/// More are for a file.
constexpr std::size_t most_shown = 20;

}  // namespace

int solve_bounded(device& where, const digraph& graph, vertex source, const bounded_request& asked) {
  const teller tell = asked.results.tell(asked.output);
  batch_options how{.cutoff = asked.cutoff, .time_limit_ms = asked.time_limit_ms, .check = asked.check};
  if (!asked.targets.empty()) how.targets = listed_vertices(graph, "--targets", asked.targets);
  if (asked.configuration != "auto") {
    check_batch_configuration(asked.configuration);
    how.configurations = {asked.configuration};
  }
  std::vector<double> distances;
  solver search(where, graph, asked.kind);
  const batch_summary done = search.solve_many(std::array{source}, how, [&](const distance_rows& found) {
    for (std::size_t i = 0; i < found.columns; ++i) distances.push_back(found.at(0, i));
  });
  const auto vertex_at = [&](std::size_t i) { return how.targets.empty() ? static_cast<vertex>(i) : how.targets[i]; };
  const device_facts& facts = where.facts();
  tell("graph          {}, {} vertices, {} edges, source {}\n", graph.name(), graph.vertex_count(), graph.edge_count(),
       graph.id_of(source));
  tell("device         {} ({})\n", facts.name, facts.selector);
  tell("configuration  {}  ({})\n", asked.results.shown(done.choice.configuration), done.choice.reason);
  tell("time           {:.4f} ms{}\n", done.times.solve, facts.modelled ? " modelled, not measured" : "");
  const auto reached = std::ranges::count_if(distances, [](double one) { return !std::isinf(one); });
  const std::string limit = asked.cutoff ? fmt::format(" within {}", *asked.cutoff) : "";
  tell("reached        {} of {} {}{}\n", reached, distances.size(), how.targets.empty() ? "vertices" : "targets",
       limit);
  if (!how.targets.empty() && asked.output.empty()) {
    for (std::size_t i = 0; i < std::min(distances.size(), most_shown); ++i) {
      tell("distance       {} to vertex {}\n", distances[i], graph.id_of(vertex_at(i)));
    }
    if (distances.size() > most_shown) tell("               --output writes all {}\n", distances.size());
  }
  if (!done.exact) throw work_error(graph.name() + ": " + graph::saturated_message);
  if (asked.check) tell("check          every distance is right\n");
  if (!asked.output.empty()) {
    std::string text = vertex_file_header("VERTEX DISTANCE", graph, source);
    for (std::size_t i = 0; i < distances.size(); ++i) add_distance_line(text, graph, vertex_at(i), distances[i]);
    write_output(asked.output, text);
  }
  if (asked.results.as_json()) {
    json_document document = begin_document("solve-bounded");
    document["problem"] = asked.kind == problem::bfs ? "bfs" : "sssp";
    document["graph"] = graph_document(graph);
    document["source"] = graph.id_of(source);
    if (asked.cutoff) document["cutoff"] = *asked.cutoff;
    document["configuration"] = done.choice.configuration;
    document["device"] = {{"name", facts.name}, {"selector", facts.selector}};
    document["modelled"] = facts.modelled;
    document["time_ms"] = done.times.solve;
    document["compile_ms"] = done.times.compile;
    document["searched"] = distances.size();
    document["reached"] = reached;
    document["checked"] = asked.check;
    if (!how.targets.empty()) {
      document["targets"] = json_document::array();
      for (std::size_t i = 0; i < distances.size(); ++i) {
        json_document target{{"vertex", graph.id_of(vertex_at(i))}, {"distance", nullptr}};
        if (!std::isinf(distances[i])) target["distance"] = distances[i];
        document["targets"].push_back(std::move(target));
      }
    }
    print_document(document);
  }
  return exit_ok;
}

}  // namespace mlmq::cli
