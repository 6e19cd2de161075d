// SPDX-License-Identifier: Apache-2.0
// Cutting rows into parts: every edge of a split row is in exactly one part.
#include <catch2/catch.hpp>

#include "graph/adversarial.hpp"
#include "problems/shortest_paths/solvers/split_rows.hpp"

namespace {

using namespace mlmq;

graph::csr_graph graph_named(const char* name) { return graph::adversarial_graph(name, graph::weight_type::uint32); }

}  // namespace

TEST_CASE("the segments of a split row cover its edges once, in order") {
  const graph::csr_graph graph = graph_named("rmat");
  for (const unsigned degree : {1U, 3U, 16U}) {
    CAPTURE(degree);
    const problems::split_rows split = problems::split_rows_of(graph, degree);
    REQUIRE_FALSE(split.rows.empty());
    std::size_t next_segment = 0;
    std::size_t split_vertices = 0;
    for (const split_row& row : split.rows) {
      CHECK(row.first_segment == next_segment);
      graph::edge_offset edge = graph.offsets()[row.vertex];
      for (u32 i = 0; i < row.segment_count; ++i) {
        const row_segment& segment = split.segments.at(row.first_segment + i);
        CHECK(segment.vertex == row.vertex);
        CHECK(segment.first_edge == edge);
        CHECK(segment.degree >= 1);
        CHECK(segment.degree <= degree);
        edge += segment.degree;
      }
      CHECK(edge == graph.offsets()[row.vertex + 1]);
      next_segment += row.segment_count;
    }
    CHECK(next_segment == split.segments.size());
    for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
      if (graph.offsets()[v + 1] - graph.offsets()[v] > degree) ++split_vertices;
    }
    CHECK(split.rows.size() == split_vertices);
  }
}

TEST_CASE("nothing is split when the degree is 0 or no row is longer") {
  CHECK(problems::split_rows_of(graph_named("star"), 0).rows.empty());
  const problems::split_rows at_the_limit = problems::split_rows_of(graph_named("star"), 300);
  CHECK(at_the_limit.rows.empty());
  CHECK(at_the_limit.segments.empty());
  CHECK(problems::split_rows_of(graph_named("star"), 299).rows.size() == 1);
}
