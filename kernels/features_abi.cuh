// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel `features`, including those that both use to count.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Bins of a histogram of weights: by the upper 12 bits of the number as a float, so eight per power of two. Integers
/// below 16 have bins of their own.
inline constexpr u32 weight_bins = 2048;
/// The same for degrees, which are integers: bin 0 is for 0, the others begin at the bin of 1.
inline constexpr u32 bin_bits = 20;
inline constexpr u32 bin_of_one = 0x3F800000u >> bin_bits;
inline constexpr u32 degree_bins = 33 * 8 + 1;

/// All ones at the start, so that one fill initialises them and the extremes: counts and sums are one more than stored.
/// Squares are summed as two sums, of their lower and upper 32 bits.
struct feature_totals {
  u64 degree_squares_low;
  u64 degree_squares_high;
  u64 weight_sum;  ///< these three only for integers
  u64 weight_squares_low;
  u64 weight_squares_high;
  u64 degree_histogram[degree_bins];
  u64 weight_histogram[weight_bins];
};

/// All ones at the start. A maximum is the smallest complement.
struct feature_extremes {
  u64 widest;          ///< complement of the largest degree (32 bits), then the first vertex that has it
  u32 largest_weight;  ///< complement of its bits
  u32 unused;
};

/// Sums of float weights relative to `weight_shift`; one per block.
struct alignas(16) float_sums {
  double sum;
  double squares;
};

struct feature_arguments {
  const void* offsets;  ///< n+1 row starts: u32, or u64 in variants with wide offsets
  const u64* edges;     ///< m words like weighted_edges
  feature_totals* totals;
  feature_extremes* extremes;
  float_sums* block_sums;
  u64 edge_count;
  u32 vertex_count;
  u32 histogram_stride;  ///< a power of two: the histogram samples one of this many groups of 32 edges
  float weight_shift;    ///< a number within the range of the weights
  u32 unused;
};

/// Results of a warp, without histograms; see feature_totals and feature_extremes.
struct feature_part {
  u64 degree_squares_low;
  u64 degree_squares_high;
  u64 widest;
  u64 weight_sum;
  u64 weight_squares_low;
  u64 weight_squares_high;
  u64 largest_weight;
  u64 unused;
  float_sums weight_deviations;
};

/// Dynamic shared memory of a block: the histograms, then the results of its warps.
struct feature_block {
  u32 degree_histogram[degree_bins + 7];
  u32 weight_histogram[weight_bins];
  feature_part warps[simt::warp_size];
};

}  // namespace mlmq
