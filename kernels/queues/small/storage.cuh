// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the small queues. A small queue is one of very many, such as the event list of one
// simulated entity or the open list of one search. The memory of all of them is one array of elements and one of state
// words, which the host owns; memory of zeros holds empty queues.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Value that stands for no element. Elements are words that order like numbers, the least first; none is all ones.
template <class Element>
inline constexpr Element no_element = static_cast<Element>(~Element{0});

/// The memory of all small queues of one kind.
template <class Element>
struct small_queue_storage {
  Element* elements;  ///< small_queue_elements() elements
  u32* state;         ///< small_queue_state_words() words; word w of queue q is state[w * queues + q]
  u32 queues;
  u32 capacity;  ///< capacity of each queue, a power of two
  u32 places;    ///< small_queue_shape::places for this capacity
};

/// Memory that one queue of a class needs. Each class has a function shape(capacity) that returns it.
struct small_queue_shape {
  u32 places;         ///< elements of global memory, a multiple of 32
  u32 state_words;    ///< words of global memory between two constructions
  u32 scratch_bytes;  ///< shared memory per group
};

constexpr u32 whole_warps(u32 count) { return (count + simt::warp_size - 1) / simt::warp_size * simt::warp_size; }

/// Elements and state words to allocate for `queues` queues. Interleaved layouts round up to whole warps.
constexpr u64 small_queue_elements(const small_queue_shape& shape, u32 queues) {
  return static_cast<u64>(whole_warps(queues)) * shape.places;
}
constexpr u64 small_queue_state_words(const small_queue_shape& shape, u32 queues) {
  return static_cast<u64>(queues) * shape.state_words;
}

/// Shared memory that the threads of a block need to work together as a group: one word per warp.
constexpr u32 block_group_bytes(u32 threads) {
  return (threads / simt::warp_size * static_cast<u32>(sizeof(u64)) + 15) / 16 * 16;
}

/// An implicit heap: places before the root make the children of every node one aligned group.
constexpr small_queue_shape small_heap_shape(u32 capacity, u32 arity) {
  return {.places = whole_warps(capacity + arity - 1), .state_words = 1, .scratch_bytes = 0};
}

/// A circular buffer. State: head, size.
constexpr small_queue_shape small_ring_shape(u32 capacity) {
  return {.places = whole_warps(capacity), .state_words = 2, .scratch_bytes = 0};
}

/// Words of a node of a splay tree: the element and two links, which share one word if it has 64 bits.
constexpr u32 small_splay_words(u32 element_bytes) { return element_bytes == sizeof(u64) ? 2 : 3; }
constexpr small_queue_shape small_splay_shape(u32 capacity, u32 element_bytes) {
  return {.places = whole_warps(capacity * small_splay_words(element_bytes)), .state_words = 4, .scratch_bytes = 0};
}

/// The second level of a queue of two levels, without the places of the run: an unsorted array.
constexpr small_queue_shape small_pile_shape(u32 capacity) {
  return {.places = whole_warps(capacity), .state_words = 1, .scratch_bytes = 0};
}

/// Longest run of a queue of two levels.
inline constexpr u32 longest_run = 32;

/// A queue of two levels. @param run_bytes of shared memory for the run of one group
constexpr small_queue_shape small_two_level_shape(const small_queue_shape& second, u32 run_bytes) {
  return {.places = second.places + longest_run, .state_words = second.state_words + 1, .scratch_bytes = run_bytes};
}

/// State words of a queue of buckets, in addition to one for each bucket.
inline constexpr u32 small_bucket_state_words = 5 + simt::warp_size;
/// Chunks of 32 elements of a queue of buckets: the top chunk of each bucket may have room left.
constexpr u32 small_bucket_chunks(u32 capacity, u32 buckets) { return capacity / simt::warp_size + buckets; }
/// Chunks, and for each a link and a place in the stack of free ones.
constexpr small_queue_shape small_bucket_shape(u32 capacity, u32 buckets) {
  return {.places = whole_warps(small_bucket_chunks(capacity, buckets) * (simt::warp_size + 2)),
          .state_words = small_bucket_state_words + buckets,
          .scratch_bytes = buckets * static_cast<u32>(sizeof(u32))};
}

/// Elements that others send to the owner of a queue (inbox.cuh).
template <class Element>
struct inbox_storage {
  Element* elements;  ///< inbox_elements() elements
  u32* counts;        ///< one per queue; zeros: all are empty
  u32 queues;
  u32 capacity;  ///< capacity of each inbox, a power of two from 32 on
};

constexpr u64 inbox_elements(u32 capacity, u32 queues) { return static_cast<u64>(whole_warps(queues)) * capacity; }

}  // namespace mlmq
