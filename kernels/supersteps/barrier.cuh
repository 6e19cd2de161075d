// SPDX-License-Identifier: Apache-2.0
// The barrier of all blocks at the end of a superstep, and what ends a run, for kernels whose blocks are resident
// together. Each block arrives once on one word, which also counts what the superstep wrote, so that passing the
// barrier and learning the size of the next frontier are one load.
//
// ControlWords have `status` and `host_abort`, BlockWords `is_over` and `deadline`, both for thread 0 of block 0.
#pragma once

#include "search_abi.cuh"
#include "simt/simt.cuh"
#include "supersteps/progress_abi.cuh"

namespace mlmq::supersteps {

/// Returns whether this is the thread that ends the run.
SIMT_DEVICE bool is_leader() { return simt::block_index() == 0 && simt::thread_in_block() == 0; }

/// Neighbouring warps are in different blocks, so that a small frontier is spread over all multiprocessors.
SIMT_DEVICE u32 global_warp() { return simt::warp_in_block() * simt::grid_blocks() + simt::block_index(); }
SIMT_DEVICE u32 global_warps() { return simt::block_threads() / simt::warp_size * simt::grid_blocks(); }

template <class ControlWords>
SIMT_DEVICE void finish(ControlWords* control) {
  if (!is_leader()) return;
  simt::atomic_compare_exchange<simt::order::release, simt::scope::device>(
      &control->status, static_cast<u32>(run_status::running), static_cast<u32>(run_status::finished));
}

/// Called by one thread of every block. Block 0 ends the run at its deadline, or when the host asks for it.
template <class ControlWords, class BlockWords>
SIMT_DEVICE void watch(ControlWords* control, BlockWords* block) {
  if (!is_leader()) return;
  u32 end = static_cast<u32>(run_status::running);
  if (simt::clock_ns() > simt::load(&block->deadline)) end = static_cast<u32>(run_status::timed_out);
  if (simt::load_atomic<simt::order::relaxed, simt::scope::system>(&control->host_abort) != 0) {
    end = static_cast<u32>(run_status::aborted);
  }
  if (end == static_cast<u32>(run_status::running)) return;
  simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(&control->status,
                                                                           static_cast<u32>(run_status::running), end);
  simt::store(&block->is_over, 1u);
}

template <u32 arrival_shift>
SIMT_DEVICE u32 arrivals_in(u64 progress) {
  return static_cast<u32>((progress & ~superstep_progress::stop) >> arrival_shift);
}

/// Called by thread 0 of every block: arrives, and waits for the other blocks.
/// @param progress word of the superstep; bits from `arrival_shift` on count arrivals
/// @return what the word was when all blocks had arrived
template <u32 arrival_shift, class ControlWords, class BlockWords>
SIMT_DEVICE u64 synchronise(u64* progress, ControlWords* control, BlockWords* block) {
  u64 arrival = 1ull << arrival_shift;
  // A thread that sees the last arrival also sees this flag, so that all blocks leave at the same barrier.
  if (is_leader() && simt::load(&block->is_over) != 0) arrival |= superstep_progress::stop;
  simt::reduce_add<simt::order::release, simt::scope::device>(progress, arrival);
  u64 seen = simt::load_atomic<simt::order::acquire, simt::scope::device>(progress);
  for (u32 polls = 1; arrivals_in<arrival_shift>(seen) != simt::grid_blocks(); ++polls) {
    if (polls % 16 == 0) watch(control, block);
    simt::backoff(20);
    seen = simt::load_atomic<simt::order::acquire, simt::scope::device>(progress);
  }
  return seen;
}

/// Called by all threads of a block: writes the pieces of rows that its warps have staged.
/// @param pieces where `output` reserves positions
template <class Output, class BlockWords, class Piece>
SIMT_DEVICE void write_out(Output& output, BlockWords* block, Piece* pieces) {
  const u32 before = output.publish_counts();
  simt::sync_block();
  const u32 count = simt::load_atomic<simt::order::relaxed, simt::scope::block>(&output.sum()->pieces);
  if (count == 0) return;
  if (simt::thread_in_block() == 0) simt::store(&block->base, output.reserve(count));
  simt::sync_block();
  output.drain(pieces + simt::load(&block->base) + before);
}

}  // namespace mlmq::supersteps
