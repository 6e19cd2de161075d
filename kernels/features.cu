// SPDX-License-Identifier: Apache-2.0
// Features of a resident graph for a selector: sums, extremes and histograms of degrees and weights, in one pass over
// the row starts and one over the edges.
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

/// Words that a lane loads before it processes the first of them, so that latencies overlap.
inline constexpr u32 loads_at_once = 4;

/// Degrees below this, the majority in road networks and meshes, are counted by each lane in a register with one byte
/// per degree: in the block's histogram their atomics would contend for the same few words.
inline constexpr u32 small_degrees = 8;
/// Rounds after which such a byte may overflow.
inline constexpr u32 max_rounds = 255 / loads_at_once;

template <class T>
SIMT_DEVICE T warp_sum(T value) {
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2)
    value += shuffle(value, (lane() + distance) % warp_size);
  return value;
}

SIMT_DEVICE u64 warp_smallest(u64 value) {
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2) {
    const u64 other = shuffle(value, (lane() + distance) % warp_size);
    if (other < value) value = other;
  }
  return value;
}

/// Adds a warp's numbers to a histogram of the block. Equal numbers are combined first, because weights and degrees are
/// often equal and atomics on one address serialise.
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

/// Flushes a lane's counts of small degrees to the histogram of the block.
SIMT_DEVICE void count_small(u32* histogram, u64& counts) {
  for (u32 degree = 0; degree < small_degrees; ++degree) {
    const u32 vertices = warp_add(static_cast<u32>(counts >> 8 * degree) & 0xFFu);
    if (lane() == 0 && vertices != 0)
      reduce_add<order::relaxed, scope::block>(histogram + degree_bin(degree), vertices);
  }
  counts = 0;
}

SIMT_DEVICE void add_to(u64* total, u64 part) {
  part = warp_sum(part);
  if (lane() == 0 && part != 0) reduce_add<order::relaxed, scope::device>(total, part);
}

/// Stores a value that all lanes know.
template <class T>
SIMT_DEVICE void write_result(T* destination, T value) {
  if (lane() == 0) store(destination, value);
}

template <u32 size>
SIMT_DEVICE void publish(u64* totals, const u32* histogram) {
  for (u32 bin = thread_in_block(); bin < size; bin += block_threads()) {
    const u32 bin_count = load_atomic<order::relaxed, scope::block>(histogram + bin);
    if (bin_count != 0) reduce_add<order::relaxed, scope::device>(totals + bin, static_cast<u64>(bin_count));
  }
}

}  // namespace

