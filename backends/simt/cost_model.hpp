// SPDX-License-Identifier: Apache-2.0
// Cost of every operation of a lane. The simulator's times are computed from this table only.
#pragma once

#include <cstdint>

namespace mlmq::backends::simulator {

/// Unit of the clocks: a sixteenth of a cycle. This is fine enough for the service time of one address, and an integer,
/// so that a seed gives the same times on every machine.
using ticks = std::uint64_t;
inline constexpr ticks ticks_per_cycle = 16;

/// Version of the numbers below. The architecture of a simulated device is "simt-<version>".
inline constexpr unsigned cost_model_version = 1;

/// Costs, based on a clock of 1.98 GHz and roughly on microbenchmarks on an H200. They are latencies, not occupancies:
/// a lane waits for each of its operations, and parallel lanes overlap because every lane has its own clock.
namespace cost {
inline constexpr double clock_ghz = 1.98;

inline constexpr ticks collective = 25 * ticks_per_cycle;  ///< a warp collective, counted from the last arrival
inline constexpr ticks sync_block = 40 * ticks_per_cycle;  ///< the block's barrier, counted from the last arrival
inline constexpr ticks clock_read = 20 * ticks_per_cycle;

inline constexpr ticks shared_load = 30 * ticks_per_cycle;  ///< 15 ns
inline constexpr ticks shared_store = 10 * ticks_per_cycle;
inline constexpr ticks shared_atomic = 60 * ticks_per_cycle;
inline constexpr ticks shared_service = 2 * ticks_per_cycle;  ///< updates of one shared word: one every 2 cycles

inline constexpr ticks cluster_load = 190 * ticks_per_cycle;  ///< shared memory of another block of the cluster
inline constexpr ticks cluster_store = 20 * ticks_per_cycle;  ///< issue only
inline constexpr ticks cluster_arrive = 20 * ticks_per_cycle;
inline constexpr ticks cluster_barrier = 250 * ticks_per_cycle;  ///< counted from the last arrival

inline constexpr ticks global_load = 287 * ticks_per_cycle;    ///< 145 ns, served by L2
inline constexpr ticks l1_hit = 38 * ticks_per_cycle;          ///< load_readonly of a line in the cache of the
                                                               ///< multiprocessor
inline constexpr ticks global_store = 10 * ticks_per_cycle;    ///< issue only: a lane does not wait for a store
inline constexpr ticks global_atomic = 392 * ticks_per_cycle;  ///< 198 ns until the result arrives
inline constexpr ticks reduce_issue = 30 * ticks_per_cycle;    ///< an atomic without a result
/// Service time of an update of one global word: 1.35 G/s.
inline constexpr ticks global_service = 23;
/// Service time of an atomic load of one word, for loads of different warps.
inline constexpr ticks load_service = 8;
/// Maximum backlog of updates without a result to one word; beyond it a lane has to wait.
inline constexpr ticks reduce_backlog = 1000 * ticks_per_cycle;

inline constexpr ticks fence_block = 20 * ticks_per_cycle;
inline constexpr ticks fence_device = 500 * ticks_per_cycle;
/// An acquire at device scope invalidates the L1 cache.
inline constexpr ticks acquire_device = 40 * ticks_per_cycle;

inline constexpr double launch_ns = 3000;
inline constexpr double fill_ns = 2000;
inline constexpr double fill_bytes_per_ns = 4200;  ///< 4.2 TB/s
}  // namespace cost

/// Converts nanoseconds to ticks, limited to 10^19.
constexpr ticks ticks_of_ns(double nanoseconds) {
  constexpr double most_ticks = 1e19;
  const double exact = nanoseconds * cost::clock_ghz * static_cast<double>(ticks_per_cycle);
  return static_cast<ticks>(exact < most_ticks ? exact : most_ticks);
}
constexpr double ns_of_ticks(ticks time) {
  return static_cast<double>(time) / (cost::clock_ghz * static_cast<double>(ticks_per_cycle));
}

}  // namespace mlmq::backends::simulator
