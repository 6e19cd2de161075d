// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one vertex of a graph to all others.
//
//   mlmq::digraph roads = mlmq::digraph::open("roads.gr");
//   mlmq::solver solver(mlmq::device("cuda:0"), roads);
//   mlmq::solution answer = solver.solve(0);
//   double length = answer.distance(42);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mlmq/batch.hpp"
#include "mlmq/centrality.hpp"
#include "mlmq/configuration.hpp"
#include "mlmq/device.hpp"
#include "mlmq/error.hpp"
#include "mlmq/graph.hpp"
#include "mlmq/reduction.hpp"

namespace mlmq {

namespace detail {
struct access;
class solver_data;
struct solution_data;
}  // namespace detail

enum class problem {
  sssp,  ///< lengths are sums of weights
  bfs,   ///< every edge has length 1, whatever its weight: distances are levels, of type uint32
};

/// Where a search without a given configuration may run.
enum class placement {
  best,    ///< on the solver's device, or on this machine's processors if they are expected to be faster
  device,  ///< on the solver's device
};

/// When to split a graph into parts that fit into the shared memory of the device, if the graph is suitable: most
/// graphs of up to a few million edges are. Splitting takes as long as hundreds of searches. Afterwards, searches of
/// roads and meshes take a half to a sixth of the time, others up to nine tenths.
enum class partitioning {
  never,
  /// When this solver's searches have taken as long as splitting. The parts are kept only if searches become faster. In
  /// the same way, an elimination hierarchy is prepared for roads and meshes with integer weights, if its searches are
  /// expected to be faster still; solutions that stay on the device do not use it.
  automatic,
  always,  ///< before the first search, which runs on the solver's device
};

struct solve_options {
  /// Configurations to try, as text for complete_configuration(); "" means all defaults. The first that the device can
  /// run is used. Those of solve_many(), such as "solver=supernode", have no counters and no timeline, and cannot be
  /// used with keep_on_device. Empty: the configurations that the model ranks.
  std::vector<std::string> configurations = {};
  mlmq::model model = mlmq::model::standard();                   ///< used when `configurations` is empty
  mlmq::placement place = mlmq::placement::best;                 ///< used when `configurations` is empty
  mlmq::partitioning partition = mlmq::partitioning::automatic;  ///< used when `configurations` is empty
  /// With 2 or more: how many configurations to compare. The first searches, at most 8 * tries, are answered by those
  /// that the model ranks first, up to 2 * tries of them, the more promising ones more often. Then the one that is
  /// expected to be the fastest answers all searches, also those of later processes on the same graph and device. The
  /// first search compiles `tries` configurations. Used when `configurations` is empty, for searches on the solver's
  /// device that are neither counted nor partitioned. docs/guide/library.md says what it gives.
  unsigned tries = 0;
  double time_limit_ms = 60'000;  ///< for the search alone, above 0
  bool counters = false;          ///< count work, which makes the search slower
  /// Record when work is done, which makes the search slower; not on processors, and not together with `counters`.
  bool timeline = false;

  /// Leaves the distances in the memory of the solver's device, which must not be the processors, and copies nothing to
  /// the host: see solution::device_distances(). The search runs there, whatever `place` is.
  bool keep_on_device = false;
  /// A CUstream (or cudaStream_t) of the solver's device. If the graph or the answer is in device memory, the search
  /// starts after all work that is in the stream now; null: the default stream. Solving returns when the search has
  /// finished, so work added to any stream afterwards sees the answer. Must be null if the device has no streams.
  void* stream = nullptr;
};

/// Work done in one of the equal intervals of a search.
struct timeline_interval {
  double start_ms = 0;
  double vertices = 0;      ///< number of vertices read from the queues
  double active_warps = 0;  ///< number of working warps
};

/// An array in device memory.
struct device_array {
  const void* data = nullptr;
  std::size_t count = 0;
  number_type type = number_type::uint32;
  std::string device;  ///< selector of the device: "cuda:0"
};

/// Summary of a search that wrote its distances to the caller's memory.
struct search_summary {
  mlmq::choice choice;
  solve_times times;
  std::vector<std::pair<std::string, double>> counters;  ///< see solution::counters()
  std::vector<timeline_interval> timeline;               ///< see solution::timeline()
};

/// Shortest paths from one vertex.
class MLMQ_API solution {
 public:
  [[nodiscard]] vertex source() const noexcept;
  [[nodiscard]] const mlmq::choice& choice() const noexcept;
  [[nodiscard]] const solve_times& times() const noexcept;
  /// Returns work by counter name ("relaxations", "l2_writes"; docs/reference/parameters.md); empty unless counters
  /// were requested.
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& counters() const noexcept;

  /// Returns the intervals from the first to the last with work; empty unless a timeline was requested.
  [[nodiscard]] const std::vector<timeline_interval>& timeline() const noexcept;

