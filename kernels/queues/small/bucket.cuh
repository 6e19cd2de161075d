// SPDX-License-Identifier: Apache-2.0
// Small queue: buckets by integer key, by one warp. The key is the upper part of an element; elements of one key come
// out last in, first out, whatever their lower parts.
//
// Bucket key % buckets is a stack of chunks of 32 elements. A word in shared memory holds the top chunk of a bucket and
// its count. Bits in a register of each lane show which buckets hold elements, so that two ballots find the lowest. All
// keys in the queue are within `buckets` of each other.
//
// Inserting 32 elements of any keys takes one access to shared memory, one independent store per element and about 60
// instructions of the warp; removing up to 32 elements of one key takes one dependent load. Costs do not grow with the
// number of elements. Suited to open lists of searches, whose keys lie in a small window that moves up.
#pragma once

#include "queues/small/small_queue.cuh"

namespace mlmq {

/// Memory: small_bucket_shape. Insertion also returns false if the keys would lie too far apart; then nothing is
/// inserted.
/// @tparam Traits those of all small queues, with a group of 32 lanes; buckets, a power of two from 32 to 1024;
/// key_shift, the number of bits of an element below its key, which has at most 32 bits
template <class Traits, class Counters>
class small_bucket : public small_queue<small_bucket<Traits, Counters>, Traits, Counters> {
  using base = small_queue<small_bucket<Traits, Counters>, Traits, Counters>;
  using base::group_, base::size_, base::capacity_;
  static constexpr u32 buckets = Traits::buckets;
  static constexpr u32 chunk_size = simt::warp_size;
  static_assert(base::lanes == simt::warp_size, "a warp owns a queue of buckets");
  static_assert(buckets >= 32 && buckets <= 1024 && (buckets & (buckets - 1)) == 0);

 public:
  using element = typename base::element;
  using group = typename base::group;
  using base::none;

  static constexpr small_queue_shape shape(u32 capacity) { return small_bucket_shape(capacity, buckets); }

  SIMT_DEVICE small_bucket(const small_queue_storage<element>& storage, u32 queue, group owner, void* scratch,
                           Counters& counters)
      : base(storage, queue, owner, counters),
        tops_(static_cast<u32*>(scratch) + simt::warp_in_block() * buckets),
        chunks_(small_bucket_chunks(storage.capacity, buckets)) {
    size_ = base::load_state(size_word);
    lowest_ = base::load_state(lowest_word);
    highest_ = base::load_state(highest_word);
    touched_ = base::load_state(touched_word);
    free_ = base::load_state(free_word);
    used_ = base::load_state(used_words + simt::lane());
    for (u32 pending_buckets = used_; pending_buckets != 0; pending_buckets &= pending_buckets - 1) {
      const u32 bucket = simt::lane() * 32 + simt::first_set(pending_buckets);
      simt::store(tops_ + bucket, base::load_state(top_words + bucket));
    }
    simt::sync_warp();
  }

  SIMT_DEVICE void save() {
    simt::sync_warp();
    base::store_state(size_word, size_);
    base::store_state(lowest_word, lowest_);
    base::store_state(highest_word, highest_);
    base::store_state(touched_word, touched_);
    base::store_state(free_word, free_);
    if (base::exists_) {
      store_own(used_words + simt::lane(), used_);
      for (u32 pending_buckets = used_; pending_buckets != 0; pending_buckets &= pending_buckets - 1) {
        const u32 bucket = simt::lane() * 32 + simt::first_set(pending_buckets);
        store_own(top_words + bucket, simt::load(tops_ + bucket));
      }
    }
    simt::sync_warp();
  }

  SIMT_DEVICE void clear() { size_ = touched_ = free_ = used_ = 0; }

  /// Returns the least key. The queue must not be empty.
  SIMT_DEVICE u32 least_key() {
    find_lowest();
    return lowest_;
  }

