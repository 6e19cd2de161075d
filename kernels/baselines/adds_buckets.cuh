// SPDX-License-Identifier: Apache-2.0
// The buckets of ADDS from the view of a worker warp, which only writes (section 5.2 of the paper). New elements are
// staged in shared memory and written in groups.
#pragma once

#include "baselines/adds_abi.cuh"
#include "baselines/baseline_configuration.cuh"
#include "queues/warp_deque.cuh"
#include "vertex_element.cuh"

namespace mlmq {

template <u32 bucket_count, class Counters>
class adds_buckets {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE adds_buckets(const adds_arguments& arguments, adds_worker_words* block, u64* storage, Counters& counters)
      : arguments_(arguments), block_(block), staged_(storage), counters_(counters) {}

  /// Warp collective, called before the elements of an assignment: sets the window that maps distances.
  SIMT_DEVICE void use_window(u64 window) { window_ = window; }

  /// Warp collective: stages the elements of the lanes with `valid`.
  SIMT_DEVICE void write(element e, bool valid) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    staged_.push_back(e, writers);
    if (staged_.room() < simt::warp_size) write_group();
  }

  /// Warp collective: writes all staged elements to the buckets.
  SIMT_DEVICE void write_all() {
    while (staged_.size() != 0) write_group();
  }

 private:
  SIMT_DEVICE u32 bucket_of(element e) const {
    // Unpacked here, where the load of the window has long returned.
    const u32 head = adds_window::head(window_);
    const float base = simt::as_float(adds_window::base_bits(window_));
    const u32 power = static_cast<u32>(127 - adds_window::exponent(window_)) << 23;
    const float scale = arguments_.buckets_per_distance * simt::as_float(power);
    const float place = (baseline_configuration::distance::to_float(distance_of(e)) - base) * scale;
    // Distances beyond the last bucket, and NaN, go to the last bucket.
    const float last = static_cast<float>(bucket_count - 1);
    const u32 behind = place < last ? (place > 0.0f ? static_cast<u32>(place) : 0) : bucket_count - 1;
    const u32 bucket = head + behind;
    return bucket < bucket_count ? bucket : bucket - bucket_count;
  }

  /// Writes up to 32 staged elements.
  SIMT_DEVICE void write_group() {
    element e = 0;
    const bool valid = staged_.pop_front(e);
    const u32 bucket = valid ? bucket_of(e) : bucket_count;
    const u32 group = simt::match_any(bucket);
    const u32 leader = simt::first_set(group);
    u32 index = 0;
    if (valid && simt::lane() == leader) {
      index = simt::atomic_add<order::relaxed, scope::device>(&arguments_.control->buckets[bucket].reserved,
                                                              simt::popcount(group));
      counters_.add(counter::queue_atomics, 1);
    }
    index = simt::shuffle(index, leader) + simt::popcount(group & simt::lanes_below());
    u32 position = no_storage;
    if (valid) {
      counters_.add(counter::l2_writes, 1);
      position = find_storage(bucket, index);
      if (position != no_storage) simt::store(arguments_.pool + position, e);
    }
    const u32 segment = position == no_storage ? no_storage : position / adds_segment;
    const u32 segment_peers = simt::match_any(segment);
    // All lanes write elements and reservations before their bits: a thread that sees a bit may read the element.
    simt::sync_warp();
    if (segment != no_storage && simt::lane() == simt::first_set(segment_peers)) {
      // Elements of a group that share a segment are neighbours there. Each bit is added once.
      const u64 bits = ((u64{1} << simt::popcount(segment_peers)) - 1) << position % adds_segment;
      simt::reduce_add<order::release, scope::device>(arguments_.written + segment, bits);
      counters_.add(counter::queue_atomics, 1);
    }
  }

  /// Returns the pool position of element `index` of the bucket. Waits until the manager has provided the storage;
  /// returns no_storage if the run ends first.
  SIMT_DEVICE u32 find_storage(u32 bucket, u32 index) const {
    const u32 number = index >> arguments_.block_shift;
    u64* const cached_entry = &block_->translation[bucket];
    u64 entry = simt::load_atomic<order::acquire, scope::block>(cached_entry);
    if (!is_of(entry, number)) {
      const u64* const table_entry = &arguments_.control->table[bucket][number % adds_max_blocks];
      for (;;) {
        entry = simt::load_atomic<order::acquire, scope::device>(table_entry);
        if (is_of(entry, number)) break;
        if (simt::load_atomic<order::relaxed, scope::device>(&arguments_.control->status) !=
            static_cast<u32>(run_status::running)) {
          return no_storage;
        }
        simt::backoff(100);
      }
      simt::store_atomic<order::release, scope::block>(cached_entry, entry);
    }
    const u32 storage = static_cast<u32>(entry) - 1;
    return (storage << arguments_.block_shift) + (index & ((1u << arguments_.block_shift) - 1));
  }

  SIMT_DEVICE static bool is_of(u64 entry, u32 number) {
    return static_cast<u32>(entry) != 0 && static_cast<u32>(entry >> 32) == number;
  }

  static constexpr u32 no_storage = 0xFFFFFFFFu;

  const adds_arguments& arguments_;
  adds_worker_words* block_;
  warp_deque<element, adds_stage> staged_;
  Counters& counters_;
  u64 window_ = 0;
};

}  // namespace mlmq
