// SPDX-License-Identifier: Apache-2.0
// ADDS: asynchronous dynamic delta-stepping (Wang, Fussell, Lin, PPoPP 2021). A manager block hands the elements of a
// circular queue of buckets to worker blocks and adjusts the width of the buckets while the search runs.

#include "baselines/adds_manager.cuh"
#include "baselines/adds_worker.cuh"

namespace mlmq {

SIMT_DEVICE void run_adds(const adds_arguments& arguments) {
  using buckets_of = adds_buckets<MLMQ_ADDS_BUCKETS, counters>;
  counters counts(arguments.counters);
  if (simt::block_index() == simt::grid_blocks() - 1) {
    // One warp manages, because all its decisions depend on words that only it keeps.
    if (simt::warp_in_block() == 0) {
      adds_manager_words* const words = reinterpret_cast<adds_manager_words*>(simt::shared_memory());
      adds_manager<MLMQ_ADDS_BUCKETS, MLMQ_ADDS_DYNAMIC != 0, MLMQ_ADDS_OPEN_DYNAMIC != 0, counters> manager(
          arguments, words, counts);
      manager.run();
    }
  } else {
    adds_worker_words* const block = reinterpret_cast<adds_worker_words*>(simt::shared_memory());
    row_entry* const rows = reinterpret_cast<row_entry*>(block + 1);
    u64* const stages = reinterpret_cast<u64*>(rows + simt::block_threads());
    if (simt::thread_in_block() < adds_max_buckets) {
      simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->translation[simt::thread_in_block()],
                                                                   u64{0});
    }
    simt::sync_block();
    const u32 warp = simt::warp_in_block();
    buckets_of buckets(arguments, block, stages + warp * adds_stage, counts);
    row_entry* const rows_of_warp = rows + warp * simt::warp_size;
    adds_worker<buckets_of, counters>::expander relax(arguments, rows_of_warp, buckets, counts);
    search_arguments graph = {};
    graph.offsets = arguments.offsets;
    graph.edges = arguments.edges;
    graph.ell_rows = arguments.ell_rows;
    graph.distances = arguments.distances;
    adds_worker<buckets_of, counters>::ell_relax relax_ell(graph, rows_of_warp, buckets, counts);
    adds_worker<buckets_of, counters> worker(arguments, block, buckets, relax, relax_ell, counts);
    worker.run();
  }
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}

}  // namespace mlmq

SIMT_KERNEL(adds, mlmq::adds_arguments) { mlmq::run_adds(arguments); }
