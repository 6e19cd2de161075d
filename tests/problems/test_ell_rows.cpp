// SPDX-License-Identifier: Apache-2.0
// ELL rows: every edge of the graph is found once from its vertex, the shortest edges first if there are further rows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "backends/backend.hpp"
#include "graph/adversarial.hpp"
#include "problems/graphs/ell_rows.hpp"
#include "search_abi.cuh"
#include "sssp_test.hpp"

namespace {

using namespace mlmq;

/// Returns the words of a vertex' edges in the order of a search; empty for a row that is read by its bounds.
std::vector<u64> row_of(const std::vector<u64>& rows, std::size_t slots, graph::vertex_id v, bool& by_bounds) {
  std::vector<u64> edges;
  std::size_t row = v;
  by_bounds = static_cast<u32>(rows.at(row * slots)) == long_row;
  if (by_bounds) return edges;
  for (;;) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < slots; ++i) {
      const u64 word = rows.at(row * slots + i);
      const auto target = static_cast<u32>(word);
      if (target == no_edge) continue;
      if ((target & continuation) != 0) {
        CHECK(i == slots - 1);
        next = target & ~continuation;
      } else {
        edges.push_back(word);
      }
    }
    if (next == 0) return edges;
    row = next;
  }
}

std::vector<u64> targets_of(std::vector<u64> words) {
  for (u64& word : words) word = static_cast<u32>(word);
  return words;
}

}  // namespace

TEST_CASE("every edge lies in the rows of its vertex once, in order, or by weight where the row continues") {
  for (const char* const name : {"rmat", "grid", "complete", "star", "parallels", "single"}) {
    const graph::csr_graph graph = graph::adversarial_graph(name, graph::weight_type::uint32);
    for (const unsigned slots : {2U, 4U, 8U, 16U}) {
      CAPTURE(name, slots);
      const std::vector<u64> rows = problems::weighted_ell_rows(graph, slots);
      const std::vector<u32> unit = problems::unit_ell_rows(graph, slots);
      REQUIRE(rows.size() == unit.size());
      for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
        CAPTURE(v);
        const std::size_t degree = graph.offsets()[v + 1] - graph.offsets()[v];
        bool by_bounds = false;
        const std::vector<u64> row = row_of(rows, slots, v, by_bounds);
        CHECK(by_bounds == (degree > 4 * slots));
        if (by_bounds) continue;
        REQUIRE(row.size() == degree);
        std::vector<u64> expected;
        for (std::size_t edge = graph.offsets()[v]; edge < graph.offsets()[v + 1]; ++edge) {
          expected.push_back(graph.targets()[edge] | static_cast<u64>(graph.weight_bits()[edge]) << 32);
        }
        const std::vector<u64> without_weights = row_of({unit.begin(), unit.end()}, slots, v, by_bounds);
        CHECK(without_weights == targets_of(expected));
        if (degree > slots) {
          std::stable_sort(expected.begin(), expected.end(),
                           [](u64 first, u64 second) { return first >> 32 < second >> 32; });
        }
        CHECK(row == expected);
      }
    }
  }
}

TEST_CASE("a device makes the rows that the host makes, word for word") {
  const auto device = problems::tests::open_simulator();
  for (const char* const name : {"rmat", "grid", "complete", "star", "parallels", "single"}) {
    for (const bool unit_weights : {false, true}) {
      const graph::csr_graph graph = graph::adversarial_graph(name, graph::weight_type::uint32);
      const graph::csr_graph elsewhere =
          graph::csr_graph::deferred(graph.vertex_count(), graph.edge_count(), graph.weights(), [&] { return graph; });
      const auto rows = problems::upload_rows(*device, graph, name, unit_weights);
      problems::resident_ell ell(*device, elsewhere, unit_weights, *rows);
      for (const unsigned slots : {2U, 4U, 8U, 16U}) {
        CAPTURE(name, slots, unit_weights);
        ell.place(slots);
        const auto check = [&](const auto& expected) {
          REQUIRE(ell.rows() == expected.size() / slots);
          auto contents = expected;
          std::fill(contents.begin(), contents.end(), 0);
          device->read(contents.data(), ell.address(), contents.size() * sizeof contents[0]);
          CHECK(contents == expected);
        };
        if (unit_weights) {
          check(problems::unit_ell_rows(graph, slots));
        } else {
          check(problems::weighted_ell_rows(graph, slots));
        }
      }
      CHECK_FALSE(elsewhere.is_fetched());
    }
  }
}
