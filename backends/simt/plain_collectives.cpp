// SPDX-License-Identifier: Apache-2.0
// Collectives of plain CUDA C++: those of a warp among the lanes of a mask, the barrier of a block, and that of the
// grid. As in CUDA, lanes that have ended count as arrived.
#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/simt/engine.hpp"

namespace mlmq::backends::simulator {
namespace {

using simt::simulator::collective;

bool same_site(const call_site& a, const call_site& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

bool is_barrier(collective kind) { return kind == collective::sync_block || kind == simt::simulator::sync_grid; }

template <class Operation>
std::uint64_t fold(const warp_state& warp, std::uint32_t group, std::uint64_t result, Operation operation) {
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    result = operation(result, warp.value[static_cast<std::uint32_t>(std::countr_zero(rest))]);
  }
  return result;
}

/// Replaces the values that the lanes of the group passed by those that they receive.
void exchange_values(warp_state& warp, collective kind, std::uint32_t group) {
  const auto original = warp.value;
  const auto set_all = [&](std::uint64_t result) {
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
      warp.value[static_cast<std::uint32_t>(std::countr_zero(rest))] = result;
    }
  };
  const auto set_each = [&](auto result_of) {
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
      const auto l = static_cast<std::uint32_t>(std::countr_zero(rest));
      warp.value[l] = result_of(l);
    }
  };
  const auto mask_where = [&](auto predicate) {
    std::uint64_t mask = 0;
    for (std::uint32_t l = 0; l < simt::warp_size; ++l) {
      if ((group >> l & 1) != 0 && predicate(original[l])) mask |= std::uint64_t{1} << l;
    }
    return mask;
  };
  constexpr std::uint64_t all_bits = ~std::uint64_t{0};
  if (kind == simt::simulator::warp_and) {
    set_all(fold(warp, group, all_bits, [](auto a, auto b) { return a & b; }));
  } else if (kind == simt::simulator::warp_xor) {
    set_all(fold(warp, group, 0, [](auto a, auto b) { return a ^ b; }));
  } else if (kind == collective::ballot) {
    set_all(mask_where([](std::uint64_t value) { return value != 0; }));
  } else if (kind == collective::any || kind == collective::warp_or) {
    set_all(fold(warp, group, 0, [](auto a, auto b) { return a | b; }));
  } else if (kind == collective::all || kind == collective::warp_min) {
    set_all(fold(warp, group, all_bits, [](auto a, auto b) { return std::min(a, b); }));
  } else if (kind == collective::warp_max) {
    set_all(fold(warp, group, 0, [](auto a, auto b) { return std::max(a, b); }));
  } else if (kind == collective::warp_add) {
    set_all(fold(warp, group, 0, [](auto a, auto b) { return a + b; }));
  } else if (kind == collective::match_any) {
    set_each([&](std::uint32_t l) { return mask_where([&](std::uint64_t value) { return value == original[l]; }); });
  } else if (kind == collective::shuffle) {
    // The value of a lane that takes no part is undefined: ones, which are not a number if they are floats.
    set_each([&](std::uint32_t l) {
      const std::uint32_t source = warp.from_lane[l] % simt::warp_size;
      return (group >> source & 1) != 0 ? original[source] : all_bits;
    });
  }
}

}  // namespace

std::uint64_t engine::collect_plain(lane_state& lane, collective kind, std::uint32_t mask, std::uint64_t value,
                                    std::uint32_t from_lane, call_site site) {
  warp_state& warp = *lane.in;
  const std::uint32_t l = lane.lane;
  ++statistics_.collectives;
  take_steps(lane);
  throw_if_stopped_here(lane, site);
  if ((mask >> l & 1) == 0) fail(lane, "wrong mask", site, "the mask of the lanes does not contain the lane itself");
  if (kind == simt::simulator::sync_grid && !launch_.plain->is_cooperative) {
    fail(lane, "wrong launch", site, "only a cooperative launch has a barrier of the grid");
  }
  warp.value[l] = value;
  warp.from_lane[l] = from_lane;
  warp.kind[l] = kind;
  warp.mask[l] = mask;
  warp.site[l] = site;
  warp.arrived |= 1u << l;
  warp.runnable &= ~(1u << l);
  if (is_barrier(kind) || !complete_group(warp, l)) settle_plain(warp);
  if (stopping_) throw launch_stopped{};
  yield_lane(lane);
  return warp.value[l];
}

