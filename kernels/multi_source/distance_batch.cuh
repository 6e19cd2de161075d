// SPDX-License-Identifier: Apache-2.0
// The layout in which multi-source solvers leave the distances of a batch of searches in device memory.
#pragma once

#include "search_abi.cuh"

namespace mlmq {

/// Columns are searches, in groups of `group_columns`. Each group has `group_rows` rows, one per vertex. With one
/// column per group, the distances of a search are contiguous; with more, those of a vertex in all searches of a group.
struct distance_batch {
  const void* distances;       ///< u32 words; u64 for distances of 8 bytes
  const u32* vertex_rows;      ///< row of each vertex, or null: vertices are rows
  const u32* column_searches;  ///< search of each column, or null: column c is search first_search + c
  u64 farthest;                ///< words larger than this, compared without sign, are of vertices that are not reached
  u32 first_search;
  u32 columns;  ///< columns with a search; the last group may have more, with undefined words
  u32 group_columns;
  u32 group_rows;
};

/// Returns the index of the word in a row and a column.
constexpr u64 distance_index(const distance_batch& batch, u32 row, u32 column) {
  const u64 group_row = u64{column / batch.group_columns} * batch.group_rows + row;
  return group_row * batch.group_columns + column % batch.group_columns;
}

}  // namespace mlmq
