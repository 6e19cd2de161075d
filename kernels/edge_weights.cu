// SPDX-License-Identifier: Apache-2.0
// Copies new weights of a graph's edges from a caller's device memory, and checks them on the way.
#include "edge_weights_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;
using namespace mlmq;

namespace {

/// Largest integer weight that is an exact distance of one edge.
inline constexpr u32 largest_weight = 0xFFFFFFFDu;
/// Bits of infinity: these and larger bit patterns are not finite non-negative numbers.
inline constexpr u32 first_bad_float = 0x7F800000u;
inline constexpr u32 negative_zero = 0x80000000u;

template <class T>
SIMT_DEVICE T warp_sum(T value) {
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2)
    value += shuffle(value, (lane() + distance) % warp_size);
  return value;
}

/// Lowers a word to the smallest number of any lane of the warp.
SIMT_DEVICE void lower(u64* word, u64 smallest) {
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2) {
    const u64 other = shuffle(smallest, (lane() + distance) % warp_size);
    if (other < smallest) smallest = other;
  }
  if (lane() == 0) (void)atomic_min<order::relaxed, scope::device>(word, smallest);
}

}  // namespace

SIMT_KERNEL(edge_weights, mlmq::edge_weights_arguments) {
  const u64 thread = static_cast<u64>(block_index()) * block_threads() + thread_in_block();
  const u64 threads = static_cast<u64>(grid_blocks()) * block_threads();
  u64 invalid = ~0ull;
  u64 heaviest_complement = ~0ull;
  u64 sum = 0;
  double float_sum = 0;
  for (u64 edge = thread; edge < arguments.edges; edge += threads) {
    u32 weight = load_readonly(arguments.weights + edge);
    // The bits of a negative zero would order above every distance.
    if (arguments.float_weights != 0 && weight == negative_zero) weight = 0;
    const bool is_invalid = arguments.float_weights != 0 ? weight >= first_bad_float : weight > largest_weight;
    if (is_invalid && edge < invalid) invalid = edge;
    if (~static_cast<u64>(weight) < heaviest_complement) heaviest_complement = ~static_cast<u64>(weight);
    if (arguments.float_weights != 0) {
      float_sum += static_cast<double>(as_float(weight));
    } else {
      sum += weight;
    }
    store(arguments.copy + edge, weight);
  }
  sync_warp();
  lower(&arguments.summary->invalid, invalid);
  lower(&arguments.summary->heaviest_complement, heaviest_complement);
  // The host sums these in order, so that the same device gives the same sum.
  u64* const slot = arguments.weight_sums + thread / warp_size;
  if (arguments.float_weights != 0) {
    float_sum = warp_sum(float_sum);
    if (lane() == 0) store(reinterpret_cast<double*>(slot), float_sum);
  } else {
    sum = warp_sum(sum);
    if (lane() == 0) store(slot, sum);
  }
}
