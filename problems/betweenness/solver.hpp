// SPDX-License-Identifier: Apache-2.0
// What finds the scores of vertices: a kernel, or processors with a source a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "problems/betweenness/scores.hpp"
#include "problems/search_batches/batch.hpp"

namespace mlmq::centrality {

/// What all solvers of one instance work on. Belongs to the instance, which outlives its solvers.
struct betweenness_input {
  backends::backend& device;
  const graph::csr_graph& graph;  ///< a simple one
  const std::string& name;        ///< of the graph, for messages
  const batches::batch& searching;
  batches::batch_instance& searches;  ///< of the same graph on the same device
  problems::search_kind kind;
};

/// Sources whose scores are summed up. Everything is borrowed.
struct betweenness_request {
  std::span<const graph::vertex_id> sources;  ///< at least one
  score_units units;
  bool endpoints = false;          ///< whether a path counts for its ends, too
  std::uint64_t memory_bytes = 0;  ///< for distances on the device; 0: a quarter of the device's, and 4 GiB at most
};

class solver {
 public:
  virtual ~solver() = default;

  /// As tuner::problem_instance::prepare(). @throws backends::launch_error
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation mode) = 0;

  /// @throws backends::out_of_device_memory when not even one source fits
  /// @throws input_error when shortest paths cannot be counted
  [[nodiscard]] virtual tuner::run_report run(const betweenness_request& asked, double time_limit_ms) = 0;

  /// Sums of the last run that was ok, one for each vertex.
  [[nodiscard]] virtual std::vector<fixed_score> scores() = 0;
};

/// Reads numbers of a configuration.
struct betweenness_numbers {
  explicit betweenness_numbers(const tuner::configuration& chosen);

  std::string solver;
  std::string search;
  unsigned threads;
  unsigned blocks;  ///< of a multiprocessor
  unsigned concurrent;
};

[[nodiscard]] std::span<const tuner::parameter_declaration> declared_parameters();
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);
/// Whether a solver of this name is a kernel, else it runs on processors.
[[nodiscard]] bool is_kernel(const std::string& solver);

inline constexpr const char* kernel_file = "batches/betweenness.cu";
[[nodiscard]] backends::kernel_source kernel_variant(const tuner::configuration& chosen, problems::search_kind kind,
                                                     graph::weight_type weights, bool count);
[[nodiscard]] backends::kernel_source cpu_variant(const std::string& solver);
/// Of what runs on processors.
[[nodiscard]] std::string cpu_source_hash();

/// The input outlives the solver.
[[nodiscard]] std::unique_ptr<solver> make_kernel_solver(const betweenness_input& input);
[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(const betweenness_input& input);

}  // namespace mlmq::centrality
