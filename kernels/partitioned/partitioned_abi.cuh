// SPDX-License-Identifier: Apache-2.0
// What the host and the partitioned search agree on: the parts of a graph, one for each block, and control words.
//
// A part is a set of vertices, numbered from 0, with their distances and rows. A row consists of one or more slots of
// `slot_arcs` arcs. Thread t of the workers owns the slots t, t + workers, t + 2 · workers, …
// An arc to a vertex of another part leads to a word of the part's outbox instead, one for each such vertex; a vertex that
// other parts have arcs to has a word in the inbox of its own part, in global memory.
// Arcs lie in registers, or packed into 4 bytes in shared memory.
//
// In groups the numbers of a part are those of places. A vertex has a place, which has one slot; if it has more arcs, further
// places without a vertex continue its row. 32 places in a row are a group, which belongs to one warp.
#pragma once

#include "queues/storage.cuh"

namespace mlmq {

/// One part. Indices of its pieces in the arrays of partitioned_arguments.
struct graph_part {
  u32 vertices;  ///< how many it has; in groups: places
  u32 slots;
  u32 outbox;  ///< words
  u32 inbox;   ///< words
  u32 first_vertex;
  u32 first_slot;
  u32 first_out;
  u32 first_in;
};

/// Control words of the grid; zero at the start of a run.
struct partitioned_control {
  alignas(128) u32 status;      ///< run_status, written once
  alignas(128) u32 asked;       ///< the question that the manager has put to all blocks
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
};

struct partitioned_arguments {
  const graph_part* parts;   ///< one for each block
  const u32* vertices;       ///< of each part: the vertex of the graph, or no_vertex
  const u32* slot_vertices;  ///< of each slot: the vertex of the part
  const u64* arcs;  ///< of each part slot_arcs times `slots`: first the first arc of all slots, then the second …
  const u32* packed_arcs;  ///< or these: the arcs of a slot side by side
  const u32* out_words;    ///< of each outbox word: the inbox word of the vertex, among all
  const u32* in_vertices;  ///< of each inbox word: the vertex of its part
  u32* inbox;              ///< all ones; again so when a run has finished
  u64* answers;            ///< one for each block; zero, and again so when a run has ended
  u32* distances;          ///< of the graph's vertices: all are written
  partitioned_control* control;
  partitioned_control* next_control;  ///< of the next run: made zero
  u64* counters;                      ///< counter_count sums, or null
  u32 source_part;
  u32 source_vertex;  ///< of that part
  u32 target_bits;    ///< of packed arcs
  u32 window;         ///< a distance: vertices this far behind the least that waits in their block wait longer
  u64 time_limit_ns;
};

/// Words through which the warps of a block talk.
struct part_words {
  u64 answers
      [simt::
           warp_size];  ///< of the workers and the sender: the question in the upper half, and how often they had work
  u32 asked;            ///< the question; no_question: the run is over
  u32 unused[31];
  u32 least[simt::warp_size];    ///< of each worker warp: the least distance that waits; without one unreached
  u32 nowhere[simt::warp_size];  ///< what absent arcs lower, a word for each lane
};

/// In partitioned_arguments::vertices: a place of a group that continues a row, or is empty.
inline constexpr u32 no_vertex = 0xFFFFFFFFu;

/// In part_words::asked.
inline constexpr u32 no_question = 0xFFFFFFFFu;

/// Warps that do not search: sender, receiver and manager in one, or where a block has many, one for each.
constexpr u32 control_warps(u32 threads) { return threads >= 256 ? 3 : 1; }
/// Warps of a block that search.
constexpr u32 worker_warps(u32 threads) { return threads / simt::warp_size - control_warps(threads); }

/// An arc in 4 bytes: the target in the lower `target_bits`, less than 32, and the weight in the others.
constexpr bool fits_packed(u32 target, u32 weight, u32 target_bits) {
  return target >> target_bits == 0 && u64{weight} >> (32 - target_bits) == 0;
}
constexpr u32 pack_arc(u32 target, u32 weight, u32 target_bits) {
  return static_cast<u32>(u64{weight} << target_bits) | target;
}
constexpr u32 target_of_packed(u32 arc, u32 target_bits) { return arc & ((1u << target_bits) - 1); }
constexpr u32 weight_of_packed(u32 arc, u32 target_bits) { return arc >> target_bits; }

/// A part in groups: places that one warp looks at together, and the words of the outbox likewise. Parts have whole ones.
inline constexpr u32 group_places = simt::warp_size;
/// Groups that a warp can have.
inline constexpr u32 groups_per_warp = simt::warp_size;
/// In groups a distance is doubled, and one more while the place has yet to be relaxed. So a smaller distance is the smaller
/// word, and of two equal ones that which has been relaxed.
inline constexpr u32 unreached_mark = 0xFFFFFFFEu;
/// Stands for all longer distances.
inline constexpr u32 saturated_mark = 0xFFFFFFFDu;

/// Dynamic shared memory of a block for this part. @param packed_slot_arcs 0 where arcs are in registers
constexpr u64 part_bytes(const graph_part& part, u32 packed_slot_arcs) {
  return sizeof(part_words) + sizeof(u32) * (u64{part.vertices} + 3 * u64{part.outbox} + part.inbox + 3 +
                                             u64{part.slots} * packed_slot_arcs);
}

/// The same for a part in groups. Behind the outbox are words that absent arcs lead to.
constexpr u64 grouped_part_bytes(const graph_part& part, u32 slot_arcs) {
  const u64 words = u64{part.vertices} + part.outbox + group_places;
  return sizeof(part_words) +
         sizeof(u32) * (words + words / group_places + part.outbox + part.inbox + 3 + u64{part.slots} * slot_arcs);
}

}  // namespace mlmq
