// SPDX-License-Identifier: Apache-2.0
// PHOLD with a calendar per entity: buckets of virtual time as wide as the lookahead, or a fraction of it.
//
// Windows are aligned: window k is [k · l, (k + 1) · l). Events that it creates lie in later windows, because the
// lookahead is l. So a bucket is complete when its window begins; no search for the least event is needed, and one
// barrier of the grid per window suffices. An event is written once, to its bucket, and read once, by the group of
// lanes that owns the entity: the group takes the whole bucket, ranks its events by comparing all with all in shared
// memory, and executes them at once. The rank is the order in which a queue would return them.
//
// The buckets of an entity form a ring. Events beyond it go to a list of the entity, which is filed again whenever the
// ring has advanced by half.
//
//   MLMQ_PHOLD_LANES   lanes of a group, 2 to 32
//   MLMQ_PHOLD_ITEMS   events of one lane that are under way together
#include "phold/calendar_abi.cuh"
#include "phold/run_end.cuh"
#include "phold/sums.cuh"
#include "simt/simt.cuh"

namespace mlmq::phold {

/// Two keys that are loaded together.
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
  SIMT_DEVICE explicit calendar(const calendar_arguments& arguments) : arguments_(arguments) {
    const u32 group = simt::thread_in_block() / lanes;
    keys_ = reinterpret_cast<u64*>(simt::shared_memory() + 16) + static_cast<u64>(group) * (arguments_.capacity + 4);
  }

  SIMT_DEVICE void run() {
    grid_barrier barrier =
        barrier_of(arguments_.control, reinterpret_cast<u32*>(simt::shared_memory()), arguments_.time_limit_ns);
    send_initial_events();
    u32 window = 0;
    while (barrier.wait() && window < arguments_.windows) {
      const u32 first = window * arguments_.buckets_per_window;
      if (first != 0 && first % (arguments_.buckets / 2) == 0) file_again(first);
      for (u32 part = 0; part < arguments_.buckets_per_window; ++part) open_buckets(first, part);
      ++window;
    }
    sums_.add_to(arguments_.sums);
    if (simt::block_index() == 0 && simt::thread_in_block() == 0) {
      simt::store(&arguments_.sums->windows, static_cast<u64>(window));
      if (window == arguments_.windows) stop(arguments_.control, run_status::finished);
    }
  }

 private:
  /// The prefetched part of a bucket.
  struct fetched {
    u32 count;
    u32 index;
    u64 events[items];
  };

  SIMT_DEVICE u32 bucket_of(u64 time) const {
    const u64 shortened = time >> arguments_.time_shift;
    const u64 most = 0xFFFFFFFFull;
    return static_cast<u32>((shortened < most ? shortened : most) * arguments_.bucket_factor >> 32);
  }
  /// Returns the first time after a bucket.
  SIMT_DEVICE u64 end_of(u32 bucket) const {
    const u64 reached = static_cast<u64>(bucket + 1) << 32;
    return (reached + arguments_.bucket_factor - 1) / arguments_.bucket_factor << arguments_.time_shift;
  }
  SIMT_DEVICE u64 number_of(u32 bucket, u32 entity) const {
    return static_cast<u64>(bucket & (arguments_.buckets - 1)) * arguments_.model.entities + entity;
  }

  /// Returns the number of half turns of the ring until a window.
  SIMT_DEVICE u32 half_turn(u32 first) const { return first / (arguments_.buckets / 2); }
  /// Returns the number of an entity's list of events beyond the ring. Each entity has two lists, which alternate.
  SIMT_DEVICE u64 number_of_list(u32 turn, u32 entity) const {
    return (arguments_.buckets + static_cast<u64>(turn % 2)) * arguments_.model.entities + entity;
  }

  /// Returns the bucket or list for an event that is sent in the window whose first bucket is `first`.
  SIMT_DEVICE u64 place_for(u32 target, u64 event, u32 first) const {
    const u32 bucket = bucket_of(time_of(event));
    return bucket - first < arguments_.buckets ? number_of(bucket, target) : number_of_list(half_turn(first), target);
  }
  SIMT_DEVICE u32 reserve_place(u64 number) const {
    return simt::atomic_add<simt::order::relaxed, simt::scope::device>(arguments_.counts + number, 1u);
  }
  SIMT_DEVICE void write(u64 number, u32 place, u64 event) {
    const u64 lists = static_cast<u64>(arguments_.buckets) * arguments_.model.entities;
    const bool in_ring = number < lists;
    if (place < (in_ring ? arguments_.capacity : arguments_.list_capacity)) {
      simt::store((in_ring ? arguments_.slots + number * arguments_.capacity
                           : arguments_.lists + (number - lists) * arguments_.list_capacity) +
                      place,
                  event);
      sums_.count_move();
    } else {
      stop(arguments_.control, run_status::queue_full);
    }
  }

  /// Files the events that lay beyond the ring in the last half turn: none of them is for this window.
  SIMT_DEVICE void file_again(u32 first) {
    const u32 step = warps() * groups_of_warp;
    for (u32 first_entity = warp() * groups_of_warp; first_entity < arguments_.model.entities; first_entity += step) {
      const u32 entity = first_entity + simt::lane() / lanes;
      const bool exists = entity < arguments_.model.entities;
      const u64 list = number_of_list(half_turn(first) - 1, entity);
      const u64* const events =
          arguments_.lists +
          (list - static_cast<u64>(arguments_.buckets) * arguments_.model.entities) * arguments_.list_capacity;
      u32 count = exists ? simt::load(arguments_.counts + list) : 0;
      simt::sync_warp();
      if (count != 0 && rank() == 0) simt::store(arguments_.counts + list, 0u);
      if (count > arguments_.list_capacity) count = arguments_.list_capacity;
      for (u32 place = rank(); place < count; place += lanes) {
        const u64 event = simt::load(events + place);
        const u64 number = place_for(entity, event, first);
        write(number, reserve_place(number), event);
        sums_.count_refiled();
      }
      sums_.count_length(count);
    }
  }

