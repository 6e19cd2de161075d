// SPDX-License-Identifier: Apache-2.0
// State of every lane, warp and block of a launch.
#pragma once

#include <array>
#include <boost/context/fiber.hpp>
#include <cstdint>

#include "backends/simt/call_site.hpp"
#include "backends/simt/cost_model.hpp"
#include "backends/simt/fiber_annotations.hpp"
#include "kernels/simt/plain_api.hpp"

namespace mlmq::backends::simulator {

class engine;
struct warp_state;

inline constexpr std::uint32_t all_lanes = 0xFFFFFFFFu;

/// State of a lane. It is stored at the upper end of the lane's stack and is reused by every launch.
struct lane_state : simt::simulator::plain_lane_view {
  engine* owner = nullptr;
  warp_state* in = nullptr;
  std::uint64_t shared_start = 0;   ///< offset of the block's shared memory in the device's memory
  boost::context::fiber suspended;  ///< where the lane resumes; empty while it runs
  [[no_unique_address]] annotated_stack stack;
};
static_assert(sizeof(lane_state) <= simt::simulator::view_bytes);

struct warp_state {
  std::uint32_t index = 0;  ///< number within the grid
  std::uint32_t block = 0;
  std::uint32_t multiprocessor = 0;
  std::uint32_t runnable = 0;  ///< lanes that can continue; the others wait at a collective or have ended
  std::uint32_t started = 0;
  std::uint32_t ended = 0;
  std::uint32_t absent = 0;           ///< lanes beyond the threads of the block; they count as ended
  std::uint32_t arrived = 0;          ///< lanes that wait at a collective
  bool mixed = false;                 ///< whether the waiting lanes are at different collectives
  bool at_barrier = false;            ///< whether all lanes wait for the block or the cluster
  bool at_cluster = false;            ///< whether the warp has arrived at the cluster's barrier and not left it yet
  std::uint32_t barriers_passed = 0;  ///< number of cluster barriers that the warp has passed
  std::uint32_t collectives = 0;      ///< number of completed collectives
  ticks last_backoff = 0;
  ticks floor = 0;  ///< clock after the last collective; no lane's clock is lower
  std::array<ticks, simt::warp_size> clock{};
  std::array<std::uint64_t, simt::warp_size> value{};  ///< passed to the collective, then received from it
  std::array<std::uint32_t, simt::warp_size> from_lane{};
  std::array<simt::simulator::collective, simt::warp_size> kind{};  ///< collective at which a lane waits; none while it
                                                                    ///< runs
  std::array<call_site, simt::warp_size> site{};                    ///< location of the last visible operation
  std::array<lane_state*, simt::warp_size> lanes{};
  std::array<std::uint32_t, simt::warp_size> mask{};  ///< lanes of the collective at which a lane of plain CUDA waits
};

struct cluster_state {
  std::uint32_t arrived_warps = 0;    ///< warps that have arrived at the next barrier
  std::uint32_t barriers_passed = 0;  ///< number of completed barriers
  ticks last_arrival = 0;             ///< latest arrival so far
  ticks barrier_end = 0;              ///< time at which the last barrier completed
};

struct block_state {
  std::uint32_t warps_at_barrier = 0;
  std::uint32_t ended_warps = 0;
};

}  // namespace mlmq::backends::simulator