bool engine::complete_group(warp_state& warp, std::uint32_t lane) {
  const std::uint32_t group = warp.mask[lane] & ~warp.ended;
  if ((group & ~warp.arrived) != 0) return false;
  const collective kind = warp.kind[lane];
  ticks last = 0;
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (warp.kind[l] != kind || warp.mask[l] != warp.mask[lane] || !same_site(warp.site[l], warp.site[lane])) {
      return false;
    }
    last = std::max(last, warp.clock[l]);
  }
  exchange_values(warp, kind, group);
  const ticks now = last + jittered(cost::collective);
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(rest));
    warp.clock[l] = now;
    warp.kind[l] = collective::none;
  }
  warp.runnable |= group;
  warp.arrived &= ~group;
  if ((group | warp.ended) == all_lanes) warp.floor = now;
  ++warp.collectives;
  trace(*warp.lanes[lane], static_cast<std::uint64_t>(kind), now);
  if (races_ && kind == collective::sync_warp) races_->warp_barrier(warp.index);
  return true;
}

// Called after a lane has arrived at a barrier or has ended, and if no group of lanes is complete.
void engine::settle_plain(warp_state& warp) {
  for (std::uint32_t rest = warp.arrived; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (!is_barrier(warp.kind[l])) static_cast<void>(complete_group(warp, l));
    rest &= warp.arrived | (1u << l);
  }
  if (warp.runnable != 0) return;
  if (warp.arrived == 0) {
    ++blocks_[warp.block].ended_warps;
    settle_plain_block(warp.block);
    if (warps_at_grid_ != 0) settle_grid();
    return;
  }
  const auto first = static_cast<std::uint32_t>(std::countr_zero(warp.arrived));
  for (std::uint32_t rest = warp.arrived; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (!is_barrier(warp.kind[l]) || warp.kind[l] != warp.kind[first] || !same_site(warp.site[l], warp.site[first])) {
      record("divergent collective",
             "the lanes of one warp wait for each other at different places: " + name_groups(warp));
      return;
    }
  }
  warp.at_barrier = true;
  if (warp.kind[first] == collective::sync_block) {
    ++blocks_[warp.block].warps_at_barrier;
    settle_plain_block(warp.block);
  } else {
    ++warps_at_grid_;
    settle_grid();
  }
}

void engine::release_from_barrier(warp_state& warp, ticks now) {
  for (std::uint32_t rest = warp.arrived; rest != 0; rest &= rest - 1) {
    warp.clock[static_cast<std::uint32_t>(std::countr_zero(rest))] = now;
  }
  warp.kind.fill(collective::none);
  warp.runnable = warp.arrived;
  warp.arrived = 0;
  warp.at_barrier = false;
  warp.floor = now;
  ++warp.collectives;
  trace(*warp.lanes[0], static_cast<std::uint64_t>(collective::sync_block), now);
  if (&warp != current_) order_.set(warp.index, now);
}

void engine::settle_plain_block(std::uint32_t block) {
  block_state& state = blocks_[block];
  if (state.warps_at_barrier == 0 || state.warps_at_barrier + state.ended_warps < warps_per_block_) return;
  warp_state* const warps = &warps_[block * warps_per_block_];
  ticks last = 0;
  std::uint64_t count = 0;
  const call_site* site = nullptr;
  for (std::uint32_t w = 0; w < warps_per_block_; ++w) {
    for (std::uint32_t rest = warps[w].arrived; rest != 0; rest &= rest - 1) {
      const auto l = static_cast<std::uint32_t>(std::countr_zero(rest));
      last = std::max(last, warps[w].clock[l]);
      count += warps[w].value[l] != 0 ? 1 : 0;
      if (site != nullptr && !same_site(*site, warps[w].site[l])) {
        record("divergent collective",
               "the warps of one block wait for each other at different places: " + name_waiting());
        return;
      }
      site = &warps[w].site[l];
    }
  }
  for (std::uint32_t w = 0; w < warps_per_block_; ++w) {
    if (warps[w].arrived == 0) continue;
    warps[w].value.fill(count);
    release_from_barrier(warps[w], last + jittered(cost::sync_block));
  }
  state.warps_at_barrier = 0;
  if (races_) races_->block_barrier(block);
}

void engine::settle_grid() {
  std::uint32_t ended = 0;
  for (const block_state& block : blocks_) ended += block.ended_warps;
  if (warps_at_grid_ + ended < warp_count_) return;
  ticks last = 0;
  for (const warp_state& warp : warps_) last = std::max(last, *std::max_element(warp.clock.begin(), warp.clock.end()));
  for (warp_state& warp : warps_) {
    if (warp.arrived == 0) continue;
    if (races_) races_->cluster_arrival(warp.index);
    release_from_barrier(warp, last + jittered(cost::cluster_barrier));
  }
  warps_at_grid_ = 0;
  if (!races_) return;
  races_->cluster_meeting(0);
  for (const warp_state& warp : warps_) {
    if (warp.runnable != 0) races_->cluster_wait(warp.index);
  }
}

}  // namespace mlmq::backends::simulator