  /// Returns the type of the distances: that of the weights, or uint32 for bfs.
  [[nodiscard]] number_type type() const noexcept;
  /// Returns the distance of a vertex, or infinity if it is unreachable. @throws input_error for an invalid vertex
  [[nodiscard]] double distance(vertex v) const;
  /// Returns one distance per vertex; `unreachable` for unreachable vertices. Valid as long as a copy of the solution
  /// exists.
  /// @throws input_error if the distances are not uint32
  [[nodiscard]] std::span<const std::uint32_t> distances_uint32() const;
  /// Returns one distance per vertex; infinity for unreachable vertices. Valid as long as a copy of the solution
  /// exists. The first call creates the array. @throws input_error if the distances are not float32
  [[nodiscard]] std::span<const float> distances_float32() const;
  /// Like distances_float32(), for float64. @throws input_error if the distances are not float64
  [[nodiscard]] std::span<const double> distances_float64() const;

  /// Returns the distances in device memory, one per vertex: infinity (floats) or `unreachable` (uint32) for
  /// unreachable vertices. Valid as long as a copy of the solution exists: no other search overwrites them. The host
  /// accessors above work as well; the first call of one copies the distances to the host.
  /// @throws input_error unless solve_options::keep_on_device was set
  [[nodiscard]] device_array device_distances() const;

  /// Returns the predecessor of each vertex on a shortest path: a tree with the source as its root. no_vertex for the
  /// source and for unreachable vertices. If there are several shortest paths, the choice is deterministic and
  /// independent of the configuration.
  ///
  /// Computed by this call on the host, from the distances, in one pass over the edges that all threads share. Vertices
  /// that are reached only over edges that add nothing to a distance (zero weights, or floats too small to matter) are
  /// handled in a second pass by one thread. docs/notebook/library.md has times.
  /// @param threads 0: one per processor
  [[nodiscard]] std::vector<vertex> predecessors(unsigned threads = 0) const;

  /// Returns the vertices of a shortest path from the source to `v`, including both; empty if `v` is unreachable. Uses
  /// predecessors(), computed by the first call and cached. @throws input_error for an invalid vertex
  [[nodiscard]] std::vector<vertex> path(vertex v) const;

  /// Verifies the distances in O(vertices + edges) from the graph alone.
  ///
  /// @return "", or an error message with the ids of vertices
  [[nodiscard]] std::string check() const;

 private:
  friend struct detail::access;
  explicit solution(std::shared_ptr<const detail::solution_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::solution_data> data_;
};

/// Time of a configuration that try_out() tried.
struct tried {
  std::string configuration;  ///< complete
  /// Device time of the search alone, the mean over the sources. Absent if it failed, or if a search took more than 5
  /// ms and four times the best previous time from that source.
  std::optional<double> milliseconds;
};

/// Weights in device memory, for solver::update_weights().
struct device_weight_array {
  const void* weights = nullptr;           ///< one per edge, in memory of the solver's device; aligned to 4 bytes
  std::uint64_t count = 0;                 ///< number of weights
  number_type type = number_type::uint32;  ///< uint32 or float32
  /// The CUstream (or cudaStream_t) that writes the weights: they are read after all work that is in it now. Null: the
  /// default stream. Must be null for the simulator, which has no streams.
  void* stream = nullptr;
};

/// A graph on a device, to be searched from any number of sources.
class MLMQ_API solver {
 public:
  /// Cheap: the graph is uploaded by the first search there, or by upload().
  explicit solver(const device& device, const digraph& graph, problem kind = problem::sssp);

  /// Uploads the graph unless it is already on the device. @return milliseconds @throws memory_error, device_error
  double upload();
  /// Returns whether the graph is on the solver's device.
  [[nodiscard]] bool resident() const;

  /// Replaces the weights of the graph, in the order of its edges, for all later searches of this solver; earlier
  /// solutions keep theirs. Searches by an elimination hierarchy (configuration "solver=hierarchy" of solve_many())
  /// continue at once, with the same order of the vertices; for other searches, the graph is uploaded again when they
  /// need it. The graph from which the solver was made does not change.
  /// @param weights one per edge, of the type of the graph's weights (digraph::weight_type())
  /// @throws input_error for another number or type, for an invalid weight, or while solve_many() of this solver runs
  void update_weights(std::span<const std::uint32_t> weights);
  void update_weights(std::span<const float> weights);
  void update_weights(std::span<const double> weights);
  /// Like above, for weights in device memory. They are copied within the device, where a kernel checks them, so they
  /// may change after the call. A hierarchy on the device continues without a copy in host memory, which is made when
  /// first needed: by other searches, checks and paths.
  /// @throws input_error also for memory of another device, and for processors, which have no memory of their own
  void update_weights(const device_weight_array& weights);

  /// Returns the configuration that solve() would try first, without uploading or compiling. solve() may skip it if the
  /// device turns out to be unable to run it. @throws input_error
  [[nodiscard]] mlmq::choice choose(const solve_options& options = {});

