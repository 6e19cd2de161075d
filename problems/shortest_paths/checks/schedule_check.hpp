// SPDX-License-Identifier: Apache-2.0
// Fuzzing of the queues: every L1 queue above every L2 queue, and every competitor, on adversarial graphs, under many
// schedules of the simulator. Each answer is compared with Dijkstra's algorithm.
//
// The seed of a schedule and the two queues determine all choices: the parameters, the ring capacity, the source,
// whether warps stall, the interleaving. A schedule_case therefore identifies a failure completely.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/csr.hpp"
#include "problems/shortest_paths/search.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::problems {

/// An L1 queue above an L2 queue, as values of the parameters l1 and l2; or a competitor.
struct queue_pair {
  std::string l1;  ///< empty for a competitor, like l2
  std::string l2;
  std::string solver = std::string(default_solver);

  /// Returns whether this is a pair of queues, not a competitor.
  [[nodiscard]] bool has_queues() const { return solver_named(solver).combines_queues; }
  bool operator==(const queue_pair&) const = default;
};

/// Returns all pairs of search_declarations(), in order, then the competitors.
[[nodiscard]] std::vector<queue_pair> all_queue_pairs();

/// Returns the name that users select: "vector,bucket", or the name of a competitor.
[[nodiscard]] std::string name_of(const queue_pair& queues);

/// All inputs of a schedule.
struct schedule_case {
  queue_pair queues;
  std::string graph;  ///< see graph/adversarial.hpp
  graph::weight_type weights = graph::weight_type::uint32;
  search_kind problem = search_kind::sssp;
  std::uint64_t seed = 1;
};

struct schedule_check_options {
  std::vector<queue_pair> queues;           ///< empty: all
  std::vector<std::string> graphs;          ///< empty: adversarial_names()
  std::vector<search_kind> problems;        ///< empty: both
  std::vector<graph::weight_type> weights;  ///< empty: both
  /// Schedules per pair of queues. Schedule i has the seed `seed` + i and the i-th combination of graph, problem and
  /// weights, cyclically.
  std::uint64_t schedules = 240;
  std::uint64_t seed = 1;
  unsigned jobs = 0;    ///< threads, each with its own simulators; 0: one per core
  std::string kernels;  ///< folder of the kernel sources; empty: backends::kernel_folder()
};

struct schedule_failure {
  schedule_case test_case;
  std::string configuration;  ///< label of the configuration
  graph::vertex_id source = 0;
  std::string message;  ///< description of the error
};

/// The schedules of one pair of queues.
struct queue_pair_result {
  queue_pair queues;
  std::uint64_t schedules = 0;  ///< number of schedules run
  std::uint64_t failures = 0;
  std::uint64_t operations = 0;  ///< simulated operations; only of the last run if a ring was full
  double seconds = 0;            ///< time of one core
};

struct schedule_check_report {
  std::vector<queue_pair_result> results;   ///< one per pair of queues
  std::size_t variants = 0;                 ///< variants compiled or loaded from the cache
  double compile_seconds = 0;               ///< wall time
  double run_seconds = 0;                   ///< wall time
  std::optional<schedule_failure> failure;  ///< the first in the order of schedules, for any number of threads
};

struct schedule_check_progress {
  bool compiling = false;  ///< `done` and `total` count variants instead of schedules
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

/// Runs the schedules until one fails.
/// @param progress called periodically in the calling thread
/// @throws input_error for an unknown queue, solver or graph; backends::compile_error
[[nodiscard]] schedule_check_report check_schedules(
    const schedule_check_options& options, const std::function<void(const schedule_check_progress&)>& progress = {});

}  // namespace mlmq::problems
