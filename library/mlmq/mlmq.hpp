// SPDX-License-Identifier: Apache-2.0
// libmlmq: shortest paths from one vertex to all, on a GPU, on processors or on a simulated GPU, with the work queue
// that suits the graph.
//
//   mlmq::digraph roads = mlmq::digraph::open("roads.gr");
//   mlmq::solver solver(mlmq::device("cuda:0"), roads);
//   mlmq::solution answer = solver.solve(0);
//   double length = answer.distance(42);
//
// Objects are handles: a copy means the same thing. Threads: graphs, models and solutions never change and may be used
// by any number of threads. A device does one thing at a time; calls that need it, of its solvers too, wait for each
// other, so that devices and solvers may be shared as well. Different devices work side by side.
//
// Errors are exceptions, in mlmq/error.hpp. An object whose function has thrown can be used on, unless it was a
// device_error with `lost` set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlmq/error.hpp"

namespace mlmq {

namespace detail {
struct access;
struct digraph_data;
struct device_data;
struct model_data;
class solver_data;
struct solution_data;
}  // namespace detail

/// "0.1.0".
[[nodiscard]] MLMQ_API std::string library_version();

/// A vertex: 0 to vertex_count() - 1, the index of arrays. What the file of a graph calls it is its id: digraph::id_of().
using vertex = std::uint32_t;

inline constexpr vertex no_vertex = std::numeric_limits<vertex>::max();
/// The distance of a vertex that no path leads to, where distances are whole numbers.
inline constexpr std::uint32_t unreachable = std::numeric_limits<std::uint32_t>::max();

enum class number_type { uint32, float32 };

enum class problem {
  sssp,  ///< lengths are sums of weights
  bfs,   ///< every edge has length 1, whatever its weight: distances are levels, of type uint32
};

/// What to do with a graph file; of no effect on what is generated, except float_weights.
struct read_options {
  std::uint64_t weight_seed = 1;  ///< of the weights of a file that has none: whole numbers from 1 to 100
  bool ignore_weights = false;    ///< treat the weights of the file as absent
  bool absolute_weights = false;  ///< take the absolute values of negative weights, which are an error otherwise
  bool float_weights = false;     ///< turn whole weights into float32
  /// true: add the reverse of every edge; false: do not; unset: as the file says.
  std::optional<bool> undirected = std::nullopt;
};

/// A directed graph with weights of at least 0, in the memory of the host.
class MLMQ_API digraph {
 public:
  /// A file: DIMACS or Galois (.gr), Matrix Market (.mtx), edge list (.txt, .el, .wel, .snap, .tsv), each also
  /// compressed (.gz). Or, when there is no file of this name, something to generate: "road18", "del16", "rmat20",
  /// "power14:degree=8:seed=2", "grid100", "path9"; the README has the list.
  /// @throws input_error
  [[nodiscard]] static digraph open(const std::string& name, const read_options& options = {});

  /// Compressed sparse rows: the edges of vertex v are at positions offsets[v] to offsets[v + 1] - 1 of `targets` and
  /// `weights`. Self-loops and parallel edges are welcome.
  /// @param offsets n + 1 numbers that do not fall, from 0 to the number of edges; n at least 1
  /// @param targets below n
  /// @param weights one for each target, finite and at least 0; whole numbers at most 4,294,967,293, so that an edge
  ///   alone is a distance below `unreachable` that is exact
  /// @param name for messages
  /// @throws input_error that says which rule is broken, and where
  [[nodiscard]] static digraph from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                                         std::vector<std::uint32_t> weights, std::string name = "graph");
  [[nodiscard]] static digraph from_rows(std::vector<std::uint64_t> offsets, std::vector<vertex> targets,
                                         std::vector<float> weights, std::string name = "graph");

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] vertex vertex_count() const noexcept;
  [[nodiscard]] std::uint64_t edge_count() const noexcept;
  [[nodiscard]] number_type weight_type() const noexcept;
  /// A vertex that is good to start from when any will do: for a generated graph the one that its generator names, else
  /// one with most out-edges.
  [[nodiscard]] vertex default_source() const noexcept;
  /// What a person should know of a file that could be read all the same: that it had negative weights, or edges twice.
  /// One line each, with the file's name; mostly none.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept;

  /// The number that the graph's file has for a vertex: 1 to n in DIMACS and Matrix Market, 0 to n - 1 in Galois, whatever
  /// an edge list uses. For what has no file it is the vertex itself. Ids increase with the vertex.
  /// @throws input_error when it is not a vertex
  [[nodiscard]] std::uint64_t id_of(vertex v) const;
  /// The vertex with this id; nothing when there is none.
  [[nodiscard]] std::optional<vertex> find_id(std::uint64_t id) const noexcept;
  /// The same. @throws input_error that says which ids there are
  [[nodiscard]] vertex vertex_of(std::uint64_t id) const;

 private:
  friend struct detail::access;
  explicit digraph(std::shared_ptr<const detail::digraph_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::digraph_data> data_;
};

