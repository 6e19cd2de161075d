// SPDX-License-Identifier: Apache-2.0
// PHOLD with a calendar for each entity: buckets of virtual time as wide as the lookahead, or a part of it.
//
// Windows are aligned: window k is [k · l, (k + 1) · l). Events that it creates lie in later windows, because the lookahead
// is l. So a bucket is complete when its window begins; no search for the least event is needed, and one barrier of the
// grid per window. An event is written once, to its bucket, and read once, by a group of lanes that owns the entity:
// it takes the whole bucket, ranks its events by comparing all with all in shared memory, and executes them at once. The
// rank is the order in which a queue would give them.
//
// Buckets of an entity are a ring. What lies beyond it goes to a list of the entity, which is filed again each time the
// ring has turned by half.
//
//   MLMQ_PHOLD_LANES   lanes of a group, 2 to 32
//   MLMQ_PHOLD_ITEMS   events of one lane that are under way together
#include "phold/calendar_abi.cuh"
#include "phold/grid_barrier.cuh"
#include "phold/sums.cuh"
#include "simt/simt.cuh"

namespace mlmq::phold {

/// Two keys, which are loaded together.
struct alignas(16) key_pair {
  u64 first, second;
};

class calendar {
  static constexpr u32 lanes = MLMQ_PHOLD_LANES;
  static constexpr u32 items = MLMQ_PHOLD_ITEMS;
  static constexpr u32 groups_of_warp = simt::warp_size / lanes;
  static constexpr u32 place_bits = 10;
  static constexpr u64 no_key = ~0ull;
  static_assert(lanes >= 2 && lanes <= simt::warp_size && (lanes & (lanes - 1)) == 0);

 public:
  SIMT_DEVICE explicit calendar(const calendar_arguments& arguments) : a_(arguments) {
    const u32 group = simt::thread_in_block() / lanes;
    keys_ = reinterpret_cast<u64*>(simt::shared_memory() + 16) + static_cast<u64>(group) * (a_.capacity + 4);
  }

  SIMT_DEVICE void run() {
    grid_barrier barrier(a_.control, reinterpret_cast<u32*>(simt::shared_memory()), a_.time_limit_ns);
    send_initial_events();
    u32 window = 0;
    while (barrier.wait() && window < a_.windows) {
      const u32 first = window * a_.buckets_per_window;
      if (first != 0 && first % (a_.buckets / 2) == 0) file_again(first);
      for (u32 part = 0; part < a_.buckets_per_window; ++part) open_buckets(first, part);
      ++window;
    }
    sums_.add_to(a_.sums);
    if (simt::block_index() == 0 && simt::thread_in_block() == 0) {
      simt::store(&a_.sums->windows, static_cast<u64>(window));
      if (window == a_.windows) stop(a_.control, run_status::finished);
    }
  }

 private:
  /// The part of a bucket that is prefetched.
  struct fetched {
    u32 count;
    u32 index;
    u64 events[items];
  };

  SIMT_DEVICE u32 bucket_of(u64 time) const {
    const u64 shortened = time >> a_.time_shift;
    const u64 most = 0xFFFFFFFFull;
    return static_cast<u32>((shortened < most ? shortened : most) * a_.bucket_factor >> 32);
  }
  /// The first time after a bucket.
  SIMT_DEVICE u64 end_of(u32 bucket) const {
    const u64 reached = static_cast<u64>(bucket + 1) << 32;
    return (reached + a_.bucket_factor - 1) / a_.bucket_factor << a_.time_shift;
  }
  SIMT_DEVICE u64 number_of(u32 bucket, u32 entity) const {
    return static_cast<u64>(bucket & (a_.buckets - 1)) * a_.model.entities + entity;
  }

  /// Half turns of the ring until a window.
  SIMT_DEVICE u32 half_turn(u32 first) const { return first / (a_.buckets / 2); }
  /// Number of an entity's list of what lies beyond the ring. There are two, which take turns.
  SIMT_DEVICE u64 number_of_list(u32 turn, u32 entity) const {
    return (a_.buckets + static_cast<u64>(turn % 2)) * a_.model.entities + entity;
  }

