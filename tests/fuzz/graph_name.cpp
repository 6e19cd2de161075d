// SPDX-License-Identifier: Apache-2.0
// Names of generated graphs, as typed on the command line. Names of large graphs are skipped.
#include <optional>

#include "base/error.hpp"
#include "graph/generate.hpp"
#include "tests/fuzz/graph_rules.hpp"
#include "tests/fuzz/targets.hpp"

using namespace mlmq;
using fuzz::require;

namespace {

std::optional<graph::generated_size> size_of(std::string_view name) {
  try {
    return graph::expected_size(name);
  } catch (const input_error&) {
    return std::nullopt;
  }
}

}  // namespace

void mlmq::fuzz::graph_name(std::string_view name) {
  const auto expected = size_of(name);
  constexpr std::uint64_t most = 4096;
  if (expected && (expected->vertices > most || expected->edges > 16 * most)) return;
  try {
    const graph::generated_graph generated = graph::generate_named(name);
    require(expected.has_value(), "what can be generated has a size");
    fuzz::require_valid(generated.graph);
    require(generated.graph.vertex_count() <= expected->vertices, "a graph has at most the vertices that are expected");
    require(generated.source < generated.graph.vertex_count(), "a search starts at a vertex");
    require(generated.name == name, "a graph has its name");
    (void)graph::family_of_generated(name);
  } catch (const input_error&) {
  }
}
