// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/file_writer.hpp"
#include "graph/formats.hpp"

namespace mlmq::graph {
namespace {

/// An edge: source, target and weight.
using directed_edge = std::tuple<vertex_id, vertex_id, std::uint32_t>;

/// Checks that METIS can represent the graph: no self-loops, no edge without its reverse, and only integer weights
/// greater than 0. @throws input_error naming the first violation
void require_metis_can_hold(const csr_graph& graph, const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& reason) {
    throw input_error(fmt::format("{}: {}", file.string(), reason));
  };
  if (graph.weights() != weight_type::uint32)
    refuse("the weights are floats, but METIS files can only contain integers");
  const auto edge_text = [&](const directed_edge& edge) {
    return fmt::format("the edge from {} to {} with weight {}", graph.ids().id_of(std::get<0>(edge)),
                       graph.ids().id_of(std::get<1>(edge)), std::get<2>(edge));
  };
  std::vector<directed_edge> forward;
  forward.reserve(graph.edge_count());
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    for (edge_offset i = graph.offsets()[u]; i < graph.offsets()[u + std::size_t{1}]; ++i) {
      const vertex_id v = graph.targets()[i];
      forward.emplace_back(u, v, graph.weight_bits()[i]);
      if (u == v) refuse(edge_text(forward.back()) + ": METIS files cannot contain edges from a vertex to itself");
      if (graph.weight_bits()[i] == 0)
        refuse(edge_text(forward.back()) + ": METIS files can only contain weights above 0");
    }
  }
  std::vector<directed_edge> backward;
  backward.reserve(forward.size());
  for (const auto& [u, v, weight] : forward) backward.emplace_back(v, u, weight);
  std::sort(forward.begin(), forward.end());
  std::sort(backward.begin(), backward.end());
  const auto [mine, other] = std::mismatch(forward.begin(), forward.end(), backward.begin());
  if (mine == forward.end()) return;
  // Where the two sorted lists differ, the smaller element is missing in the other list.
  const auto& [u, v, weight] = *other;
  refuse((*mine < *other ? edge_text(*mine) : edge_text({v, u, weight})) +
         " has no reverse edge with that weight, but METIS files are undirected; --undirected adds the reverse of "
         "every edge");
}

}  // namespace

void write_metis(const csr_graph& graph, const std::filesystem::path& file) {
  require_metis_can_hold(graph, file);
  file_writer out(file);
  if (const std::string text = renumbering(graph, 1); !text.empty()) out.write("% " + text + "\n");
  out.write(fmt::format("{} {} 001\n", graph.vertex_count(), graph.edge_count() / 2));
  std::string line;
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    line.clear();
    for (edge_offset i = graph.offsets()[u]; i < graph.offsets()[u + std::size_t{1}]; ++i) {
      fmt::format_to(std::back_inserter(line), "{}{} {}", line.empty() ? "" : " ",
                     std::uint64_t{graph.targets()[i]} + 1, graph.weight_bits()[i]);
    }
    line += '\n';
    out.write(line);
  }
  out.commit();
}

}  // namespace mlmq::graph
