// SPDX-License-Identifier: Apache-2.0
// Coarsens a large graph: neighbouring vertices are merged into clusters of about equal load.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "base/uninitialized_vector.hpp"
#include "graph/csr.hpp"
#include "graph/weighted_rows.hpp"

namespace mlmq::graph {

struct clusters {
  uninitialized_vector<std::uint32_t> cluster_of;  ///< cluster of each vertex
  weighted_rows between;  ///< graph of the clusters: their loads, and the number of edges between two clusters
};

/// Grows clusters by breadth-first search until each has the required load. Vertices left over between clusters join a
/// neighbouring cluster. The time is proportional to the size of the graph.
/// @param loads   load of each vertex
/// @param enough  load at which a cluster stops growing. A cluster may have up to twice this load, or more if it is a
///   single vertex.
/// @return the same for any number of threads
[[nodiscard]] clusters cluster(const csr_graph& graph, std::span<const std::uint32_t> loads, std::uint64_t enough,
                               thread_team& team);

}  // namespace mlmq::graph
