// SPDX-License-Identifier: Apache-2.0
// Shortest-path searches on the CPU, the competitors of the GPU. They are compiled in and selected by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "backends/cpu/searches/thread_team.hpp"
#include "graph/csr.hpp"

namespace mlmq::cpu {

/// A non-owning view of a graph with n vertices and m edges.
struct search_graph {
  graph::vertex_id vertices = 0;
  graph::weight_type weights = graph::weight_type::uint32;
  bool unit_weights = false;      ///< every edge has length 1, and `edges` holds targets only
  bool wide_offsets = false;      ///< `offsets` are 64-bit numbers, else 32-bit
  const void* offsets = nullptr;  ///< n+1 positions in `edges`
  /// m words of 64 bits: target | weight bits << 32; float64: m graph::wide_edge; unit weights: m targets
  const void* edges = nullptr;
  /// Reversed edges in the same layout, for bfs; may be null.
  const void* reverse_offsets = nullptr;
  const void* reverse_edges = nullptr;
  /// The same graph, with unit weights if these apply. boost_dijkstra reads only this one.
  const graph::csr_graph* csr = nullptr;
};

enum class run_status : std::uint32_t {
  finished,
  timed_out,  ///< the time limit passed
  aborted,    ///< the abort word was set
};

/// Work of one search. The names are those of the kernels' counters.
struct work_counts {
  std::uint64_t pops = 0;              ///< elements taken from a queue
  std::uint64_t stale_pops = 0;        ///< pops that were outdated by a shorter distance
  std::uint64_t relaxations = 0;       ///< edges examined
  std::uint64_t updates = 0;           ///< improved distances, including the initial one of the source
  std::uint64_t distance_atomics = 0;  ///< compare-and-swaps of distances, including failed ones
  std::uint64_t queue_atomics = 0;     ///< claims of shared work

  work_counts& operator+=(const work_counts& other) noexcept {
    pops += other.pops;
    stale_pops += other.stale_pops;
    relaxations += other.relaxations;
    updates += other.updates;
    distance_atomics += other.distance_atomics;
    queue_atomics += other.queue_atomics;
    return *this;
  }
};

struct search_request {
  search_graph graph;
  graph::vertex_id source = 0;  ///< vertex to start from
  /// Different vertices to start from, instead of `source`, if there are any. boost_dijkstra and bfs ignore them.
  std::span<const graph::seed_vertex> seeds = {};
  graph::distance_bits* distances = nullptr;  ///< n words, all of which are written; graph::unreached without a path
  const std::uint32_t* abort_word = nullptr;  ///< the search ends soon after another thread sets it; null: none
  std::uint64_t time_limit_ns = ~std::uint64_t{0};
  bool count = false;  ///< counts work, which makes the search slower

  unsigned chunk = 64;  ///< delta_stepping, bfs: maximum number of vertices per claim; above 0
  /// bfs: a level pulls if it has more than 1/pull of the edges of unreached vertices; 0: never
  unsigned pull = 15;

  // delta_stepping only
  double delta = 1;        ///< width of a bucket, as a distance; above 0
  unsigned lookahead = 8;  ///< number of entries whose rows are looked up together, 1 to 32
  unsigned fusion = 1024;  ///< a thread continues alone while the current bucket has fewer vertices than this; 0: never

  /// Used instead of `distances` if the weights are float64; graph::wide_unreached without a path.
  graph::wide_distance_bits* wide_distances = nullptr;
};

struct search_result {
  run_status status = run_status::finished;  ///< if not finished, the distances are preliminary
  work_counts counts;                        ///< zeros unless search_request::count is set
};

/// The arguments of a search in the form of a kernel launch.
struct search_call {
  search_request request;
  search_result* result = nullptr;
};

/// An algorithm with memory that it reuses between searches. Runs one search at a time.
class solver {
 public:
  virtual ~solver() = default;
  /// Searches. Distances are bit for bit those of graph::dijkstra or graph::wide_dijkstra, for any number of threads.
  /// @throws std::bad_alloc
  [[nodiscard]] virtual search_result run(thread_team& team, const search_request& request) = 0;
};

/// All names that make_solver() accepts:
///   boost_dijkstra   Boost Graph's Dijkstra with its indexed heap; one thread
///   dijkstra         Dijkstra with lazy deletion; one thread
///   bfs              direction-optimising breadth-first search on graphs with unit weights; all threads
///   delta_stepping   Δ-stepping with thread-local bins; all threads
[[nodiscard]] std::span<const std::string_view> solver_names();

/// Returns whether the solver of this name accepts only graphs with unit weights.
[[nodiscard]] bool needs_unit_weights(std::string_view name);

/// Creates a solver; null for an unknown name.
[[nodiscard]] std::unique_ptr<solver> make_solver(std::string_view name);

/// Hash of the sources of all solvers. It identifies their version in recorded results.
[[nodiscard]] std::string_view solver_source_hash();

}  // namespace mlmq::cpu