SIMT_KERNEL(features, feature_arguments) {
  feature_block* const block = reinterpret_cast<feature_block*>(shared_memory());
  for (u32 bin = thread_in_block(); bin < degree_bins; bin += block_threads()) store(block->degree_histogram + bin, 0U);
  for (u32 bin = thread_in_block(); bin < weight_bins; bin += block_threads()) store(block->weight_histogram + bin, 0U);
  sync_block();

  // Whole warps iterate together, because they count together.
  const u64 step = static_cast<u64>(grid_blocks()) * block_threads();
  const u64 start = static_cast<u64>(block_index()) * block_threads() + thread_in_block() - lane();

  const MLMQ_OFFSET* const offsets = static_cast<const MLMQ_OFFSET*>(arguments.offsets);
  u64 low = 0;
  u64 high = 0;
  u64 widest = ~0ull;
  u64 small = 0;
  u32 rounds = 0;
  for (u64 round = start; round < arguments.vertex_count; round += loads_at_once * step) {
    u64 degrees[loads_at_once];
    for (u32 i = 0; i < loads_at_once; ++i) {
      const u64 vertex = round + i * step + lane();
      degrees[i] = vertex < arguments.vertex_count
                       ? static_cast<u64>(load_readonly(offsets + vertex + 1)) - load_readonly(offsets + vertex)
                       : 0;
    }
    for (u32 i = 0; i < loads_at_once; ++i) {
      const u64 vertex = round + i * step + lane();
      const bool exists = vertex < arguments.vertex_count;
      const u64 degree = degrees[i];
      const bool is_small = degree < small_degrees;
      if (exists && is_small) small += 1ull << 8 * degree;
      count(block->degree_histogram, degree_bin(degree), exists && !is_small);
      const u64 square = degree * degree;
      low += square & 0xFFFFFFFFu;
      high += square >> 32;
      const u64 key = static_cast<u64>(~static_cast<u32>(degree)) << 32 | vertex;
      if (exists && key < widest) widest = key;
    }
    if (++rounds == max_rounds) {
      count_small(block->degree_histogram, small);
      rounds = 0;
    }
  }
  count_small(block->degree_histogram, small);
  feature_part* const warp_part = block->warps + warp_in_block();
  write_result(&warp_part->degree_squares_low, warp_sum(low));
  write_result(&warp_part->degree_squares_high, warp_sum(high));
  write_result(&warp_part->widest, warp_smallest(widest));

  u64 sum = 0;
  low = 0;
  high = 0;
  float_sums weight_deviations{0, 0};
  u32 smallest_complement = ~0u;
  for (u64 round = start; round < arguments.edge_count; round += loads_at_once * step) {
    u32 weights[loads_at_once];
    for (u32 i = 0; i < loads_at_once; ++i) {
      const u64 edge = round + i * step + lane();
      weights[i] = edge < arguments.edge_count ? static_cast<u32>(load_readonly(arguments.edges + edge) >> 32) : 0;
    }
    for (u32 i = 0; i < loads_at_once; ++i) {
      const u64 first = round + i * step;
      const bool exists = first + lane() < arguments.edge_count;
      const u32 weight = weights[i];
      if (exists && ~weight < smallest_complement) smallest_complement = ~weight;
      if ((first / warp_size & (arguments.histogram_stride - 1)) == 0) {
        const u32 bits = float_weights ? weight : as_bits(static_cast<float>(weight));
        count(block->weight_histogram, bits >> bin_bits, exists);
      }
      if constexpr (float_weights) {
        const double deviation =
            exists ? static_cast<double>(as_float(weight)) - static_cast<double>(arguments.weight_shift) : 0;
        weight_deviations.sum += deviation;
        weight_deviations.squares += deviation * deviation;
      } else {
        const u64 square = static_cast<u64>(weight) * weight;
        sum += weight;
        low += square & 0xFFFFFFFFu;
        high += square >> 32;
      }
    }
  }
  write_result(&warp_part->weight_sum, warp_sum(sum));
  write_result(&warp_part->weight_squares_low, warp_sum(low));
  write_result(&warp_part->weight_squares_high, warp_sum(high));
  write_result(&warp_part->largest_weight, warp_smallest(smallest_complement));
  // Summed in a fixed order, so that the same device gives the same sums.
  write_result(&warp_part->weight_deviations, {warp_sum(weight_deviations.sum), warp_sum(weight_deviations.squares)});
  sync_block();

  publish<degree_bins>(arguments.totals->degree_histogram, block->degree_histogram);
  publish<weight_bins>(arguments.totals->weight_histogram, block->weight_histogram);
  // One warp combines the block's numbers: a word of global memory takes one atomic at a time.
  if (warp_in_block() != 0) return;
  const bool is_part = lane() < block_threads() / warp_size;
  const feature_part* const part = block->warps + (is_part ? lane() : 0);
  feature_totals* const totals = arguments.totals;
  feature_extremes* const extremes = arguments.extremes;
  add_to(&totals->degree_squares_low, is_part ? load(&part->degree_squares_low) : 0);
  add_to(&totals->degree_squares_high, is_part ? load(&part->degree_squares_high) : 0);
  add_to(&totals->weight_sum, is_part ? load(&part->weight_sum) : 0);
  add_to(&totals->weight_squares_low, is_part ? load(&part->weight_squares_low) : 0);
  add_to(&totals->weight_squares_high, is_part ? load(&part->weight_squares_high) : 0);
  widest = warp_smallest(load(&part->widest));
  const u64 largest = warp_smallest(load(&part->largest_weight));
  if (lane() == 0) {
    (void)atomic_min<order::relaxed, scope::device>(&extremes->widest, widest);
    (void)atomic_min<order::relaxed, scope::device>(&extremes->largest_weight, static_cast<u32>(largest));
  }
  if constexpr (float_weights) {
    weight_deviations = is_part ? load(&part->weight_deviations) : float_sums{0, 0};
    weight_deviations = {warp_sum(weight_deviations.sum), warp_sum(weight_deviations.squares)};
    if (lane() == 0) store(arguments.block_sums + block_index(), weight_deviations);
  }
}