  /// Bucket or list for an event that is sent in the window whose first bucket is `first`.
  SIMT_DEVICE u64 place_for(u32 target, u64 event, u32 first) const {
    const u32 bucket = bucket_of(time_of(event));
    return bucket - first < a_.buckets ? number_of(bucket, target) : number_of_list(half_turn(first), target);
  }
  SIMT_DEVICE u32 take_place(u64 number) const {
    return simt::atomic_add<simt::order::relaxed, simt::scope::device>(a_.counts + number, 1u);
  }
  SIMT_DEVICE void write(u64 number, u32 place, u64 event) {
    const u64 lists = static_cast<u64>(a_.buckets) * a_.model.entities;
    const bool in_ring = number < lists;
    if (place < (in_ring ? a_.capacity : a_.list_capacity)) {
      simt::store((in_ring ? a_.slots + number * a_.capacity : a_.lists + (number - lists) * a_.list_capacity) + place,
                  event);
      sums_.count_move();
    } else {
      stop(a_.control, run_status::full);
    }
  }

  /// Files what lay beyond the ring in the last half turn: none of it is for this window.
  SIMT_DEVICE void file_again(u32 first) {
    const u32 step = warps() * groups_of_warp;
    for (u32 of_warp = warp() * groups_of_warp; of_warp < a_.model.entities; of_warp += step) {
      const u32 entity = of_warp + simt::lane() / lanes;
      const bool exists = entity < a_.model.entities;
      const u64 list = number_of_list(half_turn(first) - 1, entity);
      const u64* const events = a_.lists + (list - static_cast<u64>(a_.buckets) * a_.model.entities) * a_.list_capacity;
      u32 count = exists ? simt::load(a_.counts + list) : 0;
      simt::sync_warp();
      if (count != 0 && rank() == 0) simt::store(a_.counts + list, 0u);
      if (count > a_.list_capacity) count = a_.list_capacity;
      for (u32 place = rank(); place < count; place += lanes) {
        const u64 event = simt::load(events + place);
        const u64 number = place_for(entity, event, first);
        write(number, take_place(number), event);
        sums_.count_refiled();
      }
      sums_.count_length(count);
    }
  }

  SIMT_DEVICE static u32 warps() { return simt::grid_blocks() * (simt::block_threads() / simt::warp_size); }
  /// Number of this warp in the grid. Neighbours are of different blocks, so that few entities are spread over all.
  SIMT_DEVICE static u32 warp() { return simt::warp_in_block() * simt::grid_blocks() + simt::block_index(); }

  SIMT_DEVICE void send_initial_events() {
    const u32 threads = simt::grid_blocks() * simt::block_threads();
    const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
    for (u64 i = thread; i < a_.initial_events; i += threads) {
      const event_draw drawn = initial_draw(a_.model, static_cast<u32>(i));
      const u64 event = initial_event(drawn);
      const u64 number = place_for(drawn.target, event, 0);
      write(number, take_place(number), event);
    }
  }

  SIMT_DEVICE fetched fetch(u32 bucket, u32 entity) const {
    fetched found = {};
    if (entity >= a_.model.entities) return found;
    const u64 number = number_of(bucket, entity);
    found.count = simt::load(a_.counts + number);
    found.index = simt::load(a_.next_index + entity);
#pragma unroll
    for (u32 k = 0; k < items; ++k) {
      const u32 place = rank() + k * lanes;
      // Before the count is known: what is not an event is passed over.
      if (place < a_.capacity) found.events[k] = simt::load(a_.slots + number * a_.capacity + place);
    }
    return found;
  }

  /// One bucket of each entity. All lanes of a warp go through the same rounds.
  SIMT_DEVICE void open_buckets(u32 first, u32 part) {
    const u32 bucket = first + part;
    const u64 end = end_of(bucket);
    const u64 limit = least_at(end < a_.end ? end : a_.end);
    const u64 begin = bucket == 0 ? 0 : least_at(end_of(bucket - 1));
    const u32 step = warps() * groups_of_warp;
    const u32 group = simt::lane() / lanes;
    fetched next = fetch(bucket, warp() * groups_of_warp + group);
    for (u32 of_warp = warp() * groups_of_warp; of_warp < a_.model.entities; of_warp += step) {
      const u32 entity = of_warp + group;
      const fetched present = next;
      next = fetch(bucket, entity + step);
      const u32 count = present.count < a_.capacity ? present.count : a_.capacity;
      write_keys(present, number_of(bucket, entity), count, begin, limit);
      simt::sync_warp();
      if (count != 0) {
        if (rank() == 0) simt::store(a_.counts + number_of(bucket, entity), 0u);
        execute(present, bucket, first, entity, count);
        sums_.count_length(count);
      }
      simt::sync_warp();
    }
  }

