// SPDX-License-Identifier: Apache-2.0
// The open list of one search as a ring of buckets by f = length so far + least length to the goal. It belongs to a
// warp.
//
// A step from a cell of bucket b leads to an f of at most 2·diagonal_step more, and never to less, because the estimate
// is consistent. All open cells therefore lie in the current bucket and a fixed number of buckets after it, and a ring
// of a power of two of them never wraps onto itself. A bucket is a stack: its lowest items are in shared memory, those
// above in global memory, and items are never moved. An item is a cell alone: its f is computed from the table, which
// also identifies items that a shorter path has outdated.
#pragma once

#include "astar/configuration.cuh"

namespace path_finding {

class bucket_ring {
 public:
  /// Buckets that a step of 2·diagonal_step can span, the current one, and one more that the last may touch.
  static constexpr u32 reach = (2 * diagonal_step >> bucket_bits) + 2;
  static constexpr u32 buckets = jumping ? 32 : reach <= 4 ? 4 : reach <= 8 ? 8 : reach <= 16 ? 16 : 32;
  static_assert(reach <= 32, "buckets are looked at by one warp, a lane each");

  /// @param shared one word per bucket, then near_items items per bucket
  /// @param far far_capacity items per bucket
  SIMT_DEVICE bucket_ring(u8* shared, u8* far, u32 far_capacity)
      : sizes_(reinterpret_cast<u32*>(shared)),
        near_(reinterpret_cast<cell_item*>(shared + buckets * sizeof(u32))),
        far_(reinterpret_cast<cell_item*>(far)),
        far_capacity_(far_capacity) {}

  /// Empties the list. @param least lower bound of all later f
  SIMT_DEVICE void begin(u32 least) {
    if (simt::lane() < buckets) simt::store(sizes_ + simt::lane(), 0u);
    present_ = least >> bucket_bits;
    simt::sync_warp();
  }

  /// Returns whether the item that this lane has just taken was added for this f.
  SIMT_DEVICE bool is_current(u32 f) const { return f >> bucket_bits == present_; }

  /// Returns whether the item's f is beyond the ring; such an item has waited in the last bucket.
  SIMT_DEVICE bool is_later(u32 f) const { return f >> bucket_bits > present_; }

  /// Takes up to cells_at_once cells of the lowest non-empty bucket, last in first out.
  /// @param limit items with this f or more need not be taken
  /// @param cell of lane i, for i below the result
  /// @return the number of cells; 0 if the list is empty
  SIMT_DEVICE u32 take(u32 limit, u32& cell) {
    const u32 lane = simt::lane();
    u32 size = 0;
    if (lane < buckets) size = simt::load(sizes_ + slot_of(present_ + lane));
    const u32 filled = simt::ballot(size != 0);
    if (filled == 0) return 0;
    const u32 ahead = simt::first_set(filled);
    if (present_ + ahead > limit >> bucket_bits) return 0;
    present_ += ahead;
    size = simt::shuffle(size, ahead);
    const u32 taken = size < cells_at_once ? size : cells_at_once;
    const u32 slot = slot_of(present_);
    if (lane == ahead) simt::store(sizes_ + slot, size - taken);  // the lane that has read it
    if (lane < taken) {
      const u32 place = size - taken + lane;
      cell = place < near_items ? simt::load(near_ + slot * near_items + place)
                                : simt::load(far_ + static_cast<u64>(slot) * far_capacity_ + (place - near_items));
    }
    simt::sync_warp();  // what is read here is not overwritten before
    return taken;
  }

  /// Called by all lanes together. @param has whether this lane has a cell
  /// @return false in a lane whose cell does not fit
  SIMT_DEVICE bool add(bool has, u32 cell, u32 f) { return !has || add_to(bucket_of(f), cell); }

  /// This list makes no comparisons.
  SIMT_DEVICE void store_counts(u64* /*sums*/) const {}

 private:
  SIMT_DEVICE static u32 slot_of(u32 bucket) { return bucket % buckets; }

  SIMT_DEVICE u32 bucket_of(u32 f) const {
    const u32 bucket = f >> bucket_bits;
    if constexpr (exact_mode && !jumping) return bucket;
    // A jump may reach beyond the ring. Rounded lengths may fall, and rise by more than they should.
    const u32 last = present_ + buckets - 1;
    return bucket < present_ ? present_ : bucket > last ? last : bucket;
  }

  SIMT_DEVICE bool add_to(u32 bucket, u32 cell) {
    const u32 slot = slot_of(bucket);
    const u32 place = simt::atomic_add<simt::order::relaxed, simt::scope::block>(sizes_ + slot, 1u);
    if (place < near_items) {
      simt::store(near_ + slot * near_items + place, static_cast<cell_item>(cell));
      return true;
    }
    if (place - near_items >= far_capacity_) return false;
    simt::store(far_ + static_cast<u64>(slot) * far_capacity_ + (place - near_items), static_cast<cell_item>(cell));
    return true;
  }

  u32* sizes_;
  cell_item* near_;
  cell_item* far_;
  u32 far_capacity_;
  u32 present_ = 0;
};

}  // namespace path_finding
