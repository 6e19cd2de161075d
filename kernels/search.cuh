// SPDX-License-Identifier: Apache-2.0
// A search with a multi-level queue (MLMQ, Listing 2), as one persistent kernel.
//
// All blocks are resident together. The last block holds the manager warp. In every other block warp 0 is the courier
// and the other warps are workers: they read vertices, relax their edges and write back the vertices they improved.
// The result is the least solution of distance[v] = min over edges (u,v) of distance[u] + weight, whatever the order
// of the work: the queues decide only how much of it is redundant.
#pragma once

#include "configuration.cuh"
#include "mlmq.cuh"
#include "relax_in_place.cuh"

namespace mlmq {

using worker_queue = mlmq_worker<l0_queue, l1_queue, l2_queue, counters>;

SIMT_DEVICE worker_memory memory_of_worker(u32 worker) {
  constexpr u32 l1_bytes = l1_queue::storage * static_cast<u32>(sizeof(u64));
  constexpr u32 region_bytes = warp_region_bytes + (l1_queue::is_shared ? 0 : l1_bytes);
  u8* const l1_of_block = simt::shared_memory() + sizeof(block_words);
  u8* const own = l1_of_block + (l1_queue::is_shared ? l1_bytes : 0) + worker * region_bytes;
  row_entry* const rows = reinterpret_cast<row_entry*>(own);
  u64* const exchange = reinterpret_cast<u64*>(rows + simt::warp_size);
  u64* const delivered = exchange + simt::warp_size;
  return {rows, exchange, delivered,
          l1_queue::is_shared ? reinterpret_cast<u64*>(l1_of_block) : delivered + simt::warp_size};
}

SIMT_DEVICE void run_worker(const search_arguments& arguments, block_words* block, u32 worker, counters& counts) {
  const worker_memory memory = memory_of_worker(worker);
  worker_queue queue(arguments, block, &block->mailbox[worker], memory, counts);
  typename relaxer_of<configuration::row_slots != 0, configuration, worker_queue, counters>::type relax(
      arguments, memory.rows, queue, counts);
  relax.relax_all();
}

SIMT_DEVICE void run_search(const search_arguments& arguments) {
  block_words* const block = reinterpret_cast<block_words*>(simt::shared_memory());
  if (simt::thread_in_block() == 0) {
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->status, static_cast<u32>(run_status::running));
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->base, l2_queue::first_base);
  }
  if (simt::thread_in_block() < simt::warp_size) {
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->mailbox[simt::lane()], mailbox::starting);
  }
  counters counts(arguments.counters);
  const u32 warp = simt::warp_in_block();
  if (warp == 0) initialise_l1<l1_queue>(memory_of_worker(0).l1_storage, arguments, block, counts);
  simt::sync_block();

  if (simt::block_index() == simt::grid_blocks() - 1) {
    if (warp == 0) run_manager<configuration, l2_queue>(arguments, block, counts);
  } else if (warp == 0) {
    const u32 workers = simt::block_threads() / simt::warp_size - 1;
    const worker_memory memory = memory_of_worker(simt::lane() < workers ? simt::lane() : 0);
    const l1_queue l1(memory.l1_storage, arguments, block, counts);
    run_courier<configuration, l1_queue, l2_queue>(arguments, block, workers, l1, memory.delivered, counts);
  } else {
    run_worker(arguments, block, warp - 1, counts);
  }
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}

}  // namespace mlmq