/// What a device is.
struct device_facts {
  std::string selector;   ///< "cuda:0", "simt", "cpu:4"
  std::string kind;       ///< "cuda", "simt" or "cpu"
  std::string name;       ///< "NVIDIA H200"
  bool modelled = false;  ///< its times are computed, not measured
  /// What it takes to bring data there, measured when the device was opened: for each array, and for each byte.
  /// Zeros where times are modelled.
  double array_ms = 0;
  double byte_ms = 0;
};

/// A device that is open, until the last copy and the last of its solvers are gone.
class MLMQ_API device {
 public:
  /// @param selector "cuda:0", "cuda:1", … a GPU; "cpu" all processors, "cpu:N" with N threads; "simt" the simulator;
  ///   "auto" the first GPU, or else the simulator
  /// @throws input_error for a device that is unknown or absent, saying what there is
  explicit device(const std::string& selector = "auto");

  [[nodiscard]] const device_facts& facts() const noexcept;

  /// The schedule of the simulator; of no effect on other devices.
  void set_seed(std::uint64_t seed);

 private:
  friend struct detail::access;
  explicit device(std::shared_ptr<detail::device_data> data) : data_(std::move(data)) {}
  std::shared_ptr<detail::device_data> data_;
};

/// A selector: what says which configuration suits a graph.
class MLMQ_API model {
 public:
  /// The one that is part of the library.
  [[nodiscard]] static model shipped();
  /// A file of `mlmq selector train`. @throws input_error
  [[nodiscard]] static model read(const std::filesystem::path& file);

 private:
  friend struct detail::access;
  explicit model(std::shared_ptr<const detail::model_data> data) : data_(std::move(data)) {}
  std::shared_ptr<const detail::model_data> data_;
};

/// The configuration that `text` stands for, with every parameter that it leaves out: "delta=8,l2=bucket" with the
/// rest, sorted by name; docs/parameters.md describes the parameters.
/// @throws input_error for a name, a value or a combination that there is not
[[nodiscard]] MLMQ_API std::string complete_configuration(const std::string& text);

/// Where a search may run whose configuration is not given.
enum class placement {
  best,    ///< on the solver's device, or on this machine's processors if that is expected to be sooner
  device,  ///< on the solver's device
};

struct solve_options {
  /// Empty: what the model ranks first among what the device can run. Otherwise the first of these that the device can
  /// run, as text for complete_configuration(); "" is all defaults.
  std::vector<std::string> configurations = {};
  mlmq::model model = mlmq::model::shipped();     ///< used when `configurations` is empty
  mlmq::placement place = mlmq::placement::best;  ///< used when `configurations` is empty
  double time_limit_ms = 60'000;                  ///< for the search alone, above 0
  bool counters = false;                          ///< count work, which makes the search slower
  /// Record when work is done, which makes the search slower; not on processors, and not together with `counters`.
  bool timeline = false;
};

/// What was done in one of the equal intervals of a search.
struct timeline_interval {
  double start_ms = 0;
  double vertices = 0;      ///< read from the queues
  double active_warps = 0;  ///< how many warps were at work
};

