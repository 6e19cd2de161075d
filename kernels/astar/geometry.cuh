// SPDX-License-Identifier: Apache-2.0
// Cells, distances without obstacles, and half floats.
#pragma once

#include "astar/configuration.cuh"

namespace path_finding {

SIMT_DEVICE u32 column_of(u32 cell, u32 column_bits) { return cell & ((1u << column_bits) - 1u); }
SIMT_DEVICE u32 row_of(u32 cell, u32 column_bits) { return cell >> column_bits; }

/// Returns the offset of a step in direction d, to be added to a cell modulo 2^32.
SIMT_DEVICE u32 step_of(u32 d, u32 column_bits) {
  const u32 columns = ((column_steps >> (2 * d)) & 3u) - 1u;
  const u32 rows = ((row_steps >> (2 * d)) & 3u) - 1u;
  return (rows << column_bits) + columns;
}

SIMT_DEVICE u32 difference(u32 a, u32 b) { return a > b ? a - b : b - a; }

/// Numbers of straight and diagonal steps.
struct steps {
  u32 straight;
  u32 diagonal;
};

SIMT_DEVICE steps unobstructed_steps(u32 start, u32 target, u32 column_bits) {
  const u32 columns = difference(column_of(start, column_bits), column_of(target, column_bits));
  const u32 rows = difference(row_of(start, column_bits), row_of(target, column_bits));
  const u32 less = columns < rows ? columns : rows;
  return {columns + rows - 2 * less, less};
}

SIMT_DEVICE u32 length_of(const steps& counts) {
  return counts.straight * straight_step + counts.diagonal * diagonal_step;
}

/// Returns the step counts that make up a length.
SIMT_DEVICE steps counts_of(u32 length) {
  const u32 diagonal = static_cast<u32>(static_cast<u64>(length) * diagonal_inverse % straight_step);
  return {(length - diagonal * diagonal_step) / straight_step, diagonal};
}

/// Rounds to the nearest number with the 11 significant bits of a half float, ties to even. Lengths are in the normal
/// range.
SIMT_DEVICE float as_half(float number) {
  u32 bits = simt::as_bits(number);
  bits += 0xFFFu + ((bits >> 13) & 1u);
  return simt::as_float(bits & ~0x1FFFu);
}

/// Returns the upper half of the word of a float that as_half() returned: exponent and 10 bits, which order like the
/// numbers.
SIMT_DEVICE u32 half_bits(float half) { return simt::as_bits(half) >> 13; }
SIMT_DEVICE float half_of(u32 bits) { return simt::as_float(bits << 13); }

SIMT_DEVICE float half_length(const steps& counts) {
  return as_half(as_half(1.41421356f * static_cast<float>(counts.diagonal)) + static_cast<float>(counts.straight));
}

}  // namespace path_finding