  SIMT_DEVICE element least() {
    if (size_ == 0) return none;
    const u32 top = simt::load(tops_ + find_lowest());
    return base::load_place(chunk_of(top) * chunk_size + count_of(top) - 1);
  }

  SIMT_DEVICE bool insert(element e, bool enabled = true) { return insert_many(e, enabled && simt::lane() == 0); }

  SIMT_DEVICE bool insert_many(element e, bool has_element) {
    const u32 writers = simt::ballot(has_element);
    if (writers == 0) return true;
    const u32 key = static_cast<u32>(e >> Traits::key_shift);
    if (!admit(key, has_element, simt::popcount(writers))) return false;

    const u32 bucket = key % buckets;
    // Lanes without an element must have no peers.
    const u32 peers = simt::match_any(has_element ? bucket : buckets + simt::lane());
    const u32 order = simt::popcount(peers & simt::lanes_below());
    const u32 first_lane = simt::first_set(peers);
    const bool is_used = (simt::shuffle(used_, bucket / 32) >> bucket % 32 & 1) != 0;
    const bool is_leader = has_element && order == 0;
    // A bucket without chunks is treated like one with a full chunk that links nowhere.
    const u32 top = has_element && is_used ? simt::load(tops_ + bucket) : pack(no_chunk, chunk_size);
    const u32 count = count_of(top) + simt::popcount(peers);
    const u32 fresh = simt::shuffle(take_chunks(is_leader && count > chunk_size), first_lane);
    const u32 place = count_of(top) + order;
    simt::sync_warp();
    if (has_element) {
      base::store_place(place < chunk_size ? chunk_of(top) * chunk_size + place : (fresh - 1) * chunk_size + place, e);
    }
    if (is_leader && count > chunk_size) base::store_place(link_place(fresh), chunk_of(top));
    if (is_leader) {
      simt::store(tops_ + bucket, count > chunk_size ? pack(fresh, count - chunk_size) : pack(chunk_of(top), count));
    }
    for (u32 pending_lanes = simt::ballot(is_leader && !is_used); pending_lanes != 0;
         pending_lanes &= pending_lanes - 1) {
      const u32 now_used = simt::shuffle(bucket, simt::first_set(pending_lanes));
      if (simt::lane() == now_used / 32) used_ |= 1u << now_used % 32;
    }
    simt::sync_warp();
    return true;
  }

  SIMT_DEVICE element remove_least(bool enabled = true) { return simt::shuffle(remove_many(enabled ? 1 : 0), 0); }

  SIMT_DEVICE element remove_many(u32 requested) {
    u32 remaining = requested < size_ ? requested : size_;
    element removed = none;
    for (u32 done = 0; remaining != 0;) {
      const u32 bucket = find_lowest();
      const u32 top = simt::load(tops_ + bucket);
      const u32 count = count_of(top);
      const u32 taken_count = remaining < count ? remaining : count;
      const u32 rank = simt::lane() - done;
      if (rank < taken_count) removed = base::load_place(chunk_of(top) * chunk_size + count - 1 - rank);
      simt::sync_warp();
      shrink(bucket, top, taken_count);
      done += taken_count;
      remaining -= taken_count;
      size_ -= taken_count;
    }
    return removed;
  }

 private:
  static constexpr u32 size_word = 0, lowest_word = 1, highest_word = 2, touched_word = 3, free_word = 4;
  static constexpr u32 used_words = 5, top_words = used_words + simt::warp_size;
  static_assert(top_words == small_bucket_state_words);
  static constexpr u32 no_chunk = 0x03FFFFFFu;

  SIMT_DEVICE static u32 pack(u32 chunk, u32 count) { return chunk << 6 | count; }
  SIMT_DEVICE static u32 chunk_of(u32 top) { return top >> 6; }
  SIMT_DEVICE static u32 count_of(u32 top) { return top & 63; }
  /// Behind the chunks: for each chunk the one below it in its bucket, and a stack of free chunks.
  SIMT_DEVICE u32 link_place(u32 chunk) const { return chunks_ * chunk_size + chunk; }
  SIMT_DEVICE u32 free_place(u32 i) const { return chunks_ * (chunk_size + 1) + i; }
  SIMT_DEVICE void store_own(u32 word, u32 value) const {
    simt::store(base::state_ + static_cast<u64>(word) * base::queues_, value);
  }

