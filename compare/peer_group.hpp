// SPDX-License-Identifier: Apache-2.0
// Peers on one graph and source: the files that they read and the answer that theirs are compared with are made when the
// first of them runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "compare/answer.hpp"
#include "compare/peer.hpp"
#include "compare/peer_runner.hpp"
#include "db/records.hpp"
#include "tuner/configuration.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::compare {

class peer_group {
 public:
  /// @param loaded a graph; must outlive this
  /// @param problem "bfs": all weights are 1
  /// @throws input_error for a query that the graph cannot answer
  peer_group(const tuner::workload& loaded, const tuner::query& asked, const std::string& problem,
             const backends::device_info& device);

  /// One process. @param chosen a configuration of peer_configuration() @param samples times wanted
  [[nodiscard]] db::trial_result run(const peer& what, const tuner::configuration& chosen, std::uint64_t samples);

 private:
  const tuner::workload& loaded_;
  graph::vertex_id source_;
  bool unit_weights_;
  unsigned threads_;
  bool on_grid_;
  std::string selector_;
  peer_files files_;
  std::optional<right_answer> right_;
};

}  // namespace mlmq::compare
