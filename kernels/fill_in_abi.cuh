// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel fill_in.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Where the distance of a vertex may come from: two vertices of the core of a reduced graph, and the lengths of the
/// paths from there. A vertex of the core has itself, with the length 0. If there is no such vertex or path, it is the
/// vertex behind the last one. A vertex has one row, or several if more than two vertices lead to it.
struct alignas(16) fill_row {
  u32 ends[2];
  u32 lengths[2];
};

/// An eliminated vertex, and the length of a path to it from the source that stays inside the source's fragment.
struct inside_length {
  u32 vertex;
  u32 length;
};

/// A vertex of the core to start from.
struct search_seed {
  u32 vertex;
  u32 distance;
};

/// Number of seeds that a search can have. An enumerator, like the next one.
enum : u32 { most_seeds = 12 };

/// Number of lengths that arguments of at most 4 KiB can hold, so that most sources need no upload. An enumerator,
/// because a variable would be part of the machine code of every kernel that includes this file.
enum : u32 { most_few_inside = 480 };

struct fill_arguments {
  const fill_row* rows;         ///< rows_per_vertex for each vertex of the graph
  const u32* of_core;           ///< distances of the core, and all ones behind them
  u32* distances;               ///< by vertex of the graph; receives them
  const inside_length* inside;  ///< null: they are in few_inside
  u32 vertex_count;             ///< 0: the distances are lowered only
  u32 rows_per_vertex;
  u32 offset;  ///< to be added to the distances of the core
  u32 inside_count;
  u32 first_inside;  ///< least and greatest of the vertices inside
  u32 last_inside;
  inside_length few_inside[most_few_inside];
};

}  // namespace mlmq
