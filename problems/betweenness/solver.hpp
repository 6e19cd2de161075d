// SPDX-License-Identifier: Apache-2.0
// The interface of solvers that compute scores: a kernel, or processors with one source per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "problems/betweenness/scores.hpp"
#include "problems/multi_source/batch.hpp"

namespace mlmq::betweenness {

/// Input of all solvers of one instance. The instance owns it and outlives its solvers.
struct betweenness_input {
  backends::backend& device;
  const graph::csr_graph& graph;  ///< must be simple
  const std::string& name;        ///< name of the graph, for messages
  const multi_source::search_problem& searching;
  multi_source::search_instance& searches;  ///< searches of the same graph on the same device
  problems::search_kind kind;
};

/// Sources whose scores are added. All members are borrowed.
struct betweenness_request {
  std::span<const graph::vertex_id> sources;  ///< at least one
  score_units units;
  bool endpoints = false;          ///< whether a path also counts for its end vertices
  std::uint64_t memory_bytes = 0;  ///< device memory for distances; 0: a quarter of it, at most 4 GiB
};

class solver {
 public:
  virtual ~solver() = default;

  /// Like tuner::problem_instance::prepare(). @throws backends::launch_error
  virtual void prepare(const tuner::configuration& chosen, std::shared_ptr<const backends::kernel> compiled,
                       tuner::instrumentation mode) = 0;

  /// Computes the scores of a request.
  /// @throws backends::out_of_device_memory if not even one source fits
  /// @throws input_error if shortest paths cannot be counted
  [[nodiscard]] virtual tuner::run_report run(const betweenness_request& request, double time_limit_ms) = 0;

  /// Returns the sums of the last successful run, one per vertex.
  [[nodiscard]] virtual std::vector<fixed_score> scores() = 0;
};

/// The parameters that host code uses.
struct betweenness_numbers {
  explicit betweenness_numbers(const tuner::configuration& chosen);

  std::string solver;
  std::string search;
  unsigned threads;
  unsigned blocks;  ///< blocks per multiprocessor
  unsigned concurrent;
};

[[nodiscard]] std::span<const tuner::parameter_declaration> declared_parameters();
[[nodiscard]] std::string solver_of(const tuner::configuration& chosen);
/// Returns whether the solver of this name is a kernel; the others run on processors.
[[nodiscard]] bool is_kernel(const std::string& solver);

inline constexpr const char* kernel_file = "multi_source/betweenness.cu";
[[nodiscard]] backends::kernel_source kernel_variant(const tuner::configuration& chosen, problems::search_kind kind,
                                                     graph::weight_type weights, bool count);
[[nodiscard]] backends::kernel_source cpu_variant(const std::string& solver);
/// Returns a hash of the source code that runs on processors.
[[nodiscard]] std::string cpu_source_hash();

/// @param input must outlive the solver
[[nodiscard]] std::unique_ptr<solver> make_kernel_solver(const betweenness_input& input);
[[nodiscard]] std::unique_ptr<solver> make_cpu_solver(const betweenness_input& input);

}  // namespace mlmq::betweenness
