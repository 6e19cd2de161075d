// SPDX-License-Identifier: Apache-2.0
// Checks that rows in a caller's device memory satisfy the rules of a graph, and writes the layouts that searches read.
// One pass over the row starts and one over the edges.
#include "device_rows_abi.cuh"
#include "simt/simt.cuh"
#include "weight_checks.cuh"

using namespace simt;
using namespace mlmq;

namespace {

/// The share of one thread in a loop that all threads of the grid run together.
struct loop_range {
  u64 first;
  u64 step;
};

template <class Offset>
SIMT_DEVICE void check_rows(const device_rows_arguments& rows, loop_range loop) {
  const auto* const offsets = static_cast<const Offset*>(rows.offsets);
  u64 decreasing_row = no_fault;
  u64 widest = no_fault;
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
  lower_by_warp(&rows.faults->decreasing_row, decreasing_row);
  lower_by_warp(&rows.faults->widest, widest);
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
  u64 bad_target = no_fault;
  u64 bad_weight = no_fault;
  weight_sum sum;
  const bool is_float = arguments.float_weights != 0;
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
      if (is_float && weight == negative_zero) weight = 0;
    }
    if (target >= arguments.vertices && e < bad_target) bad_target = e;
    if (is_invalid_weight(weight, is_float) && e < bad_weight) bad_weight = e;
    if (arguments.words != nullptr) store(arguments.words + e, static_cast<u64>(weight) << 32 | target);
    if (arguments.plain_targets != nullptr) store(arguments.plain_targets + e, target);
    sum.add(weight, is_float);
  }
  sync_warp();
  if (arguments.faults != nullptr) {
    lower_by_warp(&arguments.faults->target, bad_target);
    lower_by_warp(&arguments.faults->weight, bad_weight);
  }
  if (arguments.weight_sums != nullptr) sum.store(arguments.weight_sums, loop.first, is_float);
}