  /// Updates the range of keys for the elements of the lanes with `has_element`, and counts the elements.
  /// @return false if they do not fit
  SIMT_DEVICE bool admit(u32 key, bool has_element, u32 count) {
    u32 low = simt::warp_min(has_element ? key : ~0u);
    u32 high = simt::warp_max(has_element ? key : 0);
    if (size_ != 0) {
      low = low < lowest_ ? low : lowest_;
      high = high > highest_ ? high : highest_;
    }
    if (high - low >= buckets || capacity_ - size_ < count) return false;
    lowest_ = low;
    highest_ = high;
    size_ += count;
    return true;
  }

  /// Returns one chunk for each lane that wants one; the result of other lanes is undefined.
  SIMT_DEVICE u32 take_chunks(bool wants) {
    const u32 takers = simt::ballot(wants);
    const u32 i = simt::popcount(takers & simt::lanes_below());
    const u32 taken = simt::popcount(takers);
    const u32 reused = taken < free_ ? taken : free_;
    u32 chunk = touched_ + i - reused;
    if (wants && i < reused) chunk = static_cast<u32>(base::load_place(free_place(free_ - 1 - i)));
    free_ -= reused;
    touched_ += taken - reused;
    SIMT_ASSERT(touched_ <= chunks_);
    return chunk;
  }

  /// Returns the bucket of the least key, and stores that key. The queue must not be empty.
  SIMT_DEVICE u32 find_lowest() {
    const u32 start = lowest_ % buckets;
    const u32 start_lane = start / 32;
    const u32 from_start = ~0u << start % 32;
    const u32 candidates = simt::lane() == start_lane ? used_ & from_start : used_;
    const u32 holders = simt::ballot(candidates != 0);
    const u32 at_or_behind = holders & ~0u << start_lane;
    // The search wraps around the end; the buckets before the start, in the word of the start, come last.
    const u32 holder = at_or_behind != 0 ? simt::first_set(at_or_behind)
                       : holders != 0    ? simt::first_set(holders)
                                         : start_lane;
    u32 bits = simt::shuffle(used_, holder);
    if (holder == start_lane) bits &= at_or_behind != 0 ? from_start : ~from_start;
    const u32 bucket = holder * 32 + simt::first_set(bits);
    lowest_ += (bucket - start) % buckets;
    return bucket;
  }

  /// Removes `taken_count` elements from the top chunk of a bucket.
  SIMT_DEVICE void shrink(u32 bucket, u32 top, u32 taken_count) {
    const u32 chunk = chunk_of(top);
    if (count_of(top) != taken_count) {
      if (simt::lane() == 0) simt::store(tops_ + bucket, top - taken_count);
    } else {
      const u32 below = static_cast<u32>(base::load_place(link_place(chunk)));
      if (simt::lane() == 0) base::store_place(free_place(free_), chunk);
      ++free_;
      if (below == no_chunk) {
        if (simt::lane() == bucket / 32) used_ &= ~(1u << bucket % 32);
      } else if (simt::lane() == 0) {
        simt::store(tops_ + bucket, pack(below, chunk_size));
      }
    }
    simt::sync_warp();
  }

  u32* tops_;  ///< for each used bucket: its top chunk, and the number of elements in it
  u32 chunks_;
  u32 used_ = 0;     ///< bit i of lane l: whether bucket 32 l + i holds anything
  u32 lowest_ = 0;   ///< lower bound of all keys
  u32 highest_ = 0;  ///< upper bound of all keys
  u32 touched_ = 0;  ///< chunks that have ever been used
  u32 free_ = 0;     ///< chunks in the stack of free ones
};

}  // namespace mlmq
