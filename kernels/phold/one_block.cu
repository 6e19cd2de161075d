// SPDX-License-Identifier: Apache-2.0
// PHOLD by one block, for models with so few events per window that grid barriers would dominate the time.
//
// All entities share one calendar. Its open bucket is in shared memory, unordered. The block finds the least event of
// the bucket and then all events that are less than a lookahead later, links those of one entity so that each finds its
// rank among them, and executes all of them at once. Created events go to the open bucket or to a later one in global
// memory, which no thread reads before it is opened. A window waits for no access to global memory, except to the
// entities' counts if shared memory has no room for them.
//
// A window has three block barriers, with a few hundred cycles between them.
#include "phold/one_block_abi.cuh"
#include "phold/run_end.cuh"
#include "phold/sums.cuh"
#include "simt/simt.cuh"

namespace mlmq::phold {

class one_block {
  static constexpr u32 threads = simt::block_threads();
  static constexpr u32 warps = threads / simt::warp_size;
  static constexpr u32 nothing = ~0u;

 public:
  SIMT_DEVICE explicit one_block(const one_block_arguments& arguments) : arguments_(arguments) {
    u8* next = simt::shared_memory();
    const auto take = [&next](u32 bytes) {
      u8* const taken = next;
      next += bytes;
      return taken;
    };
    least_of_warps_ = reinterpret_cast<u64*>(take(32 * 8));
    words_ = reinterpret_cast<u32*>(take(64 * 8 - 32 * 8));
    near_ = reinterpret_cast<u64*>(take(arguments_.near_capacity * 8));
    due_ = reinterpret_cast<u64*>(take(arguments_.near_capacity * 8));
    near_owners_ = reinterpret_cast<u32*>(take(arguments_.near_capacity * 4));
    due_owners_ = reinterpret_cast<u32*>(take(arguments_.near_capacity * 4));
    next_due_ = reinterpret_cast<u32*>(take(arguments_.near_capacity * 4));
    executed_ = reinterpret_cast<u32*>(take(arguments_.near_capacity * 4));
    chains_ = reinterpret_cast<u32*>(take(entity_chains * 4));
    counts_ = reinterpret_cast<u32*>(take(arguments_.buckets * 4));
    indices_ = arguments_.shared_indices != 0 ? reinterpret_cast<u32*>(take(arguments_.shared_indices * 4))
                                              : arguments_.next_index;
  }

  SIMT_DEVICE void run() {
    const u64 deadline = simt::clock_ns() + arguments_.time_limit_ns;
    begin();
    u32 windows = 0;
    bool in_time = true;
    u64 first = least_near();
    while (in_time) {
      while (first == no_event && time_of_bucket(bucket_) < arguments_.end && in_time) {
        open_next();
        first = least_near();
        if (bucket_ % 1024 == 0) in_time = check_continues(deadline);
      }
      if (first >= least_at(arguments_.end)) break;
      // Events created here are never below the bound. Events of later buckets wait until these are opened.
      u64 bound = time_of(first) + arguments_.model.lookahead;
      if (arguments_.end < bound) bound = arguments_.end;
      const u32 parity = windows % 2;
      make_due(least_at(bound), parity);
      simt::sync_block();
      execute(parity);
      ++windows;
      if (windows % 1024 == 0) in_time = check_continues(deadline);
      first = least_near();
    }
    sums_.add_to(arguments_.sums);
    if (simt::thread_in_block() == 0) {
      simt::store(&arguments_.sums->windows, static_cast<u64>(windows));
      stop(arguments_.control, run_status::finished);
    }
  }

 private:
  // Words in shared memory that all threads use.
  enum word : u32 { near_size, due_sizes, due_sizes_1, run_continues };

  SIMT_DEVICE static u32 thread() { return simt::thread_in_block(); }
  SIMT_DEVICE u64 time_of_bucket(u32 bucket) const { return static_cast<u64>(bucket) << arguments_.bucket_shift; }
  SIMT_DEVICE u32 place_in(u32* count) const {
    return simt::atomic_add<simt::order::relaxed, simt::scope::block>(count, 1u);
  }
  SIMT_DEVICE u32 size(word index) const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(words_ + index);
  }
  SIMT_DEVICE u32 near_count() const {
    const u32 count = size(near_size);
    return count < arguments_.near_capacity ? count : arguments_.near_capacity;
  }
  SIMT_DEVICE void set_size(word index, u32 value) const {
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(words_ + index, value);
  }

