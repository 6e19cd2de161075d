// SPDX-License-Identifier: Apache-2.0
// Checks that rows in a caller's device memory satisfy the rules of a graph, and writes the layouts that searches read.
// One pass over the row starts and one over the edges.
#include "device_rows_abi.cuh"
#include "simt/simt.cuh"

using namespace simt;
using namespace mlmq;

namespace {

inline constexpr u64 none = ~0ull;
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

/// Lowers a word of the faults to the smallest number of any lane of the warp.
SIMT_DEVICE void lower_fault(u64* fault_word, u64 smallest) {
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2) {
    const u64 other = shuffle(smallest, (lane() + distance) % warp_size);
    if (other < smallest) smallest = other;
  }
  if (lane() == 0 && smallest != none) (void)atomic_min<order::relaxed, scope::device>(fault_word, smallest);
}

/// The share of one thread in a loop that all threads of the grid run together.
struct loop_range {
  u64 first;
  u64 step;
};

template <class Offset>
SIMT_DEVICE void check_rows(const device_rows_arguments& rows, loop_range loop) {
  const auto* const offsets = static_cast<const Offset*>(rows.offsets);
  u64 decreasing_row = none;
  u64 widest = none;
  for (u64 v = loop.first; v <= rows.vertices; v += loop.step) {
    const u64 begin = load_readonly(offsets + v);
    if (rows.narrow_offsets != nullptr) store(rows.narrow_offsets + v, static_cast<u32>(begin));
    if (rows.faults == nullptr || v == rows.vertices) continue;
    const u64 end = load_readonly(offsets + v + 1);
    if (end < begin && v < decreasing_row) decreasing_row = v;
    const u64 key = static_cast<u64>(~static_cast<u32>(end - begin)) << 32 | v;
    if (key < widest) widest = key;
  }
  if (rows.faults == nullptr) return;
  sync_warp();
  lower_fault(&rows.faults->decreasing_row, decreasing_row);
  lower_fault(&rows.faults->widest, widest);
}

}  // namespace

SIMT_KERNEL(device_rows, mlmq::device_rows_arguments) {
  const loop_range loop{static_cast<u64>(block_index()) * block_threads() + thread_in_block(),
                        static_cast<u64>(grid_blocks()) * block_threads()};
  if (arguments.faults != nullptr || arguments.narrow_offsets != nullptr) {
    if (arguments.wide_offsets != 0) {
      check_rows<u64>(arguments, loop);
    } else {
      check_rows<u32>(arguments, loop);
    }
  }
  const bool reads_edges = arguments.faults != nullptr || arguments.words != nullptr ||
                           arguments.plain_targets != nullptr || arguments.weight_sums != nullptr;
  if (!reads_edges) return;
  u64 bad_target = none;
  u64 bad_weight = none;
  u64 sum = 0;
  double float_sum = 0;
  const bool has_pairs = arguments.pairs != nullptr;
  for (u64 e = loop.first; e < arguments.edges; e += loop.step) {
    u32 target = 0;
    u32 weight = 1;
    if (has_pairs) {
      const u64 pair = load_readonly(arguments.pairs + e);
      target = static_cast<u32>(pair);
      weight = static_cast<u32>(pair >> 32);
    } else {
      target = load_readonly(arguments.targets + e);
      if (arguments.weights != nullptr) weight = load_readonly(arguments.weights + e);
      // Replaces a negative zero, whose bits would order above every distance. Pairs stay as they are.
      if (arguments.float_weights != 0 && weight == negative_zero) weight = 0;
    }
    if (target >= arguments.vertices && e < bad_target) bad_target = e;
    const bool is_bad = arguments.float_weights != 0 ? weight >= first_bad_float : weight > largest_weight;
    if (is_bad && e < bad_weight) bad_weight = e;
    if (arguments.words != nullptr) store(arguments.words + e, static_cast<u64>(weight) << 32 | target);
    if (arguments.plain_targets != nullptr) store(arguments.plain_targets + e, target);
    if (arguments.float_weights != 0) {
      float_sum += static_cast<double>(as_float(weight));
    } else {
      sum += weight;
    }
  }
  sync_warp();
  if (arguments.faults != nullptr) {
    lower_fault(&arguments.faults->target, bad_target);
    lower_fault(&arguments.faults->weight, bad_weight);
  }
  if (arguments.weight_sums == nullptr) return;
  // The host sums these in order, so that the same device gives the same sum.
  u64* const slot =
      arguments.weight_sums + (static_cast<u64>(block_index()) * block_threads() + thread_in_block()) / warp_size;
  if (arguments.float_weights != 0) {
    float_sum = warp_sum(float_sum);
    if (lane() == 0) store(reinterpret_cast<double*>(slot), float_sum);
  } else {
    sum = warp_sum(sum);
    if (lane() == 0) store(slot, sum);
  }
}
