// SPDX-License-Identifier: Apache-2.0
// L2 bucket queue: bnum rings, one for each interval of Δ distances (MLMQ, section 4.2, L2DQ; Δ-stepping).
//
// Buckets are numbered by distance / Δ; the rings show a window of bnum consecutive buckets. The manager raises `base`
// to the first bucket that holds work; readers take from `late` buckets below it up to `concurrent` above it. The late
// buckets are there because a writer knows `base` only through its block's copy: what it writes for a bucket that the
// base has just passed is still found first, instead of after a whole turn of the rings. Where all workers of a block wait,
// its courier takes from `idle_buckets`: what that costs in work, idle warps do. A distance beyond the window
// goes to the last bucket; when that bucket opens, its elements are sorted into the window as it is then. If none
// belongs there, the base would go from window to window to reach them; so workers leave the lowest bucket they met
// beyond the window in `beyond`, and the manager jumps to it as soon as only the last ring holds work. A base that is
// too high costs order, never an element.
#pragma once

#include "queues/l2_rings.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l2_bucket : public l2_rings<Counters> {
  static constexpr u32 late = 2;

 public:
  static constexpr u32 part_count = Configuration::bnum;
  static constexpr u32 open_parts = late + Configuration::concurrent_buckets;
  static constexpr u32 parts_when_idle =
      late + (Configuration::idle_buckets > Configuration::concurrent_buckets ? Configuration::idle_buckets
                                                                              : Configuration::concurrent_buckets);
  static constexpr u32 first_base = late;
  static_assert((part_count & (part_count - 1)) == 0, "bnum is a power of two");
  static_assert(part_count <= max_rings && parts_when_idle < part_count);

  SIMT_DEVICE l2_bucket(const search_arguments& arguments, const block_words* block, Counters& counters)
      : l2_rings<Counters>(arguments, block, counters), buckets_per_distance_(arguments.buckets_per_distance) {}

  /// Warp collective: files the element of every lane with `valid` under its bucket.
  SIMT_DEVICE void write(element e, bool valid) {
    if (!simt::any(valid)) return;
    const u32 lowest = known_base() - late;
    const u32 bucket = bucket_of(e);
    const u32 distance_from_lowest = bucket > lowest ? bucket - lowest : 0;
    const u32 last = part_count - 1;
    const u32 place = lowest + (distance_from_lowest < last ? distance_from_lowest : last);
    this->template push<false>(place % part_count, e, valid);
  }

  static constexpr bool is_always_open = false;

  /// False for an element from the last bucket that belongs further up: it is to be written again.
  SIMT_DEVICE bool is_open(element e) const {
    const u32 bucket = bucket_of(e);
    const u32 base = known_base();
    return bucket < base || bucket - base < parts_when_idle - late;
  }

  SIMT_DEVICE u32 open_part(u32 base, u32 rank) const { return (base - late + rank) % part_count; }
  SIMT_DEVICE u32 part_in_order(u32 base, u32 rank) const { return open_part(base, rank); }
  /// Warp collective of the manager: the base once the `rank`-th part in priority order is the first that holds work.
  SIMT_DEVICE u32 advanced_base(u32 base, u32 rank) const {
    if (rank <= late) return base;
    const u32 next = base + rank - late;
    if (rank != part_count - 1) return next;
    u32 beyond = 0;
    if (simt::lane() == 0) {
      beyond = simt::atomic_exchange<simt::order::relaxed, simt::scope::device>(&this->arguments_.control->beyond, ~0u);
    }
    beyond = simt::shuffle(beyond, 0);
    if (beyond == ~0u || beyond < next + part_count) return next;
    // As high as `beyond` allows such that the ring with the work is the first to be read.
    return beyond - (beyond - late - open_part(base, rank)) % part_count;
  }

  /// Warp collective of a worker: the elements of the lanes with `valid` were not open.
  SIMT_DEVICE void note_deferred(element e, bool valid) const {
    const u32 bucket = simt::warp_min(valid ? bucket_of(e) : ~0u);
    if (simt::lane() == 0 && bucket - known_base() >= part_count) {
      simt::atomic_min<simt::order::relaxed, simt::scope::device>(&this->arguments_.control->beyond, bucket);
    }
  }

 private:
  SIMT_DEVICE u32 known_base() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&this->block_->base);
  }
  SIMT_DEVICE u32 bucket_of(element e) const {
    const float bucket = Configuration::distance::to_float(distance_of(e)) * buckets_per_distance_;
    // Far below 2^32, so that base + bnum cannot wrap.
    return late + static_cast<u32>(bucket < 2147483648.0f ? bucket : 2147483648.0f);
  }

  float buckets_per_distance_;
};

}  // namespace mlmq
