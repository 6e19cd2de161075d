// SPDX-License-Identifier: Apache-2.0
// Shortest routes in a small town, and in a graph of your own: routes [DEVICE [GRAPH [SOURCE]]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mlmq/mlmq.hpp>
#include <string>
#include <vector>

namespace {

/// Formats the path from the source to a vertex.
std::string route(const std::vector<mlmq::vertex>& predecessors, mlmq::vertex target) {
  std::string text = std::to_string(target);
  for (mlmq::vertex v = predecessors[target]; v != mlmq::no_vertex; v = predecessors[v])
    text = std::to_string(v) + " > " + text;
  return text;
}

void show(mlmq::solver& solver, mlmq::vertex source, mlmq::vertex vertices) {
  const mlmq::solution answer = solver.solve(source);
  const std::vector<mlmq::vertex> predecessors = answer.predecessors();
  for (mlmq::vertex v = 0; v < vertices; ++v) {
    const double length = answer.distance(v);
    std::printf("%u to %u: %g, %s\n", source, v, length,
                std::isfinite(length) ? route(predecessors, v).c_str() : "no way");
  }
}

void measure(const mlmq::device& device, const std::string& name, const char* source_id) {
  const mlmq::digraph graph = mlmq::digraph::open(name);
  // Users give vertices by their ids in the graph's file.
  const mlmq::vertex source =
      source_id == nullptr ? graph.default_source() : graph.vertex_of(std::strtoull(source_id, nullptr, 10));
  mlmq::solver solver(device, graph);
  const mlmq::solution answer = solver.solve(source);
  const mlmq::solve_times& times = answer.times();
  std::printf("%s from %llu on %s: upload %.3f ms, kernel %.1f ms, search %.4f ms\n", graph.name().c_str(),
              static_cast<unsigned long long>(graph.id_of(source)), answer.choice().device_name.c_str(), times.upload,
              times.compile, times.solve);
  std::printf("%s\n%s\n", answer.choice().configuration.c_str(), answer.choice().reason.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const mlmq::device device(argc > 1 ? argv[1] : "auto");
    // Five places; minutes by car. A ferry of length 0 connects 2 and 3; place 4 has no connection.
    const auto town = mlmq::digraph::from_rows({0, 2, 4, 6, 8, 8}, {1, 2, 0, 2, 1, 3, 2, 1},
                                               std::vector<std::uint32_t>{4, 9, 4, 3, 3, 0, 0, 5}, "town");
    mlmq::solver solver(device, town);
    show(solver, 0, town.vertex_count());
    show(solver, 3, town.vertex_count());  // nothing is uploaded or compiled again
    if (argc > 2) measure(device, argv[2], argc > 3 ? argv[3] : nullptr);
    return 0;
  } catch (const mlmq::input_error& error) {
    std::fprintf(stderr, "routes: %s\n", error.what());  // the name of a device or a graph, a source
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "routes: %s\n", error.what());
    return 1;
  }
}
