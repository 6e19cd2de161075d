// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel phold_cluster.
#pragma once

#include "phold/control_abi.cuh"

namespace mlmq::phold {

/// An event on its way to the block of its entity.
struct alignas(16) letter {
  u32 event_low;
  u32 event_high;
  u32 owner;   ///< number of the entity within its block
  u32 window;  ///< window in which it arrives; older letters in the same place have another window

  MLMQ_PHOLD_FUNCTION u64 event() const { return static_cast<u64>(event_high) << 32 | event_low; }
};

/// Lists per bucket, which is the number of threads that take it out in parallel. A power of two.
inline constexpr u32 cluster_lists = 128;
/// Three letter buffers used in rotation: the window being filled, the previous one still being read, and the next.
inline constexpr u32 letter_buffers = 3;

/// Entity e is number e / blocks of block e mod blocks. Windows and buckets are those of the calendar, one bucket per
/// window.
struct cluster_arguments {
  phold::model model;
  run_control* control;
  run_sums* sums;
  u64 end;  ///< in ticks: only earlier events are executed
  u64 time_limit_ns;
  u32 initial_events;
  u32 windows;        ///< until the end
  u32 entities;       ///< entities per block, at most
  u32 pool_capacity;  ///< events that fit in a block, below 65,535
  u32 due_capacity;   ///< events per window and block
  u32 letters;        ///< letters from one block to another per window
  u32 buckets;        ///< buckets of the ring, a power of two, at least 4
  u32 time_shift;     ///< as in calendar_arguments
  u32 bucket_factor;
};

/// Offsets in a block's shared memory, in bytes, equal in all blocks.
struct cluster_layout {
  u32 words;       ///< counters, 240 bytes
  u32 exchange;    ///< words of simt::cluster_exchange
  u32 letters;     ///< buffer, place, sender: letter
  u32 events;      ///< events of the pool: u64
  u32 due;         ///< two windows, which alternate: u64
  u32 links;       ///< for each event of the pool: owner above the next node of its list, 16 bits each
  u32 heads;       ///< bucket, list: u32
  u32 indices;     ///< executed events of each entity: u32
  u32 chains;      ///< two windows, entity: place of its last due event, u32
  u32 due_links;   ///< two windows: owner, next of its chain, node of the pool, executed events of the entity; u32 each
  u32 free_nodes;  ///< free nodes of the pool: 16 bits each
  u32 bytes;       ///< total size
};

constexpr cluster_layout lay_out_cluster(const cluster_arguments& arguments, u32 blocks) {
  cluster_layout layout{};
  layout.words = 0;
  layout.exchange = 240;
  layout.letters = 256;
  layout.events = layout.letters + letter_buffers * blocks * arguments.letters * static_cast<u32>(sizeof(letter));
  layout.due = layout.events + arguments.pool_capacity * 8;
  layout.due_links = layout.due + 2 * arguments.due_capacity * 8;
  layout.links = layout.due_links + 2 * 4 * arguments.due_capacity * 4;
  layout.heads = layout.links + arguments.pool_capacity * 4;
  layout.indices = layout.heads + arguments.buckets * cluster_lists * 4;
  layout.chains = layout.indices + arguments.entities * 4;
  layout.free_nodes = layout.chains + 2 * arguments.entities * 4;
  layout.bytes = layout.free_nodes + arguments.pool_capacity * 2;
  return layout;
}

}  // namespace mlmq::phold
