// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the partitioned search: the parts of a graph, one per block, and control words.
//
// A part is a set of vertices, numbered from 0, with their distances and rows. A row consists of one or more slots of
// `slot_arcs` arcs. Thread t of the workers owns the slots t, t + workers, t + 2 · workers, …
// An arc to a vertex of another part leads to a word of the part's outbox instead, one for each such vertex; a vertex
// that other parts have arcs to has a word in the inbox of its own part, in global memory. Arcs lie in registers, or
// packed into 4 bytes in shared memory.
//
// In groups, the numbers of a part are those of places. A vertex has a place, which has one slot; if it has more arcs,
// further places without a vertex continue its row. 32 consecutive places are a group, which belongs to one warp.
#pragma once

#include "fill_in_abi.cuh"
#include "queues/storage.cuh"

namespace mlmq {

/// One part. Its indices refer to the arrays of partitioned_arguments.
struct graph_part {
  u32 vertices;  ///< number of vertices; in groups: of places
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
  alignas(128) u32 question;    ///< the question that the manager has put to all blocks
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
};

struct partitioned_arguments {
  const graph_part* parts;   ///< one per block
  const u32* vertices;       ///< for each part: the vertex of the graph, or no_vertex
  const u32* slot_vertices;  ///< for each slot: its vertex in the part
  const u64* arcs;  ///< for each part slot_arcs times `slots`: first the first arc of all slots, then the second …
  const u32* packed_arcs;  ///< alternatively: the arcs of a slot side by side
  const u32* out_words;    ///< for each outbox word: the number of the vertex's inbox word, among all
  const u32* in_vertices;  ///< for each inbox word: the vertex of its part
  u32* inbox;              ///< all ones at the start, and again when a run has finished
  u64* answers;            ///< one per block; zero at the start, and again when a run has ended
  u32* distances;          ///< one per vertex of the graph; all are written
  partitioned_control* control;
  partitioned_control* next_control;  ///< control words of the next run, which this run clears
  u64* counters;                      ///< counter_count sums, or null
  u32 source_part;
  u32 source_vertex;  ///< number of the source in its part
  u32 target_bits;    ///< bits of the target in a packed arc
  u32 window;         ///< a distance: vertices this far behind the least waiting vertex of their block wait longer
  u64 time_limit_ns;
  u32 seed_count;                 ///< vertices to start from in place of the source (variants with MLMQ_SEVERAL_SEEDS)
  search_seed seeds[most_seeds];  ///< by their numbers in their parts
  u32 seed_parts[most_seeds];
};

/// Words through which the warps of a block communicate.
struct part_words {
  /// Answers of the workers and the sender: the question in the upper half, the number of times they had work in the
  /// lower half.
  u64 answers[simt::warp_size];
  u32 question;  ///< the question; no_question: the run is over
  u32 unused[31];
  u32 least[simt::warp_size];           ///< for each worker warp: the least distance that waits; unreached if none
  u32 absent_targets[simt::warp_size];  ///< targets of absent arcs, one word per lane
};

/// Value in partitioned_arguments::vertices for a place of a group that continues a row, or is empty.
inline constexpr u32 no_vertex = 0xFFFFFFFFu;

/// Value of part_words::question at the end of the run.
inline constexpr u32 no_question = 0xFFFFFFFFu;

/// Warps that do not search: sender, receiver and manager in one, or one each if a block has many warps.
constexpr u32 control_warps(u32 threads) { return threads >= 256 ? 3 : 1; }
/// Warps of a block that search.
constexpr u32 worker_warps(u32 threads) { return threads / simt::warp_size - control_warps(threads); }

/// An arc in 4 bytes: the target in the lower `target_bits` (fewer than 32), the weight in the others.
constexpr bool fits_packed(u32 target, u32 weight, u32 target_bits) {
  return target >> target_bits == 0 && u64{weight} >> (32 - target_bits) == 0;
}
constexpr u32 pack_arc(u32 target, u32 weight, u32 target_bits) {
  return static_cast<u32>(u64{weight} << target_bits) | target;
}
constexpr u32 target_of_packed(u32 arc, u32 target_bits) { return arc & ((1u << target_bits) - 1); }
constexpr u32 weight_of_packed(u32 arc, u32 target_bits) { return arc >> target_bits; }

/// Places that one warp checks together, and likewise outbox words. Parts consist of whole groups.
inline constexpr u32 group_places = simt::warp_size;
/// Most groups per warp.
inline constexpr u32 groups_per_warp = simt::warp_size;
/// In groups a distance is doubled, plus one while the place has yet to be relaxed. So a smaller distance is the
/// smaller word, and of two equal distances the relaxed one.
inline constexpr u32 unreached_mark = 0xFFFFFFFEu;
/// Stands for all longer distances.
inline constexpr u32 saturated_mark = 0xFFFFFFFDu;

/// Dynamic shared memory of a block for this part. @param packed_slot_arcs 0 if arcs are in registers
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
