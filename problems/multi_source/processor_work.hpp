// SPDX-License-Identifier: Apache-2.0
// What solvers for processors have in common whose threads each search from one source at a time.
#pragma once

#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tuner/problem.hpp"

namespace mlmq::multi_source {

/// Returns a view of the rows of a graph that are on processors. @param rows must outlive the view
[[nodiscard]] inline cpu::search_graph view_of(const graph::csr_graph& graph, const problems::resident_graph& rows,
                                               problems::search_kind kind) {
  return {.vertices = graph.vertex_count(),
          .weights = graph.weights(),
          .unit_weights = kind == problems::search_kind::bfs,
          .wide_offsets = rows.wide_offsets,
          .offsets = rows.offsets.address(),
          .edges = rows.edges.address()};
}

/// Returns the work of all searchers so far.
template <class Searcher>
[[nodiscard]] cpu::work_counts work_of(const std::vector<Searcher>& searchers) {
  cpu::work_counts sum;
  for (const Searcher& searcher : searchers) sum += searcher.work();
  return sum;
}

/// Adds the work between two calls of work_of() to a report.
inline void report_work(const cpu::work_counts& before, const cpu::work_counts& after, tuner::run_report& report) {
  report.counters.emplace_back("pops", static_cast<double>(after.pops - before.pops));
  report.counters.emplace_back("stale_pops", static_cast<double>(after.stale_pops - before.stale_pops));
  report.counters.emplace_back("relaxations", static_cast<double>(after.relaxations - before.relaxations));
  report.counters.emplace_back("updates", static_cast<double>(after.updates - before.updates));
}

}  // namespace mlmq::multi_source
