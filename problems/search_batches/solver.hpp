// SPDX-License-Identifier: Apache-2.0
// What searches one graph from many sources: kernels, or processors with one search a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "batches/batch_abi.cuh"
#include "graph/csr.hpp"
#include "problems/shortest_paths/resident_graph.hpp"
#include "problems/shortest_paths/search.hpp"
#include "tuner/configuration.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {
class resident_ell;
}

namespace mlmq::batches {

class lazily_placed_graph;
class resident_packed_rows;

/// What all solvers of one instance work on. Belongs to the instance, which outlives its solvers.
struct batch_input {
  backends::backend& device;
  const graph::csr_graph& graph;
  const problems::resident_graph& on_device;
  problems::resident_ell& ell_rows;
  resident_packed_rows& packed_rows;
  lazily_placed_graph& placed;  ///< the same with neighbours side by side
  double average_weight;        ///< unit of lengths in configurations
  problems::search_kind kind;
  problems::ring_limits limits;  ///< of a near or far pile, in elements
};

/// Searches to run together. Everything is borrowed.
struct batch_request {
  std::span<const graph::vertex_id> sources;  ///< at least one
  /// With targets a search ends when the distances of all of them are final, and only these are answered.
  std::span<const graph::vertex_id> targets = {};
  graph::wide_distance_bits cutoff = graph::wide_unreached;  ///< bits of a distance: what is farther is not reached
  bool keep = false;                                         ///< whether all distances are kept, for distances()
  /// Where distances are kept, 0 or 1. What is in the other one stays there.
  unsigned buffer = 0;
};

class solver {
 public:
  virtual ~solver() = default;

  /// As tuner::problem_instance::prepare(). @throws backends::launch_error
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation mode) = 0;

  /// @throws backends::out_of_device_memory when not even one search fits, or not all the distances that are to be kept
  [[nodiscard]] virtual tuner::run_report run(const batch_request& asked, double time_limit_ms) = 0;

  /// Rows of the last run that was ok with this buffer: what was kept of `count` searches from `first` on, n words each, or the
  /// distances of the targets. Words have 4 bytes, of float64 8. Any thread may call this, also while another run is under way
  /// with the other buffer.
  /// @param to memory of backend::allocate_host()
  virtual void copy_rows(unsigned buffer, std::size_t first, std::size_t count, void* to) = 0;

  // Of the last run that was ok:
  /// One for each search; of searches with targets all zeros.
  [[nodiscard]] virtual std::vector<batch_answer> answers() = 0;
  /// Where the run kept them: of searches `first` to `first` + `count` - 1, n words each. Of a type of 4 bytes.
  [[nodiscard]] virtual std::vector<graph::distance_bits> distances(std::size_t first, std::size_t count) = 0;
  /// The memory where the last run kept its distances, or with targets theirs; what the two functions around this bring to the
  /// host. Whoever changes it has them changed.
  /// @throws backends::launch_error for processors
  [[nodiscard]] virtual const backends::device_memory& device_distances() const = 0;
  /// Of a run with targets: a word for each of them for each search, unreached where there is no path.
  [[nodiscard]] virtual std::vector<graph::distance_bits> target_distances() = 0;
  /// Both of float64.
  [[nodiscard]] virtual std::vector<graph::wide_distance_bits> wide_distances(std::size_t first, std::size_t count) = 0;
  [[nodiscard]] virtual std::vector<graph::wide_distance_bits> wide_target_distances() = 0;
};

/// Reads numbers of a configuration.
struct batch_numbers {
  explicit batch_numbers(const tuner::configuration& chosen);

  std::string solver;
  unsigned threads;
  unsigned blocks;  ///< of a multiprocessor
  double delta;     ///< in average weights
  unsigned near_items;
  unsigned ell_width;
  bool packed_rows;
  bool by_place;  ///< whether neighbours are side by side in device memory
  unsigned parts;
  unsigned concurrent;
};

[[nodiscard]] std::span<const tuner::parameter_declaration> declared_parameters();
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);
/// Whether a solver of this name is a kernel, else it runs on processors.
[[nodiscard]] bool is_kernel(const std::string& solver);

/// The file of a kernel, relative to kernels/.
[[nodiscard]] std::string kernel_file(const std::string& solver);
[[nodiscard]] backends::kernel_source kernel_variant(const tuner::configuration& chosen, problems::search_kind kind,
                                                     graph::weight_type weights, bool count);
[[nodiscard]] backends::kernel_source cpu_variant(const std::string& solver);
/// Of the searches on processors.
[[nodiscard]] std::string cpu_source_hash();

/// The input outlives the solver.
[[nodiscard]] std::unique_ptr<solver> make_kernel_solver(const batch_input& input);
[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(const batch_input& input);

}  // namespace mlmq::batches