  /// Returns a key that is unique within the bucket: the event's word relative to the bucket's begin, above its place. Events
  /// at or after the end have no key.
  SIMT_DEVICE static u64 key_of(u64 event, u32 place, u64 begin, u64 limit) {
    return event < limit ? (event - begin) << place_bits | place : no_key;
  }

  SIMT_DEVICE void write_keys(const fetched& bucket, u64 number, u32 count, u64 begin, u64 limit) {
#pragma unroll
    for (u32 k = 0; k < items; ++k) {
      const u32 place = rank() + k * lanes;
      if (place < count) simt::store(keys_ + place, key_of(bucket.events[k], place, begin, limit));
    }
    for (u32 place = rank() + items * lanes; place < count; place += lanes) {
      const u64 event = simt::load(a_.slots + number * a_.capacity + place);
      simt::store(keys_ + place, key_of(event, place, begin, limit));
    }
    // After the last event, a sentinel key for the thread that counts them, and padding to a pair.
    if (rank() < 2) simt::store(keys_ + count + rank(), no_key);
  }

  /// Place `count` stands for no event: its rank is how many there are.
  SIMT_DEVICE void execute(const fetched& bucket, u32 number_of_bucket, u32 first, u32 entity, u32 count) {
    for (u32 from = rank(); from <= count; from += items * lanes) {
      u64 keys[items];
      u32 ranks[items];
#pragma unroll
      for (u32 k = 0; k < items; ++k) {
        const u32 place = from + k * lanes;
        keys[k] = place <= count ? simt::load(keys_ + place) : 0;
        ranks[k] = 0;
      }
      for (u32 place = 0; place < count; place += 2) {
        const key_pair others = simt::load(reinterpret_cast<const key_pair*>(keys_ + place));
#pragma unroll
        for (u32 k = 0; k < items; ++k) {
          ranks[k] += others.first < keys[k] ? 1u : 0u;
          ranks[k] += others.second < keys[k] ? 1u : 0u;
        }
      }
      sums_.count_comparisons(static_cast<u64>(items) * count);
      u64 sent[items];
      u64 numbers[items];
#pragma unroll
      for (u32 k = 0; k < items; ++k) {
        const u32 place = from + k * lanes;
        sent[k] = no_event;
        if (place < count) {
          const u64 event = from == rank()
                                ? bucket.events[k]
                                : simt::load(a_.slots + number_of(number_of_bucket, entity) * a_.capacity + place);
          if (keys[k] != no_key) {
            const event_draw drawn = draw(a_.model, entity, bucket.index + ranks[k]);
            sums_.count_event(event, drawn);
            sent[k] = created_event(a_.model, event, drawn);
            numbers[k] = place_for(drawn.target, sent[k], first);
          }
        } else if (place == count) {
          simt::store(a_.next_index + entity, bucket.index + ranks[k]);
        }
      }
      u32 places[items];
#pragma unroll
      for (u32 k = 0; k < items; ++k) {
        if (sent[k] != no_event) places[k] = take_place(numbers[k]);
      }
#pragma unroll
      for (u32 k = 0; k < items; ++k) {
        if (sent[k] != no_event) write(numbers[k], places[k], sent[k]);
      }
    }
  }

  SIMT_DEVICE static u32 rank() { return simt::lane() % lanes; }

  const calendar_arguments& a_;
  u64* keys_;
  thread_sums sums_;
};

}  // namespace mlmq::phold

SIMT_KERNEL(phold_calendar, mlmq::phold::calendar_arguments) { mlmq::phold::calendar(arguments).run(); }