  SIMT_DEVICE static u32 warps() { return simt::grid_blocks() * (simt::block_threads() / simt::warp_size); }
  /// Number of this warp in the grid. Neighbouring warps are in different blocks, so that few entities are spread over
  /// all blocks.
  SIMT_DEVICE static u32 warp() { return simt::warp_in_block() * simt::grid_blocks() + simt::block_index(); }

  SIMT_DEVICE void send_initial_events() {
    const u32 threads = simt::grid_blocks() * simt::block_threads();
    const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
    for (u64 i = thread; i < arguments_.initial_events; i += threads) {
      const event_draw drawn = initial_draw(arguments_.model, static_cast<u32>(i));
      const u64 event = initial_event(drawn);
      const u64 number = place_for(drawn.target, event, 0);
      write(number, reserve_place(number), event);
    }
  }

  SIMT_DEVICE fetched fetch(u32 bucket, u32 entity) const {
    fetched result = {};
    if (entity >= arguments_.model.entities) return result;
    const u64 number = number_of(bucket, entity);
    result.count = simt::load(arguments_.counts + number);
    result.index = simt::load(arguments_.next_index + entity);
#pragma unroll
    for (u32 k = 0; k < items; ++k) {
      const u32 place = rank() + k * lanes;
      // Issued before the count is known: entries that are not events are skipped later.
      if (place < arguments_.capacity)
        result.events[k] = simt::load(arguments_.slots + number * arguments_.capacity + place);
    }
    return result;
  }

  /// Executes one bucket of each entity. All lanes of a warp take part in the same rounds.
  SIMT_DEVICE void open_buckets(u32 first, u32 part) {
    const u32 bucket = first + part;
    const u64 end = end_of(bucket);
    const u64 limit = least_at(end < arguments_.end ? end : arguments_.end);
    const u64 begin = bucket == 0 ? 0 : least_at(end_of(bucket - 1));
    const u32 step = warps() * groups_of_warp;
    const u32 group = simt::lane() / lanes;
    fetched next = fetch(bucket, warp() * groups_of_warp + group);
    for (u32 first_entity = warp() * groups_of_warp; first_entity < arguments_.model.entities; first_entity += step) {
      const u32 entity = first_entity + group;
      const fetched current = next;
      next = fetch(bucket, entity + step);
      const u32 count = current.count < arguments_.capacity ? current.count : arguments_.capacity;
      write_keys(current, number_of(bucket, entity), count, begin, limit);
      simt::sync_warp();
      if (count != 0) {
        if (rank() == 0) simt::store(arguments_.counts + number_of(bucket, entity), 0u);
        execute(current, bucket, first, entity, count);
        sums_.count_length(count);
      }
      simt::sync_warp();
    }
  }

  /// Returns a key that is unique within the bucket: the event's word relative to the bucket's begin, above its place.
  /// Events at or after the end have no key.
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
      const u64 event = simt::load(arguments_.slots + number * arguments_.capacity + place);
      simt::store(keys_ + place, key_of(event, place, begin, limit));
    }
    // After the last event, a sentinel key for the thread that counts the events, and padding to a pair.
    if (rank() < 2) simt::store(keys_ + count + rank(), no_key);
  }

  /// Position `count` stands for no event: its rank is the number of events.
  SIMT_DEVICE void execute(const fetched& bucket, u32 number_of_bucket, u32 first, u32 entity, u32 count) {
    for (u32 first_place = rank(); first_place <= count; first_place += items * lanes) {
      u64 keys[items];
      u32 ranks[items];
#pragma unroll
      for (u32 k = 0; k < items; ++k) {
        const u32 place = first_place + k * lanes;
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
        const u32 place = first_place + k * lanes;
        sent[k] = no_event;
        if (place < count) {
          const u64 event =
              first_place == rank()
                  ? bucket.events[k]
                  : simt::load(arguments_.slots + number_of(number_of_bucket, entity) * arguments_.capacity + place);
          if (keys[k] != no_key) {
            const event_draw drawn = draw(arguments_.model, entity, bucket.index + ranks[k]);
            sums_.count_event(event, drawn);
            sent[k] = created_event(arguments_.model, event, drawn);
            numbers[k] = place_for(drawn.target, sent[k], first);
          }
        } else if (place == count) {
          simt::store(arguments_.next_index + entity, bucket.index + ranks[k]);
        }
      }
      u32 places[items];
#pragma unroll
      for (u32 k = 0; k < items; ++k) {
        if (sent[k] != no_event) places[k] = reserve_place(numbers[k]);
      }
#pragma unroll
      for (u32 k = 0; k < items; ++k) {
        if (sent[k] != no_event) write(numbers[k], places[k], sent[k]);
      }
    }
  }

  SIMT_DEVICE static u32 rank() { return simt::lane() % lanes; }

  const calendar_arguments& arguments_;
  u64* keys_;
  thread_sums sums_;
};

}  // namespace mlmq::phold

SIMT_KERNEL(phold_calendar, mlmq::phold::calendar_arguments) { mlmq::phold::calendar(arguments).run(); }
