// SPDX-License-Identifier: Apache-2.0
// Peers on one graph and source: the files that they read and the answer that theirs are compared with are made when the
// first of them runs.
#pragma once

#include <memory>
#include <span>

#include "backends/backend.hpp"
#include "compare/peer.hpp"
#include "problems/shortest_paths/peers/peer.hpp"
#include "tuner/configuration.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::problems::search_peers {

/// The parameters of a peer with the list `delta`. @param delta in average weights
[[nodiscard]] tuner::configuration parameters_with(double delta);

/// @param programs, on must outlive the session; `on` is a graph
/// @throws input_error for a query that the graph cannot answer
[[nodiscard]] std::unique_ptr<compare::peer_session> open_session(std::span<const peer> programs,
                                                                  const tuner::workload& on, const tuner::query& asked,
                                                                  bool unit_weights,
                                                                  const backends::device_info& device);

}  // namespace mlmq::problems::search_peers
