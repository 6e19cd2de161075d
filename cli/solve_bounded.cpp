// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_bounded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "cli/command_line.hpp"
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
  fmt::print("graph          {}, {} vertices, {} edges, source {}\n", graph.name(), graph.vertex_count(),
             graph.edge_count(), graph.id_of(source));
  fmt::print("device         {} ({})\n", facts.name, facts.selector);
  fmt::print("configuration  {}  ({})\n", short_batch_label(done.choice.configuration), done.choice.reason);
  fmt::print("time           {:.4f} ms{}\n", done.times.solve, facts.modelled ? " modelled, not measured" : "");
  const auto reached = std::ranges::count_if(distances, [](double one) { return !std::isinf(one); });
  const std::string limit = asked.cutoff ? fmt::format(" within {}", *asked.cutoff) : "";
  fmt::print("reached        {} of {} {}{}\n", reached, distances.size(), how.targets.empty() ? "vertices" : "targets",
             limit);
  if (!how.targets.empty() && asked.output.empty()) {
    for (std::size_t i = 0; i < std::min(distances.size(), most_shown); ++i) {
      fmt::print("distance       {} to vertex {}\n", distances[i], graph.id_of(vertex_at(i)));
    }
    if (distances.size() > most_shown) fmt::print("               --output writes all {}\n", distances.size());
  }
  if (!asked.output.empty()) {
    std::string text = vertex_file_header("VERTEX DISTANCE", graph, source);
    for (std::size_t i = 0; i < distances.size(); ++i) add_distance_line(text, graph, vertex_at(i), distances[i]);
    write_output(asked.output, text);
  }
  if (!done.exact) throw work_error(graph.name() + ": " + graph::saturated_message);
  if (asked.check) fmt::print("check          every distance is right\n");
  return exit_ok;
}

}  // namespace mlmq::cli
