// SPDX-License-Identifier: Apache-2.0
// The barrier of a cluster of blocks, in two halves: after arriving, a warp continues; a waiting warp stays until all
// warps of the cluster have arrived.
#include <algorithm>

#include "backends/simt/engine.hpp"

namespace mlmq::backends::simulator {

void engine::arrive_at_cluster(warp_state& warp) {
  if (warp.at_cluster) {
    record("unmatched cluster barrier", "a warp arrives twice without waiting: " + name_groups(warp));
    return;
  }
  complete(warp);
  warp.at_cluster = true;
  if (races_) races_->cluster_arrival(warp.index);
  const std::uint32_t index = cluster_of(warp.block);
  cluster_state& cluster = clusters_[index];
  cluster.last_arrival = std::max(cluster.last_arrival, warp.floor + jittered(cost::cluster_arrive));
  if (++cluster.arrived_warps < warps_per_cluster()) return;
  cluster.barrier_end = cluster.last_arrival + jittered(cost::cluster_barrier);
  cluster.arrived_warps = 0;
  cluster.last_arrival = 0;
  ++cluster.barriers_passed;
  if (races_) races_->cluster_meeting(index);
  warp_state* const first = &warps_[index * warps_per_cluster()];
  for (std::uint32_t w = 0; w < warps_per_cluster(); ++w) {
    // Release the warps that already wait for this barrier. Others are between the two halves and may be at a barrier
    // of their block.
    if (first[w].at_barrier && first[w].kind[0] == simt::simulator::wait_cluster) come_out_of_cluster(first[w]);
  }
}

void engine::wait_for_cluster(warp_state& warp) {
  if (!warp.at_cluster) {
    record("unmatched cluster barrier", "a warp waits without having arrived: " + name_groups(warp));
  } else if (clusters_[cluster_of(warp.block)].barriers_passed > warp.barriers_passed) {
    come_out_of_cluster(warp);
  } else {
    warp.at_barrier = true;
  }
}

void engine::come_out_of_cluster(warp_state& warp) {
  const ticks warp_clock = *std::max_element(warp.clock.begin(), warp.clock.end());
  const ticks now = std::max(warp_clock, clusters_[cluster_of(warp.block)].barrier_end) + jittered(cost::collective);
  warp.clock.fill(now);
  warp.floor = now;
  warp.kind.fill(simt::simulator::collective::none);
  warp.runnable = all_lanes;
  warp.arrived = 0;
  warp.mixed = false;
  warp.at_barrier = false;
  warp.at_cluster = false;
  ++warp.barriers_passed;
  ++warp.collectives;
  trace(*warp.lanes[0], static_cast<std::uint64_t>(simt::simulator::wait_cluster), now);
  if (races_) races_->cluster_wait(warp.index);
  if (&warp != current_) order_.set(warp.index, now);
}

}  // namespace mlmq::backends::simulator
