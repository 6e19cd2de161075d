// SPDX-License-Identifier: Apache-2.0
// What the host and the kernel `features` agree on, and what both count in the same way.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Bins of a histogram of weights: by the upper 12 bits of the number as a float, so eight to a power of two. Numbers
/// below 16 that are whole have bins of their own.
inline constexpr u32 weight_bins = 2048;
/// The same for degrees, which are whole: bin 0 is for 0, the others begin at the bin of 1.
inline constexpr u32 bin_bits = 20;
inline constexpr u32 bin_of_one = 0x3F800000u >> bin_bits;
inline constexpr u32 degree_bins = 33 * 8 + 1;

/// All ones at the start, so that one fill is enough for them and for the extremes: what is counted or added up is one more
/// than it says. Squares are added up as two sums, of their lower and of their upper 32 bits.
struct feature_totals {
  u64 degree_squares_low;
  u64 degree_squares_high;
  u64 weight_sum;  ///< these three of integers only
  u64 weight_squares_low;
  u64 weight_squares_high;
  u64 degree_histogram[degree_bins];
  u64 weight_histogram[weight_bins];
};

/// All ones at the start. The maximum is the smallest complement.
struct feature_extremes {
  u64 widest;          ///< complement of the largest degree (32 bits), then the first vertex that has it
  u32 largest_weight;  ///< complement of its bits
  u32 unused;
};

/// Sums of float weights about `weight_shift`; one per block.
struct alignas(16) float_sums {
  double sum;
  double squares;
};

struct feature_arguments {
  const void* offsets;  ///< n+1 row starts: u32, or u64 in variants with wide offsets
  const u64* edges;     ///< m words as weighted_edges
  feature_totals* totals;
  feature_extremes* extremes;
  float_sums* block_sums;
  u64 edge_count;
  u32 vertex_count;
  u32 histogram_stride;  ///< a power of two: the histogram samples one of this many groups of 32 edges
  float weight_shift;    ///< a number among the weights
  u32 unused;
};

/// What a warp has found, histograms apart; as in feature_totals and feature_extremes.
struct feature_part {
  u64 degree_squares_low;
  u64 degree_squares_high;
  u64 widest;
  u64 weight_sum;
  u64 weight_squares_low;
  u64 weight_squares_high;
  u64 largest_weight;
  u64 unused;
  float_sums of_floats;
};

/// Dynamic shared memory of a block: the histograms, then what its warps have found.
struct feature_block {
  u32 degree_histogram[degree_bins + 7];
  u32 weight_histogram[weight_bins];
  feature_part warps[simt::warp_size];
};

}  // namespace mlmq
