// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_bounded.hpp"
#include "cli/graph_problem.hpp"

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

namespace mlmq::cli {
namespace {

/// Maximum number of distances to print.
constexpr std::size_t most_shown = 20;

output_kind kind_of_bounded(const std::string& output) {
  return kind_of_output("--output", output, {output_kind::text, output_kind::csv});
}

}  // namespace

int solve_bounded(device& search_device, const digraph& graph, vertex source, const bounded_request& request) {
  const printer print = request.results.make_printer(request.output);
  if (!request.output.empty()) (void)kind_of_bounded(request.output);
  batch_options settings{.cutoff = request.cutoff, .time_limit_ms = request.time_limit_ms, .check = request.check};
  if (!request.targets.empty()) settings.targets = listed_vertices(graph, "--targets", request.targets);
  if (request.configuration != "auto") {
    check_multi_source_configuration(request.configuration);
    settings.configurations = {request.configuration};
  }
  std::vector<double> distances;
  solver search(search_device, graph, request.kind);
  const batch_summary summary = search.solve_many(std::array{source}, settings, [&](const distance_rows& rows) {
    for (std::size_t i = 0; i < rows.columns; ++i) distances.push_back(rows.at(0, i));
  });
  const auto vertex_at = [&](std::size_t i) {
    return settings.targets.empty() ? static_cast<vertex>(i) : settings.targets[i];
  };
  const device_facts& facts = search_device.facts();
  print("graph          {}, {} vertices, {} edges, source {}\n", graph.name(), graph.vertex_count(), graph.edge_count(),
        vertex_text(graph, source));
  print("device         {} ({})\n", facts.name, facts.selector);
  print("configuration  {}  ({})\n", request.results.shown(summary.choice.configuration), summary.choice.reason);
  print("time           {:.4f} ms{}\n", summary.times.solve, facts.modelled ? " modelled, not measured" : "");
  const auto reached = std::ranges::count_if(distances, [](double distance) { return !std::isinf(distance); });
  const std::string limit = request.cutoff ? fmt::format(" within {}", *request.cutoff) : "";
  print("reached        {} of {} {}{}\n", reached, distances.size(), settings.targets.empty() ? "vertices" : "targets",
        limit);
  if (!settings.targets.empty() && request.output.empty()) {
    for (std::size_t i = 0; i < std::min(distances.size(), most_shown); ++i) {
      print("distance       {} to vertex {}\n", distances[i], vertex_text(graph, vertex_at(i)));
    }
    if (distances.size() > most_shown) print("               --output writes all {}\n", distances.size());
  }
  if (request.check) print("check          every distance is right\n");
  if (!request.output.empty()) {
    const bool is_csv = kind_of_bounded(request.output) == output_kind::csv;
    std::string text = is_csv ? "vertex,distance\n" : vertex_file_header("VERTEX DISTANCE", graph, source);
    for (std::size_t i = 0; i < distances.size(); ++i)
      add_distance_line(text, graph, vertex_at(i), distances[i], is_csv ? ',' : ' ');
    write_output(request.output, text);
  }
  if (request.results.as_json()) {
    json_document document = begin_document("solve-bounded");
    document["problem"] = problem_name(request.kind);
    document["graph"] = graph_document(graph);
    document["source"] = vertex_document(graph, source);
    if (request.cutoff) document["cutoff"] = *request.cutoff;
    document["configuration"] = summary.choice.configuration;
    document["device"] = {{"name", facts.name}, {"selector", facts.selector}};
    document["modelled"] = facts.modelled;
    document["time_ms"] = summary.times.solve;
    document["compile_ms"] = summary.times.compile;
    document["searched"] = distances.size();
    document["reached"] = reached;
    document["checked"] = request.check;
    if (!settings.targets.empty()) {
      document["targets"] = json_document::array();
      for (std::size_t i = 0; i < distances.size(); ++i) {
        json_document target{{"vertex", vertex_document(graph, vertex_at(i))}, {"distance", nullptr}};
        if (!std::isinf(distances[i])) target["distance"] = distances[i];
        document["targets"].push_back(std::move(target));
      }
    }
    print_document(document);
  }
  return exit_ok;
}

}  // namespace mlmq::cli
