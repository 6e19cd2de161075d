// SPDX-License-Identifier: Apache-2.0
// What a peer is asked: one workload and one query. Each problem has a class of tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "db/records.hpp"
#include "graph/csr.hpp"
#include "problems/peers/peer.hpp"
#include "tuner/configuration.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::peers {

/// The right answer does not fit its type, so that no answer can be checked.
class uncheckable_answer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class peer_task {
 public:
  virtual ~peer_task() = default;

  /// @throws input_error if the peer cannot be asked this; uncheckable_answer
  virtual void require_fit(const peer& program) = 0;

  /// Writes the files that the command of a fitting peer names, and removes the answers of earlier processes.
  /// @param parameters one of the peer's parameter sets
  /// @return the values of the problem's placeholders
  /// @throws input_error if a format cannot represent the workload
  [[nodiscard]] virtual placeholder_values write_input(const peer& program, const tuner::configuration& parameters) = 0;

  /// Checks the answer of the last process. @return "" or a description of the first error
  [[nodiscard]] virtual std::string find_error(const peer& program, const peer_output& printed) = 0;

  /// Adds the counters of a correct answer.
  virtual void add_counters(const peer_output& printed, db::trial_result& result) const = 0;
};

/// A task of searches of a workload. @throws input_error if the workload cannot answer the query
[[nodiscard]] std::unique_ptr<peer_task> search_task(const tuner::workload& workload, const tuner::query& query,
                                                     bool unit_weights);
/// @param average_weight of the graph, the unit of {delta}
[[nodiscard]] std::unique_ptr<peer_task> search_task(const graph::csr_graph& graph, graph::vertex_id source,
                                                     bool unit_weights = false, double average_weight = 1);
[[nodiscard]] std::unique_ptr<peer_task> phold_task(const tuner::workload& workload, const tuner::query& query);
[[nodiscard]] std::unique_ptr<peer_task> astar_task(const tuner::workload& workload, const tuner::query& query);
[[nodiscard]] std::unique_ptr<peer_task> multi_source_task(const tuner::workload& workload, const tuner::query& query);

/// Returns the parameters of a peer that has a list `delta`. @param delta in average weights
[[nodiscard]] tuner::configuration parameters_with(double delta);

/// How to run one process of a peer.
struct process_settings {
  std::uint64_t samples = 1;  ///< number of times to measure, without warm-up
  unsigned threads = 1;       ///< for peers on processors
  unsigned device = 0;        ///< N of cuda:N
};

/// Starts the peer once and checks its answer. Failures of the peer are reported as outcomes, not as exceptions:
/// timeout (the process group is killed), crashed (a signal or an exit status, with the end of the output),
/// launch_error (the peer cannot be started or prints no time), wrong_answer, constraint (the peer cannot be asked
/// this), overflow (its answer cannot be checked).
[[nodiscard]] db::trial_result run_peer(const peer& program, peer_task& task, const process_settings& settings = {},
                                        const tuner::configuration& parameters = {});

}  // namespace mlmq::peers