  SIMT_DEVICE void begin() {
    if (thread() < 4) set_size(static_cast<word>(thread()), 0);
    for (u32 i = thread(); i < entity_chains; i += threads) store_chain(i, nothing);
    for (u32 i = thread(); i < arguments_.buckets; i += threads) store_count(i, 0);
    for (u32 i = thread(); i < arguments_.shared_indices; i += threads) simt::store(indices_ + i, 0u);
    simt::sync_block();
    for (u32 i = thread(); i < arguments_.initial_events; i += threads) {
      const event_draw drawn = initial_draw(arguments_.model, i);
      file(initial_event(drawn), drawn.target);
    }
    simt::sync_block();
    open();
  }

  SIMT_DEVICE void store_chain(u32 chain, u32 value) const {
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(chains_ + chain, value);
  }
  SIMT_DEVICE void store_count(u32 bucket, u32 value) const {
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(counts_ + bucket, value);
  }

  /// Puts an event into its bucket in global memory; an event beyond the ring goes to the last bucket, and is filed
  /// again from there.
  SIMT_DEVICE void file(u64 event, u32 owner) {
    const u64 behind = (time_of(event) >> arguments_.bucket_shift) - bucket_;
    const u32 slot = (bucket_ + static_cast<u32>(behind < arguments_.buckets ? behind : arguments_.buckets - 1)) &
                     (arguments_.buckets - 1);
    const u32 place = place_in(counts_ + slot);
    if (place >= arguments_.capacity) {
      stop(arguments_.control, run_status::queue_full);
      return;
    }
    const u64 position = static_cast<u64>(slot) * arguments_.capacity + place;
    simt::store(arguments_.events + position, event);
    simt::store(arguments_.owners + position, owner);
    sums_.count_move();
  }

  /// Loads the bucket that opens now to shared memory.
  SIMT_DEVICE void open() {
    const u32 slot = bucket_ & (arguments_.buckets - 1);
    u32 count = simt::load_atomic<simt::order::relaxed, simt::scope::block>(counts_ + slot);
    if (count > arguments_.capacity) count = arguments_.capacity;
    simt::sync_block();
    if (thread() == 0) {
      store_count(slot, 0);
      set_size(near_size, 0);
    }
    simt::sync_block();
    for (u32 i = thread(); i < count; i += threads) {
      const u64 position = static_cast<u64>(slot) * arguments_.capacity + i;
      const u64 event = simt::load(arguments_.events + position);
      const u32 owner = simt::load(arguments_.owners + position);
      if (time_of(event) < time_of_bucket(bucket_ + 1)) {
        add_near(event, owner);
      } else {
        // This event lay beyond the ring.
        file(event, owner);
        sums_.count_refiled();
      }
    }
    sums_.count_length(count);
    simt::sync_block();
  }

  SIMT_DEVICE void add_near(u64 event, u32 owner) {
    const u32 place = place_in(words_ + near_size);
    if (place >= arguments_.near_capacity) {
      stop(arguments_.control, run_status::queue_full);
      return;
    }
    simt::store(near_ + place, event);
    simt::store(near_owners_ + place, owner);
  }

  /// Returns whether the run continues, with the same result in all threads.
  SIMT_DEVICE bool check_continues(u64 deadline) {
    if (thread() == 0) {
      set_size(run_continues, watch_of(arguments_.control, deadline).end_if_due() ? 0 : 1);
    }
    simt::sync_block();
    const bool continues = size(run_continues) != 0;
    simt::sync_block();
    return continues;
  }

  SIMT_DEVICE void open_next() {
    ++bucket_;
    open();
  }

  /// Returns the least event of the open bucket, equal in all threads; no_event if there is none.
  SIMT_DEVICE u64 least_near() {
    const u32 count = near_count();
    u64 least = no_event;
    for (u32 i = thread(); i < count; i += threads) {
      const u64 event = simt::load(near_ + i);
      if (event < least) least = event;
    }
    sums_.count_comparisons(count / threads + 1);
    least = least_of_warp(least);
    if (simt::lane() == 0) simt::store(least_of_warps_ + simt::warp_in_block(), least);
    simt::sync_block();
    return least_of_warp(simt::lane() < warps ? simt::load(least_of_warps_ + simt::lane()) : no_event);
  }

