// SPDX-License-Identifier: Apache-2.0
// What a selector wants to know of a graph that is there already: sums, extremes and histograms of degrees and weights, in
// one pass over the row starts and one over the edges.
#include "features_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;
using namespace mlmq;

#if MLMQ_FLOAT_WEIGHTS
inline constexpr bool float_weights = true;
#else
inline constexpr bool float_weights = false;
#endif

namespace {

template <class T>
SIMT_DEVICE T warp_sum(T value) {
  for (u32 apart = warp_size / 2; apart > 0; apart /= 2) value += shuffle(value, (lane() + apart) % warp_size);
  return value;
}

SIMT_DEVICE u64 warp_smallest(u64 value) {
  for (u32 apart = warp_size / 2; apart > 0; apart /= 2) {
    const u64 other = shuffle(value, (lane() + apart) % warp_size);
    if (other < value) value = other;
  }
  return value;
}

/// Adds a warp's numbers to a histogram of the block. Weights and degrees are often all the same, and one address takes
/// only one atomic at a time.
SIMT_DEVICE void count(u32* histogram, u32 bin, bool counts) {
  const u32 first = shuffle(bin, 0);
  if (simt::all(counts && bin == first)) {
    if (lane() == 0) reduce_add<order::relaxed, scope::block>(histogram + first, warp_size);
  } else if (counts) {
    reduce_add<order::relaxed, scope::block>(histogram + bin, 1U);
  }
}

SIMT_DEVICE u32 degree_bin(u64 degree) {
  return degree == 0 ? 0 : (as_bits(static_cast<float>(degree)) >> bin_bits) - bin_of_one + 1;
}

template <class T>
SIMT_DEVICE void add_to(T* total, T part) {
  part = warp_sum(part);
  if (lane() == 0 && part != 0) reduce_add<order::relaxed, scope::device>(total, part);
}

template <u32 size>
SIMT_DEVICE void publish(u64* totals, const u32* histogram) {
  for (u32 bin = thread_in_block(); bin < size; bin += block_threads()) {
    const u32 found = load_atomic<order::relaxed, scope::block>(histogram + bin);
    if (found != 0) reduce_add<order::relaxed, scope::device>(totals + bin, static_cast<u64>(found));
  }
}

}  // namespace

SIMT_KERNEL(features, feature_arguments) {
  feature_block* const block = reinterpret_cast<feature_block*>(shared_memory());
  for (u32 bin = thread_in_block(); bin < degree_bins; bin += block_threads()) store(block->degree_histogram + bin, 0U);
  for (u32 bin = thread_in_block(); bin < weight_bins; bin += block_threads()) store(block->weight_histogram + bin, 0U);
  sync_block();

  // Whole warps go round together, because they count together.
  const u64 step = static_cast<u64>(grid_blocks()) * block_threads();
  const u64 start = static_cast<u64>(block_index()) * block_threads() + thread_in_block() - lane();

  const MLMQ_OFFSET* const offsets = static_cast<const MLMQ_OFFSET*>(arguments.offsets);
  u64 low = 0;
  u64 high = 0;
  u64 widest = ~0ull;
  for (u64 first = start; first < arguments.vertex_count; first += step) {
    const u64 vertex = first + lane();
    const bool is_one = vertex < arguments.vertex_count;
    u64 degree = 0;
    if (is_one) degree = static_cast<u64>(load_readonly(offsets + vertex + 1)) - load_readonly(offsets + vertex);
    count(block->degree_histogram, degree_bin(degree), is_one);
    const u64 square = degree * degree;
    low += square & 0xFFFFFFFFu;
    high += square >> 32;
    const u64 key = static_cast<u64>(~static_cast<u32>(degree)) << 32 | vertex;
    if (is_one && key < widest) widest = key;
  }
  add_to(&arguments.totals->degree_squares_low, low);
  add_to(&arguments.totals->degree_squares_high, high);
  widest = warp_smallest(widest);
  if (lane() == 0) (void)atomic_min<order::relaxed, scope::device>(&arguments.extremes->widest, widest);

  u64 sum = 0;
  low = 0;
  high = 0;
  double float_sum = 0;
  double float_squares = 0;
  u32 smallest_complement = ~0u;
  for (u64 first = start; first < arguments.edge_count; first += step) {
    const u64 edge = first + lane();
    const bool is_one = edge < arguments.edge_count;
    u32 weight = 0;
    if (is_one) weight = static_cast<u32>(load_readonly(arguments.edges + edge) >> 32);
    if (is_one && ~weight < smallest_complement) smallest_complement = ~weight;
    if (first / warp_size % arguments.histogram_stride == 0) {
      const u32 bits = float_weights ? weight : as_bits(static_cast<float>(weight));
      count(block->weight_histogram, bits >> bin_bits, is_one);
    }
    if constexpr (float_weights) {
      const double apart =
          is_one ? static_cast<double>(as_float(weight)) - static_cast<double>(arguments.weight_shift) : 0;
      float_sum += apart;
      float_squares += apart * apart;
    } else {
      const u64 square = static_cast<u64>(weight) * weight;
      sum += weight;
      low += square & 0xFFFFFFFFu;
      high += square >> 32;
    }
  }
  const u64 largest = warp_smallest(smallest_complement);
  if (lane() == 0) {
    (void)atomic_min<order::relaxed, scope::device>(&arguments.extremes->largest_weight, static_cast<u32>(largest));
  }
  if constexpr (float_weights) {
    // Added up in an order that does not change, so that the same device gives the same sums.
    float_sum = warp_sum(float_sum);
    float_squares = warp_sum(float_squares);
    if (lane() == 0) {
      store(&block->warp_sums[warp_in_block()].sum, float_sum);
      store(&block->warp_sums[warp_in_block()].squares, float_squares);
    }
  } else {
    add_to(&arguments.totals->weight_sum, sum);
    add_to(&arguments.totals->weight_squares_low, low);
    add_to(&arguments.totals->weight_squares_high, high);
  }
  sync_block();
  publish<degree_bins>(arguments.totals->degree_histogram, block->degree_histogram);
  publish<weight_bins>(arguments.totals->weight_histogram, block->weight_histogram);
  if constexpr (float_weights) {
    if (thread_in_block() == 0) {
      float_sums of_block{0, 0};
      for (u32 warp = 0; warp < block_threads() / warp_size; ++warp) {
        of_block.sum += load(&block->warp_sums[warp].sum);
        of_block.squares += load(&block->warp_sums[warp].squares);
      }
      store(&arguments.block_sums[block_index()].sum, of_block.sum);
      store(&arguments.block_sums[block_index()].squares, of_block.squares);
    }
  }
}
