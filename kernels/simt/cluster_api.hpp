// SPDX-License-Identifier: Apache-2.0
// The interface between the simulator and kernels that run in clusters of blocks, in addition to simulator_api.hpp.
#pragma once

#include "simulator_api.hpp"

namespace simt::simulator {

/// Two more kinds of collectives: the halves of a cluster's barrier.
inline constexpr collective arrive_cluster = static_cast<collective>(static_cast<u32>(collective::sync_block) + 1);
inline constexpr collective wait_cluster = static_cast<collective>(static_cast<u32>(collective::sync_block) + 2);

/// State of a lane and its cluster. Every lane_view is one.
struct cluster_lane_view : lane_view {
  u32 block_in_cluster;
  u32 cluster_blocks;
  /// Bytes from the shared memory of a block of the cluster to that of the next one.
  u64 shared_distance;
};

}  // namespace simt::simulator