  SIMT_DEVICE static u64 least_of_warp(u64 value) {
    const u32 high = static_cast<u32>(value >> 32);
    const u32 least_high = simt::warp_min(high);
    const u32 least_low = simt::warp_min(high == least_high ? static_cast<u32>(value) : ~0u);
    return static_cast<u64>(least_high) << 32 | least_low;
  }

  /// Moves events below the bound to the events of this window, and links them with those of their entity.
  SIMT_DEVICE void make_due(u64 bound, u32 parity) {
    const u32 count = near_count();
    u32* const due_size = words_ + due_sizes + parity;
    for (u32 base = 0; base < count; base += threads) {
      const u32 i = base + thread();
      const u64 event = i < count ? simt::load(near_ + i) : no_event;
      const bool is_due = event < bound;
      const u32 due_lanes = simt::ballot(is_due);
      if (due_lanes == 0) continue;
      u32 first = 0;
      if (simt::lane() == 0) {
        first = simt::atomic_add<simt::order::relaxed, simt::scope::block>(due_size, simt::popcount(due_lanes));
      }
      first = simt::shuffle(first, 0);
      if (!is_due) continue;
      const u32 owner = simt::load(near_owners_ + i);
      const u32 place = first + simt::popcount(due_lanes & simt::lanes_below());
      simt::store(near_ + i, no_event);
      simt::store(due_ + place, event);
      simt::store(due_owners_ + place, owner);
      const u32 before =
          simt::atomic_exchange<simt::order::relaxed, simt::scope::block>(chains_ + owner % entity_chains, place);
      simt::store(next_due_ + place, before);
    }
  }

  SIMT_DEVICE void execute(u32 parity) {
    const u32 count = size(static_cast<word>(due_sizes + parity));
    if (thread() == 0) set_size(static_cast<word>(due_sizes + (parity ^ 1)), 0);
    // All threads iterate together, because the counts of entities change between two barriers.
    for (u32 base = 0; base < count; base += threads) {
      const u32 i = base + thread();
      if (i < count) execute_one(i);
    }
    simt::sync_block();
    for (u32 i = thread(); i < count; i += threads) {
      // The thread that executed the last event of its entity knows the number of the entity's events.
      const u32 owner = simt::load(due_owners_ + i);
      store_chain(owner % entity_chains, nothing);
      const u32 executed = simt::load(executed_ + i);
      if (executed != nothing) simt::store(indices_ + owner, executed);
    }
  }

  SIMT_DEVICE void execute_one(u32 i) {
    const u64 event = simt::load(due_ + i);
    const u32 owner = simt::load(due_owners_ + i);
    u32 index = simt::load(indices_ + owner);
    bool is_last = true;
    u32 other = simt::load_atomic<simt::order::relaxed, simt::scope::block>(chains_ + owner % entity_chains);
    while (other != nothing) {
      if (simt::load(due_owners_ + other) == owner && other != i) {
        const u64 other_event = simt::load(due_ + other);
        if (other_event < event || (other_event == event && other < i)) {
          ++index;
        } else {
          is_last = false;
        }
        sums_.count_comparisons(1);
      }
      other = simt::load(next_due_ + other);
    }
    const event_draw drawn = draw(arguments_.model, owner, index);
    sums_.count_event(event, drawn);
    const u64 created = created_event(arguments_.model, event, drawn);
    if (time_of(created) < time_of_bucket(bucket_ + 1)) {
      add_near(created, drawn.target);
    } else {
      file(created, drawn.target);
    }
    simt::store(executed_ + i, is_last ? index + 1 : nothing);
  }

  const one_block_arguments& arguments_;
  u64* least_of_warps_;
  u32* words_;
  u64* near_;
  u64* due_;
  u32* near_owners_;
  u32* due_owners_;
  u32* next_due_;
  u32* executed_;  // events of an entity, written by the thread that executed the last of a window
  u32* chains_;
  u32* counts_;
  u32* indices_;  // events that each entity has executed
  u32 bucket_ = 0;
  thread_sums sums_;
};

}  // namespace mlmq::phold

SIMT_KERNEL(phold_one_block, mlmq::phold::one_block_arguments) { mlmq::phold::one_block(arguments).run(); }
