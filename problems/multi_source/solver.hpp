// SPDX-License-Identifier: Apache-2.0
// The interface of solvers that search one graph from many sources: kernels, or processors with one search per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "graph/reduced_graph.hpp"
#include "multi_source/distance_batch.cuh"
#include "multi_source/multi_source_abi.cuh"
#include "problems/graphs/resident_graph.hpp"
#include "problems/graphs/resident_weights.hpp"
#include "problems/instance_check.hpp"
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
  graph::lazily_reduced_graphs& reductions;
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
  std::optional<graph::reduction_extent> reduction;
};

/// A row of the table of solvers. Everything that other code must know about a solver is in its row, which stands in
/// the solver's file.
struct solver_traits {
  std::string_view name;     ///< value of the parameter `solver`
  std::string_view meaning;  ///< of this value, for users
  bool on_grid = true;       ///< a kernel for GPUs and the simulator; otherwise a search on processors
  bool has_hierarchy = false;
  std::string_view folder = "multi_source/";  ///< of the kernel's file NAME_search.cu, in kernels/

  /// Declares the parameters that only this solver has; null: none.
  std::vector<tuner::parameter_declaration> (*declare)() = nullptr;
  /// Returns configurations for `mlmq check`; null: none.
  std::vector<problems::checked_configuration> (*checks)() = nullptr;
  /// Makes the solver. Solvers made by the same function are one, which runs the configurations of all.
  /// @param input must outlive the solver
  /// @throws backends::launch_error if the graph does not suit the method
  std::unique_ptr<solver> (*make)(const solver_input& input) = nullptr;
  /// Returns a hash of the source code of a search on processors.
  std::string (*source_hash)() = nullptr;
};

/// Returns the row of a solver. @throws std::logic_error for an unknown name
[[nodiscard]] const solver_traits& solver_named(std::string_view name);

[[nodiscard]] std::span<const tuner::parameter_declaration> declared_parameters();
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);
[[nodiscard]] std::vector<problems::checked_configuration> checked_configurations();

/// Returns the file of a kernel, relative to kernels/.
[[nodiscard]] std::string kernel_file(const solver_traits& solver);
/// @param has_long_paths whether the distances may be 2^31 - 1 or more; matters to hierarchies only
[[nodiscard]] backends::kernel_source kernel_variant(const tuner::configuration& chosen, problems::search_kind kind,
                                                     graph::weight_type weights, bool count,
                                                     bool has_long_paths = false);

}  // namespace mlmq::multi_source
