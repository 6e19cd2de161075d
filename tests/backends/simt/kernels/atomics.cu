// SPDX-License-Identifier: Apache-2.0
// Totals that must be the same under every interleaving.
#include "simt/simt.cuh"

struct atomics_totals {
  u32 sum, least, bits, wins, reduced, last;
  u64 wide_sum, wide_least;
};

struct atomics_arguments {
  atomics_totals* totals;
  u32* block_sums;  // one per block, summed in shared memory
};

SIMT_KERNEL(atomics, atomics_arguments) {
  using simt::order;
  using simt::scope;
  const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  u32* const shared_sum = reinterpret_cast<u32*>(simt::shared_memory());
  u64* const shared_least = reinterpret_cast<u64*>(simt::shared_memory() + 8);
  if (simt::thread_in_block() == 0) {
    simt::store(shared_sum, 0u);
    simt::store(shared_least, ~0ull);
  }
  simt::sync_block();
  atomics_totals* const totals = arguments.totals;
  simt::atomic_add<order::relaxed, scope::device>(&totals->sum, thread);
  simt::atomic_min<order::relaxed, scope::device>(&totals->least, thread + 7);
  simt::atomic_or<order::acq_rel, scope::device>(&totals->bits, 1u << thread % 32);
  simt::reduce_add<order::relaxed, scope::device>(&totals->reduced, 2u);
  simt::atomic_add<order::relaxed, scope::system>(&totals->wide_sum, 1ull << 33);
  simt::atomic_min<order::relaxed, scope::device>(&totals->wide_least, ~0ull - thread);
  simt::atomic_exchange<order::relaxed, scope::device>(&totals->last, thread);
  for (;;) {
    const u32 seen = simt::load_atomic<order::relaxed, scope::device>(&totals->wins);
    if (simt::atomic_compare_exchange<order::relaxed, scope::device>(&totals->wins, seen, seen + 1) == seen) break;
    simt::backoff(50);
  }
  simt::atomic_add<order::relaxed, scope::block>(shared_sum, thread);
  simt::atomic_min<order::relaxed, scope::block>(shared_least, static_cast<u64>(thread));
  simt::sync_block();
  if (simt::thread_in_block() == 0) {
    simt::store(arguments.block_sums + simt::block_index(),
                simt::load(shared_sum) + static_cast<u32>(simt::load(shared_least)));
  }
}
