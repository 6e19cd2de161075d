// SPDX-License-Identifier: Apache-2.0
// The open list of one search as a ring of buckets by f = length so far + least length to the goal. One warp owns it.
//
// The estimate is consistent, so a step never decreases f and increases it by at most 2·diagonal_step. All open cells
// are therefore in the current bucket or in a fixed number of buckets after it, and a ring of a power of two of buckets
// never wraps onto itself. Each bucket is a stack: its lowest items are in shared memory, those above them in global
// memory, and items are never moved. An item is only a cell: its f is computed from the table, which also shows which
// items a shorter path has made outdated.
#pragma once

#include "astar/configuration.cuh"

namespace path_finding {

class bucket_ring {
 public:
  /// Number of buckets that are in use at a time: those that a step of 2·diagonal_step can span, the current bucket,
  /// and one more because a step may begin anywhere in a bucket.
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
    current_ = least >> bucket_bits;
    simt::sync_warp();
  }

  /// Returns whether the item that this lane has just taken was added for this f.
  SIMT_DEVICE bool is_current(u32 f) const { return f >> bucket_bits == current_; }

  /// Returns whether the item's f belongs to a later bucket. Such an item lay beyond the ring when it was added, and
  /// was put into the last bucket.
  SIMT_DEVICE bool is_later(u32 f) const { return f >> bucket_bits > current_; }

  /// Takes up to cells_at_once cells of the lowest non-empty bucket, last in first out.
  /// @param limit items with this f or more need not be taken
  /// @param cell set to the cell of this lane if the lane's number is less than the result
  /// @return the number of cells; 0 if the list is empty
  SIMT_DEVICE u32 take(u32 limit, u32& cell) {
    const u32 lane = simt::lane();
    u32 size = 0;
    if (lane < buckets) size = simt::load(sizes_ + slot_of(current_ + lane));
    const u32 filled = simt::ballot(size != 0);
    if (filled == 0) return 0;
    const u32 ahead = simt::first_set(filled);
    if (current_ + ahead > limit >> bucket_bits) return 0;
    current_ += ahead;
    size = simt::shuffle(size, ahead);
    const u32 taken = size < cells_at_once ? size : cells_at_once;
    const u32 slot = slot_of(current_);
    if (lane == ahead) simt::store(sizes_ + slot, size - taken);  // by the lane that has read the size
    if (lane < taken) {
      const u32 place = size - taken + lane;
      cell = place < near_items ? simt::load(near_ + slot * near_items + place)
                                : simt::load(far_ + static_cast<u64>(slot) * far_capacity_ + (place - near_items));
    }
    simt::sync_warp();  // all lanes must read before others overwrite
    return taken;
  }

  /// Called by all lanes together. @param has whether this lane has a cell
  /// @return false in a lane whose cell does not fit
  SIMT_DEVICE bool add(bool has_cell, u32 cell, u32 f) { return !has_cell || add_to(bucket_of(f), cell); }

  /// This list makes no comparisons.
  SIMT_DEVICE void store_counts(u64* /*sums*/) const {}

 private:
  SIMT_DEVICE static u32 slot_of(u32 bucket) { return bucket % buckets; }

  SIMT_DEVICE u32 bucket_of(u32 f) const {
    const u32 bucket = f >> bucket_bits;
    if constexpr (exact_mode && !jumping) return bucket;
    // A jump may lead beyond the ring. With rounded lengths, f may decrease, or increase by more than 2·diagonal_step.
    const u32 last = current_ + buckets - 1;
    return bucket < current_ ? current_ : bucket > last ? last : bucket;
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
  u32 current_ = 0;
};

}  // namespace path_finding
