// SPDX-License-Identifier: Apache-2.0
// Launches of plain CUDA C++. The blocks run one after the other, since each finds its shared variables at the same
// addresses; those of a cooperative launch run side by side, and their shared variables are exchanged.
#include <algorithm>
#include <cstring>
#include <queue>
#include <string>

#include "backends/simt/engine.hpp"
#include "base/stop.hpp"

namespace mlmq::backends::simulator {
namespace {

simt::simulator::position position_of(std::uint64_t number, const extent& size) {
  return {static_cast<u32>(number % size.x), static_cast<u32>(number / size.x % size.y),
          static_cast<u32>(number / size.x / size.y)};
}

simt::simulator::position size_of(const extent& size) { return {size.x, size.y, size.z}; }

}  // namespace

void engine::place_lane(lane_state& lane) const {
  const plain_launch& plain = *launch_.plain;
  lane.steps = 0;
  lane.thread = position_of(lane.thread_in_block, plain.block);
  lane.block_position = position_of(lane.block, plain.grid);
  lane.block_size = size_of(plain.block);
  lane.grid_size = size_of(plain.grid);
}

void engine::begin_block(std::uint64_t block) {
  first_block_ = block;
  if (races_ && block != 0) {
    races_->begin_block();
    races_->forget_accesses(0, launch_.shared_bytes);
  }
  caches_[block % multiprocessors_].reset();
  std::fill(transfer_time_.begin(), transfer_time_.end(), 0);
  std::fill(transfers_.begin(), transfers_.end(), 0);
  prepare_lanes();
}

// A block starts when one of the resident blocks ends. Blocks that are resident on one multiprocessor share its
// connection to the device memory, so the multiprocessor is busy for at least the time that their transfers take.
void engine::run_blocks() {
  const plain_launch& plain = *launch_.plain;
  transfer_time_.assign(multiprocessors_, 0);
  transfers_.assign(1024, 0);
  accesses_until_check_ = 0;
  resident_window_ = 0;
  warps_at_grid_ = 0;
  std::vector<ticks> busy(multiprocessors_);
  ticks end = 0;
  const auto latest_clock = [&] {
    ticks latest = 0;
    for (const warp_state& warp : warps_) {
      latest = std::max(latest, *std::max_element(warp.clock.begin(), warp.clock.end()));
    }
    return latest;
  };
  if (plain.is_cooperative) {
    begin_block(0);
    run_lanes();
    end = std::max(latest_clock() * plain.turns, *std::max_element(transfer_time_.begin(), transfer_time_.end()));
  } else {
    using slot = std::pair<ticks, std::uint32_t>;  // when it is free; its multiprocessor
    std::priority_queue<slot, std::vector<slot>, std::greater<>> slots;
    for (std::uint32_t m = 0; m < multiprocessors_; ++m) {
      for (unsigned i = 0; i < plain.blocks_per_multiprocessor; ++i) slots.emplace(0, m);
    }
    for (std::uint64_t block = 0; block < plain.grid.count() && !finding_ && !failure_; ++block) {
      if (interrupted_.load(std::memory_order_relaxed)) throw interrupted();
      throw_if_stopped();
      begin_block(block);
      run_lanes();
      const auto [start, multiprocessor] = slots.top();
      slots.pop();
      const ticks block_end = start + latest_clock() * plain.turns;
      slots.emplace(block_end, multiprocessor);
      end = std::max(end, block_end);
      busy[multiprocessor] += transfer_time_[block % multiprocessors_];
      end = std::max(end, busy[multiprocessor]);
      if (end > time_limit_ && !finding_) {
        record("time limit", "the launch has taken more than " + std::to_string(settings_.time_limit_ms) +
                                 " modelled ms after block " + std::to_string(block));
      }
    }
  }
  statistics_.modelled_ns = ns_of_ticks(end);
}

void engine::exchange_window(const lane_state& lane) {
  const plain_launch& plain = *launch_.plain;
  const auto copy = [&](std::size_t begin, std::size_t bytes) {
    if (bytes == 0) return;
    std::byte* const window = plain.window.begin + begin;
    std::memcpy(heap_.address_at(resident_window_ * shared_distance_ + begin), window, bytes);
    std::memcpy(window, heap_.address_at(lane.in->block * shared_distance_ + begin), bytes);
  };
  const std::size_t after = plain.window.dynamic_offset + simt::simulator::max_dynamic_shared_bytes;
  copy(0, plain.window.dynamic_offset);
  copy(plain.window.dynamic_offset, plain.dynamic_bytes);
  copy(after, plain.window.bytes - std::min(plain.window.bytes, after));
  resident_window_ = lane.in->block;
}

}  // namespace mlmq::backends::simulator
