// SPDX-License-Identifier: Apache-2.0
// A session of peers on one graph and source. The first run creates the files that they read and the reference answer.
#pragma once

#include <memory>
#include <span>

#include "backends/backend.hpp"
#include "problems/compare/peer.hpp"
#include "problems/shortest_paths/peers/peer.hpp"
#include "tuner/configuration.hpp"
#include "tuner/query.hpp"
#include "tuner/workload.hpp"

namespace mlmq::problems::search_peers {

/// Returns the parameters of a peer that has a list `delta`. @param delta in average weights
[[nodiscard]] tuner::configuration parameters_with(double delta);

/// Opens a session.
/// @param programs must outlive the session
/// @param workload a graph; must outlive the session
/// @throws input_error if the query does not fit the graph
[[nodiscard]] std::unique_ptr<compare::peer_session> open_session(std::span<const peer> programs,
                                                                  const tuner::workload& workload,
                                                                  const tuner::query& query, bool unit_weights,
                                                                  const backends::device_info& device);

}  // namespace mlmq::problems::search_peers