/// A configuration, and who chose it.
struct choice {
  enum class chooser {
    caller,    ///< it was given
    model,     ///< the model ranked it first of what the device can run
    trial,     ///< it was the fastest of those that solver::try_out() tried
    times,     ///< expected times spoke for the processors instead of the solver's device
    standard,  ///< the default, for want of anything better
  };

  std::string configuration;  ///< complete
  std::string device;         ///< where it runs: the selector, "cuda:0"
  std::string device_name;    ///< "NVIDIA H200"
  chooser by = chooser::caller;
  std::optional<double> predicted = std::nullopt;  ///< relative performance, best time / time; not from all models
  std::string reason;                              ///< for a person
};

/// Milliseconds. What was there already takes none: a second search has no upload.
struct solve_times {
  /// To find what the model knows of the graph: on the device's clock where the graph has been brought there, and what
  /// was waited for samples of it, which a thread of this machine takes while solve() brings it there; none where its size
  /// was enough to choose.
  double features = 0;
  double choice = 0;      ///< to rank the candidates, and to find out how fast the processors are where that matters
  double upload = 0;      ///< to bring the graph to the device, device memory included
  double compile = 0;     ///< to compile the kernel, or to load it from the cache on disk
  double prepare = 0;     ///< to make the queues in device memory
  double solve = 0;       ///< the search, on the device's clock; modelled where device_facts::modelled
  double download = 0;    ///< to bring the distances back
  bool compiled = false;  ///< whether `compile` is more than loading from the cache
};

/// Shortest paths from one vertex.
class MLMQ_API solution {
 public:
  [[nodiscard]] vertex source() const noexcept;
  [[nodiscard]] const mlmq::choice& choice() const noexcept;
  [[nodiscard]] const solve_times& times() const noexcept;
  /// Work by name ("relaxations", "l2_writes"; docs/search-space.md); empty unless it was asked for.
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& counters() const noexcept;

  /// From the first interval to the last in which there was work; empty unless it was asked for.
  [[nodiscard]] const std::vector<timeline_interval>& timeline() const noexcept;

  /// Of the distances: that of the weights, or uint32 for bfs.
  [[nodiscard]] number_type type() const noexcept;
  /// The distance of a vertex; infinity where no path leads. @throws input_error when it is not a vertex
  [[nodiscard]] double distance(vertex v) const;
  /// One for each vertex; `unreachable` where no path leads. Valid as long as a copy of the solution.
  /// @throws input_error when they are float32
  [[nodiscard]] std::span<const std::uint32_t> distances_uint32() const;
  /// One for each vertex; infinity where no path leads. Valid as long as a copy of the solution. The first call makes
  /// the array. @throws input_error when they are uint32
  [[nodiscard]] std::span<const float> distances_float32() const;

  /// Whether every distance fits 32 bits. Otherwise the largest whole number below `unreachable`, or an infinite float,
  /// stands for all that do not.
  [[nodiscard]] bool exact() const;

  /// For each vertex the one before it on a shortest path: a tree with the source as its root. no_vertex for the source
  /// and where no path leads. Among several shortest paths, the choice is the same every time, whatever was chosen to
  /// search with.
  ///
  /// Computed here and now, from the distances, in one pass over the edges in host memory that all threads share. Where
  /// an edge adds nothing to a distance (a weight of zero, or a float too small to count), distances do not tell before
  /// from after: vertices that are reached over such edges only are found in a second pass, by one thread.
  /// docs/library.md has times.
  /// @param threads 0: one for each processor
  [[nodiscard]] std::vector<vertex> predecessors(unsigned threads = 0) const;

  /// Proves the distances right in O(vertices + edges), by the graph alone: "", or what is wrong, for a person: vertices
  /// are called by their ids.
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
  /// (docs/selector.md says what it is worth).
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

 private:
  std::shared_ptr<detail::solver_data> data_;
};

}  // namespace mlmq
