// SPDX-License-Identifier: Apache-2.0
// A multi-level queue in a persistent kernel: which warp does what.
//
// All blocks are resident together. The last block holds the manager warp. In every other block warp 0 is the
// dispatcher and the other warps are workers; where every warp reads L2 itself, all of them are workers. A problem
// defines the work: a class with
//
//   recorded(arguments)           each thread, when its block starts: the constructor argument of its counters
//   finish(arguments, counters)   each thread, at its end
//   seed(arguments, l2)           manager, warp collective: writes the first elements by l2.write(element, valid)
//   is_over(done, written)        manager, warp collective: whether the run has finished. `done` elements of L2 have
//                                 been processed, including all writes that follow from them; `written` is the number
//                                 of elements ever written, at least as of when `done` was read
//   process                       worker: a class constructed from (arguments, scratch, queue, counters); its run(),
//                                 called by all lanes of the warp together, reads elements by
//                                 queue.read(element, valid) until that returns false, and writes the elements that
//                                 follow from them by queue.write(element, valid)
//   scratch, scratch_count        type and number of the objects that each worker warp has in shared memory for itself;
//                                 a multiple of 16 bytes
//
// All but the last are static. `arguments` are those of the kernel: the storage of the queue's traits, possibly
// extended by members of the problem.
#pragma once

#include "queues/dispatcher.cuh"
#include "queues/manager.cuh"
#include "queues/storage.cuh"
#include "queues/worker.cuh"

namespace mlmq {

/// Base class of problems that end when no elements are left.
struct until_empty {
  SIMT_DEVICE static bool is_over(u32 done, u32 written) { return done == written; }
};

/// @tparam Traits those of the queues, of worker.cuh, dispatcher.cuh and manager.cuh
/// @tparam L0, L1, L2 queues of these traits, or l0_none and l1_none
template <class Traits, class L0, class L1, class L2, class Counters>
class multi_queue {
 public:
  using element = typename L2::element;
  using storage = typename Traits::storage;
  using worker = mlmq_worker<Traits, L0, L1, L2, Counters>;

  /// Dynamic shared memory of a block of `threads` threads.
  template <class Problem>
  static constexpr u32 shared_bytes(u32 threads) {
    constexpr u32 scratch_bytes = Problem::scratch_count * static_cast<u32>(sizeof(typename Problem::scratch));
    return queue_shared_bytes<element, scratch_bytes>(threads, L1::storage, L1::is_shared);
  }

  /// Runs the problem. Called by all threads of all blocks, at least two of them, with shared_bytes() of dynamic shared
  /// memory. Afterwards queue_control::status says how the run ended; unless it is finished, elements that are still in
  /// the queue are lost.
  /// @param storage_view in the arguments of the kernel, which outlive the run
  template <class Problem>
  SIMT_DEVICE static void run(const storage& storage_view) {
    block_words* const block = reinterpret_cast<block_words*>(simt::shared_memory());
    if (simt::thread_in_block() == 0) {
      simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->status,
                                                                   static_cast<u32>(run_status::running));
      simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->window, L2::first_window);
      if constexpr (L2::adapts_delta) {
        simt::store_atomic<simt::order::relaxed, simt::scope::block>(
            &block->mapping, bucket_mapping::at_start(L2::first_window).to_word());
      }
    }
    if (simt::thread_in_block() < simt::warp_size) {
      simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->mailbox[simt::lane()], mailbox::starting);
    }
    Counters counters(Problem::recorded(storage_view));
    const u32 warp = simt::warp_in_block();
    if (warp == 0) initialise_l1(memory_of<Problem>(0).l1, storage_view, block, counters);
    simt::sync_block();

    if (simt::block_index() == simt::grid_blocks() - 1) {
      if (warp == 0) run_manager<Traits, Problem, L2>(storage_view, block, counters);
    } else if constexpr (Traits::warps_read_l2) {
      run_worker<Problem>(storage_view, block, warp, counters);
    } else if (warp == 0) {
      const u32 workers = simt::block_threads() / simt::warp_size - 1;
      const memory_for<Problem> memory = memory_of<Problem>(simt::lane() < workers ? simt::lane() : 0);
      const L1 shared(memory.l1, storage_view, block, counters);
      run_dispatcher<Traits, L1, L2>(storage_view, block, workers, shared, memory.delivered, counters);
    } else {
      run_worker<Problem>(storage_view, block, warp - 1, counters);
    }
    Problem::finish(storage_view, counters);
  }

 private:
  /// Called by one warp before any other warp begins: clears an L1 queue of a block.
  SIMT_DEVICE static void initialise_l1(element* memory, const storage& storage_view, const block_words* block,
                                        Counters& counters) {
    if constexpr (L1::is_shared) L1(memory, storage_view, block, counters).initialise();
  }

  template <class Problem>
  SIMT_DEVICE static void run_worker(const storage& storage_view, block_words* block, u32 worker_of_block,
                                     Counters& counters) {
    const memory_for<Problem> memory = memory_of<Problem>(worker_of_block);
    worker queue(storage_view, block, &block->mailbox[worker_of_block], memory, counters);
    typename Problem::process process(storage_view, memory.scratch, queue, counters);
    process.run();
  }

  template <class Problem>
  using memory_for = worker_memory<element, typename Problem::scratch>;

  template <class Problem>
  SIMT_DEVICE static memory_for<Problem> memory_of(u32 worker_of_block) {
    using scratch_item = typename Problem::scratch;
    constexpr u32 scratch_bytes = Problem::scratch_count * static_cast<u32>(sizeof(scratch_item));
    static_assert(scratch_bytes % 16 == 0);
    constexpr u32 l1_bytes = L1::storage * static_cast<u32>(sizeof(element));
    constexpr u32 region_bytes = warp_region_bytes<element, scratch_bytes> + (L1::is_shared ? 0 : l1_bytes);
    u8* const l1_of_block = simt::shared_memory() + sizeof(block_words);
    u8* const region = l1_of_block + (L1::is_shared ? l1_bytes : 0) + worker_of_block * region_bytes;
    // A typed pointer from here on: with pointers to bytes, the compiler generates other machine code.
    scratch_item* const scratch = reinterpret_cast<scratch_item*>(region);
    element* const exchange = reinterpret_cast<element*>(scratch + Problem::scratch_count);
    element* const delivered = exchange + simt::warp_size;
    return {scratch, exchange, delivered,
            L1::is_shared ? reinterpret_cast<element*>(l1_of_block) : delivered + simt::warp_size};
  }
};

}  // namespace mlmq