  /// Searches from each source with each of the `count` configurations that the model ranks first among those that the
  /// device can run: one warm-up run, then the median of three. The solver remembers the fastest and uses it from then
  /// on for calls with this model and no given configuration, unless the processors are expected to be faster.
  /// Worthwhile for many searches of one graph, because a model knows only the graph's features
  /// (docs/notebook/selector.md has measurements).
  /// @param sources preferably several: the fastest configuration differs between sources
  /// @param count at least 1; if larger than the number of candidates, all are tried
  /// @param options without configurations; `counters` and `timeline` must be off
  /// @return the fastest first, those without a time last
  /// @throws like solve(); unsuitable_error if the device can run none of them, search_error if none succeeded
  std::vector<tried> try_out(std::span<const vertex> sources, unsigned count, const solve_options& options = {});

  /// Searches from `source`. Searches of one solver share the uploaded graph, the compiled kernels and the queues.
  /// @throws input_error for an invalid source or configuration, a time limit that is not above 0, counters together
  ///   with a timeline, or a model of another problem
  /// @throws unsuitable_error if the device can run none of the given configurations
  /// @throws search_error, compile_error, memory_error, device_error
  [[nodiscard]] solution solve(vertex source, const solve_options& options = {});

  /// Solves from `source` and writes the distances directly into `out`, without an intermediate copy.
  /// @param source vertex to start from
  /// @param out one element per vertex, in host memory (page-locked or not); same encoding as
  ///   solution::distances_uint32(), distances_float32() or distances_float64(). Undefined after an exception.
  /// @return choice, times and counters of the search
  /// @throws input_error if `out` has the wrong size or type, or `keep_on_device` is set; otherwise like solve()
  search_summary solve_into(vertex source, std::span<std::uint32_t> out, const solve_options& options = {});
  search_summary solve_into(vertex source, std::span<float> out, const solve_options& options = {});
  search_summary solve_into(vertex source, std::span<double> out, const solve_options& options = {});

  /// Searches from every source, many at a time: thousands of searches take little longer than hundreds of single ones.
  /// Runs on any solver's device: a GPU, the simulator or processors.
  /// @param sources at least one; may contain duplicates
  /// @param take receives the distances; empty: they are not kept, which is useful for timing
  /// @throws input_error for an invalid source or target, naming it; for options like solve()
  /// @throws memory_error, also if not even one search fits
  /// @throws unsuitable_error, search_error, compile_error, device_error like solve(); work_error if a check fails
  batch_summary solve_many(std::span<const vertex> sources, const batch_options& options = {},
                           const take_distances& take = {});

  /// Searches from every source like solve_many(), and computes quantities from the distances of each search where they
  /// are found. Only the results are copied to the host.
  /// @param reductions at least one; of equal speed together and one by one, except that the searches run once
  /// @param options without targets and keep_on_device
  /// @throws input_error for an invalid reduction; otherwise like solve_many()
  [[nodiscard]] reduced_searches reduce(std::span<const vertex> sources, std::span<const reduction> reductions,
                                        const batch_options& options = {});

  /// Computes the distance from sources[i] to targets[i] for each i, with one search per different source.
  /// @param sources at least one
  /// @param targets as many as sources
  /// @param options without targets and keep_on_device
  /// @throws input_error for lists of different lengths; otherwise like solve_many()
  [[nodiscard]] pair_distances solve_pairs(std::span<const vertex> sources, std::span<const vertex> targets,
                                           const batch_options& options = {});

  /// Computes distances like solve_pairs(), and the sum of a quantity of the edges along a shortest path from
  /// sources[i] to targets[i], such as the length in metres of the fastest route. The device sums where it has found
  /// the distances.
  /// @param quantities one per edge, in the order of the graph's edges, like the weights of update_weights()
  /// @throws input_error for another number of quantities; otherwise like solve_pairs()
  [[nodiscard]] path_sums sum_pair_paths(std::span<const vertex> sources, std::span<const vertex> targets,
                                         std::span<const std::uint32_t> quantities, const batch_options& options = {});
  /// Like sum_pair_paths(), from every source to every target: the result for sources[i] and targets[j] is at index
  /// i * targets.size() + j. @param targets at least one
  [[nodiscard]] path_sums sum_matrix_paths(std::span<const vertex> sources, std::span<const vertex> targets,
                                           std::span<const std::uint32_t> quantities,
                                           const batch_options& options = {});

  /// Computes the betweenness of every vertex, as defined in mlmq/centrality.hpp; docs/guide/centrality.md defines
  /// which paths count. The first call uploads a second copy of the graph. Results are reproducible, except for
  /// rounding in another configuration or on another device.
  /// @param follow receives progress and may stop the computation; empty: it cannot be stopped
  /// @throws input_error if shortest paths cannot be counted: edges that add nothing to a distance form a cycle, there
  ///   are more than 1e290 shortest paths to a vertex, or a distance does not fit 32 bits; for float64 weights, except
  ///   for problem::bfs; for options like solve()
  /// @throws memory_error, also if not even one search fits
  /// @throws unsuitable_error, search_error, compile_error, device_error like solve(); work_error if a check fails
  [[nodiscard]] betweenness_scores betweenness(const betweenness_options& options = {},
                                               const follow_betweenness& follow = {});

 private:
  std::shared_ptr<detail::solver_data> data_;
};

}  // namespace mlmq
