// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the queues: views of memory that the host owns, control words, the layout of
// shared memory.
//
// A view holds the address and the size of memory and owns nothing. Queues keep a reference to their view, which is
// part of the arguments of the kernel: on a GPU these are constants that take no registers.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Largest number of subqueues (rings or heaps) of a global queue: the manager uses one lane for each.
inline constexpr u32 max_subqueues = simt::warp_size;

/// Content of a slot that holds no element. No element is all ones.
template <class Element>
inline constexpr Element empty_slot_of = static_cast<Element>(~Element{0});

/// The empty slot of 64-bit elements.
inline constexpr u64 empty_slot = empty_slot_of<u64>;

/// Why a run ended, in queue_control::status.
enum class run_status : u32 { running = 0, finished = 1, timed_out = 2, aborted = 3, queue_full = 4 };

/// The counts of one subqueue. For a ring, positions only grow (modulo 2^32) and index the slots modulo the capacity.
/// Each subqueue has its own cache line, because every push and every claim is an atomic on it.
struct alignas(128) subqueue_control {
  /// x: taken (for a ring its head, positions claimed); y: written (its tail, positions reserved); z, w: for a
  /// ring, elements that dispatchers have been promised or are asking for, and unused; for a queue of blocks, blocks
  /// reserved by readers and by writers.
  simt::quad words;
};

/// All global control words of a multi-level queue; zero at the start of a run.
struct queue_control {
  alignas(128) u32 status;  ///< run_status, written once
  alignas(128) u32 window;  ///< lowest bucket that may hold work (bucket queue); where Δ is adapted, a window_word
  u64 mapping;              ///< bucket_mapping (bucket queue that adapts Δ), in the line of the window
  alignas(128) u32 beyond;  ///< lowest bucket met beyond the window since the last jump over empty windows; where Δ
                            ///< is adapted, the lowest key
  alignas(128) u32 done;    ///< elements taken from L2 whose consequences have all been written
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
  subqueue_control subqueues[max_subqueues];
};

/// Address and size of a multi-level queue in global memory, and the settings of its levels. Queues accept any class
/// with these members as the `storage` of their traits: they need not be adjacent in the arguments of a kernel.
template <class Element>
struct queue_storage {
  queue_control* control;
  /// Subqueue q owns slots[q * capacity …], all ones between runs. Behind the slots of all heaps, or of all queues of
  /// blocks, follow their headers: a 64-bit word for each node or block of 32 slots.
  Element* slots;
  u32 capacity_mask;      ///< capacity of a subqueue - 1; the capacity is a power of two
  float buckets_per_key;  ///< 1 / Δ of a bucket queue: bucket = key · this
  u32 l1_width;           ///< Δ of the near-far L1 queue, F of the filter queue: a key
  u32 near_far_start;     ///< NF of the near-far L1 queue before the first split: a key
  u64 time_limit_ns;      ///< time after which the run ends as timed_out
  u64 full_wait_ns;       ///< how long a writer waits for a slot before it declares the queue full
};

/// Shared memory of a block: first the words through which the block's dispatcher and its workers communicate, then one
/// region for each worker warp.
struct block_words {
  u32 status;
  u32 window;
  u64 mapping;                   ///< bucket_mapping, as the window a copy (bucket queue that adapts Δ)
  u64 mailbox[simt::warp_size];  ///< one per worker warp
};

/// Header before the elements of an L1 queue of a block. Lock and size are accessed by atomics, the state under the
/// lock.
struct l1_block_words {
  u32 lock;  ///< 0: free
  u32 size;
  u32 state[14];
};

/// The shared memory of one worker warp.
template <class Element, class Scratch>
struct worker_memory {
  Scratch* scratch;    ///< scratch memory of the problem
  Element* exchange;   ///< 32 elements of the L0 queue
  Element* delivered;  ///< 32 elements, written by the dispatcher
  Element* l1;         ///< L1 queue of the warp, or of the block if L1 is shared
};

/// Bytes of a worker warp's region, without an L1 queue.
/// @tparam scratch_bytes of the problem, a multiple of 16
template <class Element, u32 scratch_bytes>
inline constexpr u32 warp_region_bytes = scratch_bytes + 2 * simt::warp_size* static_cast<u32>(sizeof(Element));

/// Dynamic shared memory of a block of `threads` threads: warp 0 is the dispatcher, the others are workers.
/// @param l1_words elements that an L1 queue has room for, with what is before them (`storage` of its class); 0: none
/// @param l1_is_shared one for the block, else one for each worker warp
template <class Element, u32 scratch_bytes>
constexpr u32 queue_shared_bytes(u32 threads, u32 l1_words, bool l1_is_shared) {
  const u32 workers = threads / simt::warp_size - 1;
  return static_cast<u32>(sizeof(block_words)) + workers * warp_region_bytes<Element, scratch_bytes> +
         (l1_is_shared ? 1 : workers) * l1_words * static_cast<u32>(sizeof(Element));
}

}  // namespace mlmq
