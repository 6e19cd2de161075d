// SPDX-License-Identifier: Apache-2.0
// Reads the distances of a batch, of 4 or 8 bytes.
#pragma once

#include "distance_width.cuh"
#include "multi_source/distance_batch.cuh"

namespace mlmq::reductions {

using width = distance_width<MLMQ_DISTANCE>;
using word = width::word;

SIMT_DEVICE u32 row_of(const distance_batch& batch, u32 vertex) {
  return batch.vertex_rows == nullptr ? vertex : simt::load_readonly(batch.vertex_rows + vertex);
}

SIMT_DEVICE u32 search_of(const distance_batch& batch, u32 column) {
  return batch.column_searches == nullptr ? batch.first_search + column
                                          : simt::load_readonly(batch.column_searches + column);
}

/// Returns the words of a column: that of row r is at r * group_columns.
SIMT_DEVICE const word* column_words(const distance_batch& batch, u32 column) {
  return static_cast<const word*>(batch.distances) + distance_index(batch, 0, column);
}

/// Returns the number that a word stands for.
SIMT_DEVICE double number_of(integer_distance, u32 distance) { return static_cast<double>(distance); }
SIMT_DEVICE double number_of(float_distance, u32 distance) { return static_cast<double>(simt::as_float(distance)); }
SIMT_DEVICE double number_of(double_distance, u64 distance) { return simt::as_double(distance); }

}  // namespace mlmq::reductions
