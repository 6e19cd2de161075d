// SPDX-License-Identifier: Apache-2.0
// The small queue that a variant is compiled with: the only place where its macros are read. The host declares them in
// problems/small_queues.
//
//   MLMQ_SMALL_QUEUE       the class
//   MLMQ_SMALL_LANES       lanes of a group; more than 32: the threads of the block
//   MLMQ_SMALL_LAYOUT      layout_contiguous or layout_interleaved
//   MLMQ_SMALL_ARITY       of a heap
//   MLMQ_SMALL_DIRECTION   from_back or from_front, of circular buffers
//   MLMQ_SMALL_CACHE       new elements that a circular buffer takes in together
//   MLMQ_SMALL_PASS_FROM   size from which such a buffer takes them in by a pass; by default 0
//   MLMQ_SMALL_ALLOCATOR   allocator_next_fit or allocator_free_list, of a splay tree
//   MLMQ_SMALL_RUN         elements of the run of a thread's queue of two levels
//   MLMQ_SMALL_RUN_MEMORY  run_in_registers or run_in_shared, where that run is
//   MLMQ_SMALL_SECOND      second_pile or second_heap
//   MLMQ_SMALL_SECOND_ARITY  of that heap
//   MLMQ_SMALL_BUCKETS     of a queue of buckets
//   MLMQ_SMALL_KEY_SHIFT   bits below the key of its elements; by default half of them
#pragma once

#include "queues/small/bucket.cuh"
#include "queues/small/heap.cuh"
#include "queues/small/inbox.cuh"
#include "queues/small/ring.cuh"
#include "queues/small/ring_cached.cuh"
#include "queues/small/ring_parallel.cuh"
#include "queues/small/splay.cuh"
#include "queues/small/two_level.cuh"

#ifndef MLMQ_SMALL_PASS_FROM
#define MLMQ_SMALL_PASS_FROM 0
#endif
#ifndef MLMQ_SMALL_KEY_SHIFT
#define MLMQ_SMALL_KEY_SHIFT (sizeof(Element) * 4)
#endif

namespace mlmq {

/// @tparam Element u32 or u64, least word first
template <class Element>
struct selected_small_traits {
  using element = Element;
  using group = typename group_of_lanes<MLMQ_SMALL_LANES>::type;
  using layout = MLMQ_SMALL_LAYOUT;
  static constexpr u32 arity = MLMQ_SMALL_ARITY;
  using direction = MLMQ_SMALL_DIRECTION;
  static constexpr u32 cache = MLMQ_SMALL_CACHE;
  static constexpr u32 pass_from = MLMQ_SMALL_PASS_FROM;
  using allocator = MLMQ_SMALL_ALLOCATOR;
  static constexpr u32 buckets = MLMQ_SMALL_BUCKETS;
  static constexpr u32 key_shift = MLMQ_SMALL_KEY_SHIFT;
  static constexpr u32 second_arity = MLMQ_SMALL_SECOND_ARITY;
  static constexpr u32 run = MLMQ_SMALL_RUN;
  template <class Traits>
  using run_class = typename run_for_lanes<Traits, MLMQ_SMALL_RUN_MEMORY, group::size>::type;
  template <class Traits, class Counters>
  using second = MLMQ_SMALL_SECOND<Traits, Counters>;
};

template <class Element, class Counters = no_small_counters>
using selected_small_queue = MLMQ_SMALL_QUEUE<selected_small_traits<Element>, Counters>;

/// Traits with the group and the layout of the queue.
template <class Element>
using selected_inbox =
    inbox<Element, typename selected_small_traits<Element>::group, typename selected_small_traits<Element>::layout>;

}  // namespace mlmq
