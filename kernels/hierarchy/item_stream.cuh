// SPDX-License-Identifier: Apache-2.0
// Reads items one after the other, the same one in all lanes. The lanes fetch 32 items at a time.
#pragma once

#include "hierarchy/configuration.cuh"

namespace mlmq::hierarchy {

class item_stream {
 public:
  /// Warp collective. @param buffer stream_items items of shared memory
  SIMT_DEVICE item_stream(const hierarchy_item* items, hierarchy_item* buffer)
      : items_(items), buffer_(buffer), next_of_lane_(simt::load(items + simt::lane())) {}

  /// Warp collective: returns the next item.
  SIMT_DEVICE hierarchy_item read() {
    if (used_ == stream_items) fetch();
    return simt::load(buffer_ + used_++);
  }

  /// Warp collective: returns how many items can be read by peek(), at least one and at most `limit`.
  SIMT_DEVICE u32 available(u32 limit) {
    if (used_ == stream_items) fetch();
    return smaller(limit, stream_items - used_);
  }
  SIMT_DEVICE hierarchy_item peek(u32 index) const { return simt::load(buffer_ + used_ + index); }
  SIMT_DEVICE void skip(u32 count) { used_ += count; }

 private:
  /// The host adds two buffers of items after the last one, so no end has to be checked.
  SIMT_DEVICE void fetch() {
    simt::sync_warp();
    simt::store(buffer_ + simt::lane(), next_of_lane_);
    items_ += stream_items;
    next_of_lane_ = simt::load(items_ + simt::lane());
    simt::sync_warp();
    used_ = 0;
  }

  const hierarchy_item* items_;
  hierarchy_item* buffer_;
  hierarchy_item next_of_lane_;  ///< this lane's item of the next 32
  u32 used_ = stream_items;
};

}  // namespace mlmq::hierarchy
