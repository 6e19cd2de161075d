// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel reduce_graph.
#pragma once

#include "fill_in_abi.cuh"

namespace mlmq {

/// Bit in the place of a vertex of the core; the rest is its number there.
inline constexpr u32 core_place = 0x80000000u;
inline constexpr u32 most_reduction_steps = 256;

/// A connection of a vertex with a neighbour, in the row of the vertex.
struct alignas(16) graph_link {
  u32 neighbour;  ///< all ones: the link is gone
  u32 away;       ///< length from the vertex to the neighbour; all ones: there is no such path
  u32 back;       ///< length from the neighbour to the vertex
  u32 unused;
};

/// Control words; zero at the start.
struct reduction_control {
  alignas(128) u64 arrivals;       ///< of blocks at all barriers so far; the highest bit ends the run
  alignas(128) u32 status;         ///< run_status
  alignas(128) u32 unfinished[4];  ///< whether a chain has no ends yet, by jump in rotation
  u32 has_long_chain;              ///< whether an edge of the core would be longer than a weight
  u32 core_vertices;
  u32 core_edges;                        ///< with parallel ones in long rows
  u32 eliminated[most_reduction_steps];  ///< number of vertices, by step
  u32 has_cycles[most_reduction_steps];  ///< whether chains without ends were found, by step
};

/// Arrays have an entry per vertex unless stated otherwise.
struct reduce_arguments {
  const u32* offsets;  ///< n+1 row starts
  const u64* edges;    ///< as in edges.cuh
  u32* link_begins;
  u32* link_ends;     ///< zero at the start
  graph_link* links;  ///< two per edge
  graph_link* sides;  ///< 4n: two buffers, each with two sides of all vertices
  u32* states;        ///< zero at the start
  u64* returns;       ///< lengths from an eliminated vertex to its ends
  u32* block_sums;    ///< one per block
  fill_row* rows;     ///< output
  u32* places;        ///< output: core_place and the number in the core, or 0
  u32* core_offsets;  ///< output: row starts of the core, at most n+1
  u64* core_edges;    ///< null: everything but these; otherwise only these, after a run without. Long rows are not
                      ///< sorted and have parallel edges.
  reduction_control* control;
  u64 time_limit_ns;
  u32 vertices;
  u32 largest_weight;
};

/// Words that the threads of a block share.
struct reduction_words {
  u64 deadline;
  u32 is_over;
  u32 sums[simt::warp_size];  ///< one per warp
};

}  // namespace mlmq
