// SPDX-License-Identifier: Apache-2.0
// The interface of solvers that search one graph from many sources: kernels, or processors with one search per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "multi_source/distance_batch.cuh"
#include "multi_source/multi_source_abi.cuh"
#include "problems/graphs/resident_graph.hpp"
#include "problems/graphs/resident_weights.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tuner/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {
class resident_ell;
}

namespace mlmq::multi_source {

class distance_reader;
class lazily_built_hierarchy;
class lazily_placed_graph;
class resident_packed_rows;

/// Input of all solvers of one instance. The instance owns it and outlives its solvers.
struct solver_input {
  backends::backend& device;
  const graph::csr_graph& graph;
  const problems::resident_graph& on_device;
  problems::resident_ell& ell_rows;
  resident_packed_rows& packed_rows;
  lazily_placed_graph& placed;  ///< the graph, renumbered so that neighbours are adjacent
  lazily_built_hierarchy& hierarchy;
  double average_weight;  ///< unit of lengths in configurations
  problems::search_kind kind;
  problems::ring_limits limits;  ///< capacity of a near or far pile, in elements
  /// The graph's weights in device memory if the caller has put them there, or null. The weights of `graph` are then
  /// copied to host memory when they are first read.
  const problems::resident_weights* weights_on_device = nullptr;
};

/// Searches to run together. All members are borrowed.
struct search_request {
  std::span<const graph::vertex_id> sources;  ///< at least one
  /// With targets, a search ends when the distances of all of them are final, and returns only these.
  std::span<const graph::vertex_id> targets = {};
  graph::wide_distance_bits cutoff = graph::wide_unreached;  ///< bits of a distance; vertices beyond it are not reached
  bool keep = false;                                         ///< whether to keep all distances, for distances()
  /// Buffer for the distances, 0 or 1. The content of the other buffer is preserved.
  unsigned buffer = 0;
  /// Maximum number of searches in a batch, rounded up to a group of searches; 0: as many as fit into memory.
  std::size_t batch_searches = 0;
  /// Read the distances of all vertices of each search, on the device or on processors, without `keep` and targets;
  /// there are no answers then.
  std::span<distance_reader* const> readers = {};
};

class solver {
 public:
  virtual ~solver() = default;

  /// Like tuner::problem_instance::prepare(). @throws backends::launch_error
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation mode) = 0;

  /// Runs the searches of a request.
  /// @throws backends::launch_error if processors cannot do what the request demands
  /// @throws backends::out_of_device_memory if not even one search fits, or the distances to be kept do not fit
  [[nodiscard]] virtual tuner::run_report run(const search_request& request, double time_limit_ms) = 0;

  /// Adopts new weights of the graph (solver_input::graph). prepare() must follow.
  /// @return false if the solver cannot, and must be made again
  [[nodiscard]] virtual bool adopt_weights() { return false; }

  /// Copies rows of the last successful run with this buffer: n words for each of `count` searches starting at `first`,
  /// or the distances of the targets. Words have 4 bytes, for float64 8. Thread-safe, even while another run uses the
  /// other buffer.
  /// @param destination memory of backend::allocate_host()
  virtual void copy_rows(unsigned buffer, std::size_t first, std::size_t count, void* destination) = 0;

  // The following functions refer to the last successful run.
  /// Returns one answer per search; undefined for searches with targets or `readers`.
  [[nodiscard]] virtual std::vector<multi_source_answer> answers() = 0;
  /// Returns the kept distances of a 4-byte type: n words for each of the searches `first` to `first` + `count` - 1.
  [[nodiscard]] virtual std::vector<graph::distance_bits> distances(std::size_t first, std::size_t count) = 0;
  /// The device memory with the kept distances, or with targets the target distances. distances() and
  /// target_distances() download it, so changes affect them.
  /// @throws backends::launch_error for processors
  [[nodiscard]] virtual const backends::device_memory& device_distances() const = 0;
  /// Returns the distances of the targets of each search; unreached if there is no path.
  [[nodiscard]] virtual std::vector<graph::distance_bits> target_distances() = 0;
  /// Like distances() and target_distances(), for float64.
  [[nodiscard]] virtual std::vector<graph::wide_distance_bits> wide_distances(std::size_t first, std::size_t count) = 0;
  [[nodiscard]] virtual std::vector<graph::wide_distance_bits> wide_target_distances() = 0;
};

/// The parameters that host code uses.
struct host_parameters {
  explicit host_parameters(const tuner::configuration& chosen);

  std::string solver;
  unsigned threads;
  unsigned blocks;  ///< blocks per multiprocessor
  double delta;     ///< in average weights
  unsigned near_items;
  unsigned ell_width;
  bool packed_rows;
  bool by_place;  ///< whether neighbours are adjacent in device memory
  unsigned parts;
  unsigned concurrent;
};

/// The parameters of the solver `hierarchy`.
struct hierarchy_parameters {
  explicit hierarchy_parameters(const tuner::configuration& chosen);

  unsigned threads;
  unsigned blocks;         ///< blocks per multiprocessor
  unsigned lane_searches;  ///< searches of a lane
  unsigned slots;          ///< ancestors whose distances a warp has in shared memory
  unsigned piece_vertices;
  unsigned round_groups;  ///< groups of searches that are swept together
};

struct supernode_parameters {
  explicit supernode_parameters(const tuner::configuration& chosen);

  unsigned threads;
  unsigned blocks;      ///< blocks per multiprocessor
  unsigned columns;     ///< searches that are swept together
  unsigned added_arcs;  ///< limit per vertex, to merge supernodes
};

/// Returns whether a solver searches by an elimination hierarchy.
[[nodiscard]] bool has_hierarchy(const std::string& solver);

[[nodiscard]] std::span<const tuner::parameter_declaration> declared_parameters();
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);
/// Returns whether the solver of this name is a kernel; the others run on processors.
[[nodiscard]] bool is_kernel(const std::string& solver);

/// Returns the file of a kernel, relative to kernels/.
[[nodiscard]] std::string kernel_file(const std::string& solver);
/// @param has_long_paths whether the distances may be 2^31 - 1 or more; matters to hierarchies only
[[nodiscard]] backends::kernel_source kernel_variant(const tuner::configuration& chosen, problems::search_kind kind,
                                                     graph::weight_type weights, bool count,
                                                     bool has_long_paths = false);
[[nodiscard]] backends::kernel_source cpu_variant(const std::string& solver);
/// Returns a hash of the source code of a solver for processors.
[[nodiscard]] std::string cpu_source_hash(const std::string& solver);
[[nodiscard]] std::string cpu_hierarchy_source_hash();

/// @param input must outlive the solver
[[nodiscard]] std::unique_ptr<solver> make_kernel_solver(const solver_input& input);
[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(const solver_input& input);
/// @throws backends::launch_error if the graph does not suit the method
[[nodiscard]] std::unique_ptr<solver> make_hierarchy_solver(const solver_input& input);
[[nodiscard]] std::unique_ptr<solver> make_supernode_solver(const solver_input& input);
[[nodiscard]] std::unique_ptr<solver> make_cpu_hierarchy_solver(const solver_input& input);

}  // namespace mlmq::multi_source
