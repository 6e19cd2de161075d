// SPDX-License-Identifier: Apache-2.0
// What the host and the kernel phold_cluster agree on.
#pragma once

#include "phold/control_abi.cuh"

namespace mlmq::phold {

/// An event on its way to the block of its entity.
struct alignas(16) letter {
  u32 event_low;
  u32 event_high;
  u32 owner;   ///< number of the entity in its block
  u32 window;  ///< in which it arrives; what was there before has another one

  MLMQ_PHOLD_FUNCTION u64 event() const { return static_cast<u64>(event_high) << 32 | event_low; }
};

/// Lists per bucket, which is the number of threads that take it out in parallel. A power of two.
inline constexpr u32 cluster_lists = 128;
/// Three letter buffers used in rotation: the window being filled, the previous one still being read, and the next.
inline constexpr u32 letter_buffers = 3;

/// Entity e is number e / blocks of block e mod blocks. Windows and buckets are those of the calendar, one bucket a window.
struct cluster_arguments {
  phold::model model;
  run_control* control;
  run_sums* sums;
  u64 end;  ///< in ticks: events before it are executed
  u64 time_limit_ns;
  u32 initial_events;
  u32 windows;        ///< until the end
  u32 entities;       ///< of a block, at most
  u32 pool_capacity;  ///< events that a block has room for, below 65,535
  u32 due_capacity;   ///< events of a window in a block
  u32 letters;        ///< from one block to another in a window
  u32 buckets;        ///< of the ring, a power of two, at least 4
  u32 time_shift;     ///< as in calendar_arguments
  u32 bucket_factor;
};

/// Places in a block's shared memory, in bytes, the same in all blocks.
struct cluster_layout {
  u32 words;       ///< counters, 240 bytes
  u32 exchange;    ///< of simt::cluster_exchange
  u32 letters;     ///< buffer, place, sender: letter
  u32 events;      ///< of the pool: u64
  u32 due;         ///< two windows, which alternate: u64
  u32 links;       ///< of the pool's events: owner above the next node of its list, 16 bits each
  u32 heads;       ///< bucket, list: u32
  u32 indices;     ///< executed events of each entity: u32
  u32 chains;      ///< two windows, entity: place of its last due event, u32
  u32 due_links;   ///< two windows: owner, next of its chain, node of the pool, executed events of the entity; u32 each
  u32 free_nodes;  ///< of the pool: 16 bits each
  u32 bytes;       ///< of all
};

constexpr cluster_layout lay_out_cluster(const cluster_arguments& a, u32 blocks) {
  cluster_layout made{};
  made.words = 0;
  made.exchange = 240;
  made.letters = 256;
  made.events = made.letters + letter_buffers * blocks * a.letters * static_cast<u32>(sizeof(letter));
  made.due = made.events + a.pool_capacity * 8;
  made.due_links = made.due + 2 * a.due_capacity * 8;
  made.links = made.due_links + 2 * 4 * a.due_capacity * 4;
  made.heads = made.links + a.pool_capacity * 4;
  made.indices = made.heads + a.buckets * cluster_lists * 4;
  made.chains = made.indices + a.entities * 4;
  made.free_nodes = made.chains + 2 * a.entities * 4;
  made.bytes = made.free_nodes + a.pool_capacity * 2;
  return made;
}

}  // namespace mlmq::phold
