// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one vertex of a graph to all.
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

/// Where a search may run whose configuration is not given.
enum class placement {
  best,    ///< on the solver's device, or on this machine's processors if that is expected to be sooner
  device,  ///< on the solver's device
};

/// When a graph is split into parts that lie in the shared memory of the device, where that suits it: most graphs of up to a
/// few million edges. Splitting takes as long as hundreds of searches; those of roads and meshes then take a half to a sixth of the
/// time, others up to nine tenths.
enum class partitioning {
  never,
  automatic,  ///< when searches with this solver have taken as long as splitting will; kept if they are faster then
  always,     ///< before the first search, which is on the solver's device
};

struct solve_options {
  /// Empty: what the model ranks first among what the device can run. Otherwise the first of these that the device can
  /// run, as text for complete_configuration(); "" is all defaults.
  std::vector<std::string> configurations = {};
  mlmq::model model = mlmq::model::standard();                   ///< used when `configurations` is empty
  mlmq::placement place = mlmq::placement::best;                 ///< used when `configurations` is empty
  mlmq::partitioning partition = mlmq::partitioning::automatic;  ///< used when `configurations` is empty
  double time_limit_ms = 60'000;                                 ///< for the search alone, above 0
  bool counters = false;                                         ///< count work, which makes the search slower
  /// Record when work is done, which makes the search slower; not on processors, and not together with `counters`.
  bool timeline = false;

  /// Leave the distances in the memory of the solver's device, which must not be processors, and bring nothing to the host:
  /// solution::device_distances() has them. The search runs there, whatever `place` says.
  bool keep_on_device = false;
  /// A CUstream (or cudaStream_t) of the solver's device. Where the graph or the answer is in device memory, the search begins
  /// after all work that is in it now; null: the default stream. Solving returns when the search has ended, so that
  /// work put into any stream afterwards finds the answer. Must be null where the device has no streams.
  void* stream = nullptr;
};

/// What was done in one of the equal intervals of a search.
struct timeline_interval {
  double start_ms = 0;
  double vertices = 0;      ///< read from the queues
  double active_warps = 0;  ///< how many warps were at work
};

/// Numbers in the memory of a device.
struct device_array {
  const void* data = nullptr;
  std::size_t count = 0;
  number_type type = number_type::uint32;
  std::string device;  ///< the selector: "cuda:0"
};

/// A search whose distances were written where the caller wanted them.
struct search_summary {
  mlmq::choice choice;
  solve_times times;
  std::vector<std::pair<std::string, double>> counters;  ///< as solution::counters()
  std::vector<timeline_interval> timeline;               ///< as solution::timeline()
  bool exact = true;                                     ///< as solution::exact()
};

/// Shortest paths from one vertex.
class MLMQ_API solution {
 public:
  [[nodiscard]] vertex source() const noexcept;
  [[nodiscard]] const mlmq::choice& choice() const noexcept;
  [[nodiscard]] const solve_times& times() const noexcept;
  /// Work by name ("relaxations", "l2_writes"; docs/reference/parameters.md); empty unless it was asked for.
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& counters() const noexcept;

  /// From the first interval to the last in which there was work; empty unless it was asked for.
  [[nodiscard]] const std::vector<timeline_interval>& timeline() const noexcept;

  /// Of the distances: that of the weights, or uint32 for bfs.
  [[nodiscard]] number_type type() const noexcept;
  /// The distance of a vertex; infinity where no path leads. @throws input_error when it is not a vertex
  [[nodiscard]] double distance(vertex v) const;
  /// One for each vertex; `unreachable` where no path leads. Valid as long as a copy of the solution.
  /// @throws input_error when they are not uint32
  [[nodiscard]] std::span<const std::uint32_t> distances_uint32() const;
  /// One for each vertex; infinity where no path leads. Valid as long as a copy of the solution. The first call makes
  /// the array. @throws input_error when they are not float32
  [[nodiscard]] std::span<const float> distances_float32() const;
  /// The same of float64. @throws input_error when they are not that
  [[nodiscard]] std::span<const double> distances_float64() const;

  /// The distances in the memory of the device that searched, one for each vertex: for floats infinity where no path leads,
  /// for uint32 `unreachable`. Valid as long as a copy of the solution: no other search writes there. The functions above
  /// work all the same: the first one that is called brings the distances to the host.
  /// @throws input_error unless they were kept there: solve_options::keep_on_device
  [[nodiscard]] device_array device_distances() const;

  /// Whether every distance fits its type. Otherwise the largest whole number below `unreachable`, or an infinite float,
  /// stands for all that do not.
  [[nodiscard]] bool exact() const;

  /// For each vertex the one before it on a shortest path: a tree with the source as its root. no_vertex for the source
  /// and where no path leads. Among several shortest paths, the choice is the same every time, whatever was chosen to
  /// search with.
  ///
  /// Computed here and now, from the distances, in one pass over the edges in host memory that all threads share. Where
  /// an edge adds nothing to a distance (a weight of zero, or a float too small to count), distances do not tell before
  /// from after: vertices that are reached over such edges only are found in a second pass, by one thread.
  /// docs/notebook/library.md has times.
  /// @param threads 0: one for each processor
  [[nodiscard]] std::vector<vertex> predecessors(unsigned threads = 0) const;

