// SPDX-License-Identifier: Apache-2.0
// Drives a parallel heap by a script, for the fuzzer. With MLMQ_PARALLEL_GRID the team is the grid, otherwise its only
// block.
#include "queues/small/parallel_heap.cuh"
#include "queues/small/parallel_heap_check_abi.cuh"

namespace mlmq {

/// Barrier of all blocks on one word. A block that waits too long leaves, and its run is over.
class check_barrier {
 public:
  /// @param shared a word of shared memory
  SIMT_DEVICE check_barrier(u32* arrived, u32* shared)
      : arrived_(arrived), shared_(shared), deadline_(simt::clock_ns() + 100'000'000) {}

  SIMT_DEVICE bool wait() {
    simt::sync_block();
    if (simt::thread_in_block() == 0) simt::store(shared_, synchronise() ? 1u : 0u);
    simt::sync_block();
    return simt::load(shared_) != 0;
  }

 private:
  SIMT_DEVICE bool synchronise() {
    using simt::order;
    using simt::scope;
    expected_ += simt::grid_blocks();
    u32 arrivals = simt::atomic_add<order::acq_rel, scope::device>(arrived_, 1u) + 1;
    while (arrivals < expected_) {
      if (simt::clock_ns() > deadline_) return false;
      simt::backoff(100);
      arrivals = simt::load_atomic<order::acquire, scope::device>(arrived_);
    }
    return true;
  }

  u32* arrived_;
  u32* shared_;
  u64 deadline_;
  u32 expected_ = 0;
};

template <class Team>
SIMT_DEVICE void run_parallel_heap_script(const parallel_heap_check_arguments& arguments, Team& team) {
  no_small_counters counters;
  parallel_heap<u64, Team, no_small_counters> heap(arguments.storage, team, counters);
  const u32 node = arguments.storage.node;
  for (u32 step = 0; step < arguments.steps; ++step) {
    const u64 first = static_cast<u64>(step) * node;
    for (u32 i = team.rank(); i < node; i += team.size()) {
      simt::store(heap.input() + i, simt::load_readonly(arguments.fresh + first + i));
    }
    if (!heap.step(simt::load_readonly(arguments.counts + step))) return;
    for (u32 i = team.rank(); i < node; i += team.size()) {
      simt::store(arguments.removed + first + i, simt::load(heap.removed() + i));
    }
    if (team.rank() == 0) {
      simt::store(arguments.sizes + step, heap.size());
      simt::store(arguments.ended, step + 1);
    }
  }
}

}  // namespace mlmq

SIMT_KERNEL(parallel_heap_check, mlmq::parallel_heap_check_arguments) {
  using namespace mlmq;
#if MLMQ_PARALLEL_GRID
  check_barrier barrier(arguments.arrived, reinterpret_cast<u32*>(simt::shared_memory()));
  grid_team<check_barrier> team(barrier);
#else
  block_team team;
#endif
  run_parallel_heap_script(arguments, team);
}
