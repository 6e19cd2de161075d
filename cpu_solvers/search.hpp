// SPDX-License-Identifier: Apache-2.0
// Shortest-path searches on processors: the competitors that a GPU has to beat. Compiled in, found by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "cpu_solvers/thread_team.hpp"
#include "graph/csr.hpp"

namespace mlmq::cpu {

/// A graph as the searches read it; n vertices, m edges. Everything is borrowed.
struct search_graph {
  graph::vertex_id vertices = 0;
  graph::weight_type weights = graph::weight_type::uint32;
  bool unit_weights = false;      ///< every edge has length 1, and `edges` holds targets only
  bool wide_offsets = false;      ///< `offsets` are 64-bit numbers, else 32-bit
  const void* offsets = nullptr;  ///< n+1 positions in `edges`
  const void* edges = nullptr;    ///< m words of 64 bits: target | weight bits << 32; unit weights: m targets
  /// For bfs, or null: every edge turned round, in the same layout.
  const void* reverse_offsets = nullptr;
  const void* reverse_edges = nullptr;
  /// The same graph, with unit weights where those are meant: for boost_dijkstra, which reads nothing else.
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
  std::uint64_t stale_pops = 0;        ///< of these: outdated by a shorter distance
  std::uint64_t relaxations = 0;       ///< edges looked at
  std::uint64_t updates = 0;           ///< distances made shorter, the source's first included
  std::uint64_t distance_atomics = 0;  ///< compare-and-swaps of distances, failed ones included
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
  graph::vertex_id source = 0;                ///< a vertex
  graph::distance_bits* distances = nullptr;  ///< n words, written whole; graph::unreached where no path leads
  const std::uint32_t* abort_word = nullptr;  ///< the search ends soon after another thread sets it; null: none
  std::uint64_t time_limit_ns = ~std::uint64_t{0};
  bool count = false;  ///< fill in work_counts: slower

  unsigned chunk = 64;  ///< delta_stepping, bfs: most vertices that a thread claims at a time; above 0
  /// bfs: a level pulls when it has more than this part (1/pull) of the edges of vertices not yet found; 0: never
  unsigned pull = 15;

  // delta_stepping only
  double delta = 1;        ///< width of a bucket, as a distance; above 0
  unsigned lookahead = 8;  ///< entries whose rows are looked for together, 1 to 32
  unsigned fusion = 1024;  ///< a thread goes on alone in the present bucket while it has fewer vertices; 0: never
};

struct search_result {
  run_status status = run_status::finished;  ///< unless finished, distances are those found so far
  work_counts counts;                        ///< zeros unless asked for
};

/// The arguments of a search as a launch.
struct search_call {
  search_request request;
  search_result* result = nullptr;
};

/// One algorithm with the memory it keeps from search to search. One search at a time.
class solver {
 public:
  virtual ~solver() = default;
  /// Distances are bit for bit those of graph::dijkstra, whatever the number of threads. @throws std::bad_alloc
  [[nodiscard]] virtual search_result run(thread_team& team, const search_request& request) = 0;
};

/// Every name make_solver() knows:
///   boost_dijkstra   Boost Graph's Dijkstra with its indexed heap; one thread
///   dijkstra         Dijkstra with lazy deletion; one thread
///   bfs              breadth-first search that changes direction, of graphs with unit weights; all threads
///   delta_stepping   Δ-stepping with bins of each thread's own; all threads
[[nodiscard]] std::span<const std::string_view> solver_names();

/// Whether the solver of this name takes graphs with unit weights only.
[[nodiscard]] bool needs_unit_weights(std::string_view name);

/// Null for an unknown name.
[[nodiscard]] std::unique_ptr<solver> make_solver(std::string_view name);

/// Hash of the sources of all solvers: their results are those of one version of them.
[[nodiscard]] std::string_view solver_source_hash();

}  // namespace mlmq::cpu