  /// The vertices of a shortest path from the source to `v`, both included; none where no path leads. That of predecessors(),
  /// which the first call computes and keeps. @throws input_error when it is not a vertex
  [[nodiscard]] std::vector<vertex> path(vertex v) const;

  /// Proves the distances right in O(vertices + edges), by the graph alone.
  ///
  /// @return "", or a message that says what is wrong and calls vertices by their ids. Distances that do not fit their type
  ///   are wrong: see exact()
  [[nodiscard]] std::string check() const;

 private:
  friend struct detail::access;
  explicit solution(std::shared_ptr<const detail::solution_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::solution_data> data_;
};

/// What one of the configurations that were tried took.
struct tried {
  std::string configuration;  ///< complete
  /// Of the search alone, on the device's clock, the mean over the sources. Absent: it failed, or a search took more than
  /// 5 ms and four times as long as the best before it from that source.
  std::optional<double> milliseconds;
};

/// A graph on a device, to be searched from any number of sources.
class MLMQ_API solver {
 public:
  /// Cheap: the graph is brought to the device by the first search there, or by upload().
  explicit solver(const device& where, const digraph& what, problem kind = problem::sssp);

  /// Brings the graph to the device now, unless it is there. @return milliseconds. @throws memory_error, device_error
  double upload();
  /// Whether the graph is on the solver's device.
  [[nodiscard]] bool resident() const;

  /// What solve() would choose now, without anything being uploaded or compiled: a candidate that the device turns out
  /// not to be able to run is passed over only by solve(). @throws input_error
  [[nodiscard]] mlmq::choice choose(const solve_options& options = {});

  /// Searches from each source with each of the `count` configurations that the model ranks first among what the device
  /// can run, once to warm up and three times to take the median, and remembers the fastest: from then on this solver
  /// chooses it whenever it is asked with this model and no configuration, unless the processors are expected to be
  /// sooner. A model knows only what a graph looks like; who has many searches to do on one graph can afford to look
  /// (docs/notebook/selector.md says what it is worth).
  /// @param sources one, or better several: what is fastest from one is not always from another
  /// @param count at least 1; more than the model has are all
  /// @param options without configurations; `counters` and `timeline` must be off
  /// @return the fastest first, those without a time last
  /// @throws as solve(); unsuitable_error when the device can run none of them, search_error when none succeeded
  std::vector<tried> try_out(std::span<const vertex> sources, unsigned count, const solve_options& options = {});

  /// Searches from `source`. Sources of one solver share the uploaded graph, the compiled kernels and the queues.
  /// @throws input_error for a source that is not a vertex, a configuration that there is not, a time limit that is
  ///   not above 0, counters and a timeline together, or a model of other parameters
  /// @throws unsuitable_error when the device can run none of the given configurations
  /// @throws search_error, compile_error, memory_error, device_error
  [[nodiscard]] solution solve(vertex source, const solve_options& options = {});

  /// As solve(), with the distances written straight to `out`, one for each vertex, as solution::distances_uint32(),
  /// distances_float32() or distances_float64() has them: there is no other copy. After an exception they are undefined.
  /// @param out host memory, page-locked or not
  /// @throws input_error for another size, or another type than the distances have; for `keep_on_device`
  search_summary solve_into(vertex source, std::span<std::uint32_t> out, const solve_options& options = {});
  search_summary solve_into(vertex source, std::span<float> out, const solve_options& options = {});
  search_summary solve_into(vertex source, std::span<double> out, const solve_options& options = {});

  /// Searches from every source, many at a time: thousands take little longer than hundreds one after the other. On a GPU, the simulator or processors, wherever the
  /// solver's device is.
  /// @param sources at least one; may be there twice
  /// @param take gets the distances; none: they are not kept, which is of use to find out how long searches take
  /// @throws input_error for a source or target that is not a vertex, saying which; as solve() for the options
  /// @throws memory_error, also when not even one search fits
  /// @throws unsuitable_error, search_error, compile_error, device_error as solve(); work_error when a check fails
  batch_summary solve_many(std::span<const vertex> sources, const batch_options& options = {},
                           const take_distances& take = {});

  /// The betweenness of every vertex, as mlmq/centrality.hpp defines it; docs/guide/centrality.md says what counts as a
  /// path. The graph is brought to the device once more, by the first call. The same values on every call, but for rounding
  /// in another configuration or on another device.
  /// @param follow told how far it has come; none: it cannot be stopped
  /// @throws input_error where shortest paths cannot be counted: edges that add nothing to a distance form a cycle, there
  ///   are more than 1e290 shortest paths to a vertex, or a distance does not fit 32 bits; for weights of float64, unless it
  ///   counts edges (problem::bfs); as solve() for the options
  /// @throws memory_error, also when not even one search fits
  /// @throws unsuitable_error, search_error, compile_error, device_error as solve(); work_error when a check fails
  [[nodiscard]] betweenness_scores betweenness(const betweenness_options& options = {},
                                               const follow_betweenness& follow = {});

 private:
  std::shared_ptr<detail::solver_data> data_;
};

}  // namespace mlmq
