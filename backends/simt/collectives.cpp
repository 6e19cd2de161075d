// SPDX-License-Identifier: Apache-2.0
// Collectives: an arriving lane waits until its whole warp or block has arrived at the same call.
#include <algorithm>
#include <cstring>

#include "backends/simt/engine.hpp"

namespace mlmq::backends::simulator {
namespace {

using simt::simulator::collective;

bool same_site(const call_site& a, const call_site& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

/// CUDA guarantees memory ordering for the barriers only; a vote or a shuffle exchanges values and nothing else.
bool orders_memory(collective kind) { return kind == collective::sync_warp; }

/// Replaces the values that the lanes passed with those that they receive.
void exchange_values(warp_state& warp) {
  auto& value = warp.value;
  std::uint64_t result = 0;
  switch (warp.kind[0]) {
    case collective::none:
    case collective::sync_warp:
    case collective::sync_block:
      break;
    case collective::ballot:
      for (std::uint32_t l = 0; l < simt::warp_size; ++l) result |= value[l] << l;
      break;
    case collective::any:
    case collective::warp_or:
      for (const std::uint64_t v : value) result |= v;
      break;
    case collective::all:
    case collective::warp_min:
      result = *std::min_element(value.begin(), value.end());
      break;
    case collective::warp_max:
      result = *std::max_element(value.begin(), value.end());
      break;
    case collective::warp_add:
      for (const std::uint64_t v : value) result += v;
      break;
    case collective::inclusive_scan:
      for (std::uint64_t& v : value) v = result = (result + v) & 0xFFFFFFFFu;
      return;
    case collective::shuffle: {
      const auto original = value;
      for (std::uint32_t l = 0; l < simt::warp_size; ++l) value[l] = original[warp.from_lane[l] % simt::warp_size];
      return;
    }
    case collective::match_any: {
      const auto original = value;
      for (std::uint32_t l = 0; l < simt::warp_size; ++l) {
        value[l] = 0;
        for (std::uint32_t other = 0; other < 32; ++other) {
          value[l] |= static_cast<std::uint64_t>(original[other] == original[l]) << other;
        }
      }
      return;
    }
  }
  value.fill(result);
}

}  // namespace

std::uint64_t engine::collect(lane_state& lane, collective kind, std::uint64_t value, std::uint32_t from_lane,
                              call_site site) {
  warp_state& warp = *lane.in;
  const std::uint32_t l = lane.lane;
  ++statistics_.collectives;
  warp.value[l] = value;
  warp.from_lane[l] = from_lane;
  warp.kind[l] = kind;
  warp.site[l] = site;
  if (warp.arrived != 0) {
    const auto other = static_cast<std::uint32_t>(std::countr_zero(warp.arrived));
    if (warp.kind[other] != kind || !same_site(warp.site[other], site)) warp.mixed = true;
  }
  warp.arrived |= 1u << l;
  warp.runnable &= ~(1u << l);
  if ((warp.arrived | warp.ended) == all_lanes) settle(warp);
  if (stopping_) throw launch_stopped{};
  if ((warp.runnable >> l & 1) != 0) {
    // The last lane to arrive continues without a switch; the clocks of its warp are equal.
    set_horizon(std::min(clock_of(lane), order_.first_clock()));
  } else {
    yield_lane(lane);
  }
  return warp.value[l];
}

void engine::settle(warp_state& warp) {
  if (warp.arrived == 0) {
    ++blocks_[warp.block].ended_warps;
    settle_block(warp.block);
  } else if (warp.ended != 0 || warp.mixed) {
    record("divergent collective",
           "the lanes of one warp wait for each other at different places: " + name_groups(warp));
  } else if (warp.kind[0] == collective::sync_block) {
    warp.at_barrier = true;
    ++blocks_[warp.block].warps_at_barrier;
    settle_block(warp.block);
  } else if (warp.kind[0] == simt::simulator::arrive_cluster) {
    arrive_at_cluster(warp);
  } else if (warp.kind[0] == simt::simulator::wait_cluster) {
    wait_for_cluster(warp);
  } else {
    complete(warp);
  }
}

void engine::settle_block(std::uint32_t block) {
  const block_state& state = blocks_[block];
  if (state.warps_at_barrier == 0 || state.warps_at_barrier + state.ended_warps < warps_per_block_) return;
  if (state.ended_warps != 0) {
    record("deadlock", "sync_block waits for warps that have ended; " + name_waiting());
    return;
  }
  const warp_state& first = warps_[block * warps_per_block_];
  for (std::uint32_t w = 1; w < warps_per_block_; ++w) {
    if (!same_site(first.site[0], (&first)[w].site[0])) {
      record("divergent collective",
             "the warps of one block wait for each other at different places: " + name_waiting());
      return;
    }
  }
  complete_block(block);
}

void engine::complete(warp_state& warp) {
  exchange_values(warp);
  const ticks last = *std::max_element(warp.clock.begin(), warp.clock.end());
  const ticks now = last + jittered(cost::collective);
  warp.clock.fill(now);
  warp.floor = now;
  trace(*warp.lanes[0], static_cast<std::uint64_t>(warp.kind[0]), now);
  if (races_ && orders_memory(warp.kind[0])) races_->warp_barrier(warp.index);
  warp.kind.fill(collective::none);
  warp.runnable = all_lanes;
  warp.arrived = 0;
  warp.mixed = false;
  ++warp.collectives;
}

void engine::complete_block(std::uint32_t block) {
  warp_state* const first = &warps_[block * warps_per_block_];
  ticks last = 0;
  for (std::uint32_t w = 0; w < warps_per_block_; ++w) {
    last = std::max(last, *std::max_element(first[w].clock.begin(), first[w].clock.end()));
  }
  for (std::uint32_t w = 0; w < warps_per_block_; ++w) {
    warp_state& warp = first[w];
    const ticks now = last + jittered(cost::sync_block);
    warp.clock.fill(now);
    warp.floor = now;
    warp.kind.fill(collective::none);
    warp.runnable = all_lanes;
    warp.arrived = 0;
    warp.mixed = false;
    warp.at_barrier = false;
    ++warp.collectives;
    trace(*warp.lanes[0], static_cast<std::uint64_t>(collective::sync_block), now);
    if (&warp != current_) order_.set(warp.index, now);
  }
  blocks_[block].warps_at_barrier = 0;
  if (races_) races_->block_barrier(block);
}

}  // namespace mlmq::backends::simulator
