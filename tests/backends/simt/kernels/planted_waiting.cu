// SPDX-License-Identifier: Apache-2.0
// Lanes that wait for an event that never happens, one cause per kernel; correct with FIXED=1.
#include "simt/simt.cuh"

struct waiting_arguments {
  u32* words;  // zeros
};

SIMT_KERNEL(divergent_branch, waiting_arguments) {
  const bool low = simt::lane() < 16;
  if (FIXED) {
    simt::ballot(low);
  } else if (low) {
    simt::ballot(true);  // [divergent_branch]
  } else {
    simt::sync_warp();  // [divergent_branch_other]
  }
}

SIMT_KERNEL(divergent_return, waiting_arguments) {
  if (!FIXED && simt::block_index() == 1 && simt::lane() == 5) return;
  simt::warp_add(1);  // [divergent_return]
}

SIMT_KERNEL(divergent_barrier, waiting_arguments) {
  if (FIXED || simt::warp_in_block() == 0) {
    simt::sync_block();  // [divergent_barrier]
  } else {
    simt::sync_block();  // [divergent_barrier_other]
  }
}

SIMT_KERNEL(deadlock, waiting_arguments) {
  if (!FIXED && simt::warp_in_block() == 1) return;
  simt::sync_block();  // [deadlock]
}

/// A consumer that sleeps until it is woken, and a producer that checks for sleepers before the consumer falls asleep.
SIMT_KERNEL(lost_wakeup, waiting_arguments) {
  using simt::order;
  using simt::scope;
  u32* const work = arguments.words;
  u32* const asleep = arguments.words + 1;
  u32* const wake = arguments.words + 2;
  if (simt::thread_in_block() != 0) return;
  if (simt::block_index() == 0) {
    if (simt::load_atomic<order::acquire, scope::device>(work) != 0) return;
    simt::backoff(3000);
    simt::store_atomic<order::release, scope::device>(asleep, 1u);
    while (simt::load_atomic<order::acquire, scope::device>(wake) == 0) {  // [lost_wakeup_condition]
      if (FIXED && simt::load_atomic<order::acquire, scope::device>(work) != 0) break;
      simt::backoff(100);  // [lost_wakeup]
    }
  } else {
    simt::backoff(1500);
    simt::store_atomic<order::release, scope::device>(work, 1u);
    if (simt::load_atomic<order::acquire, scope::device>(asleep) != 0) {
      simt::store_atomic<order::release, scope::device>(wake, 1u);
    }
  }
}

/// Like the kernel above, but without back-off, so that only the modelled time shows the wait.
SIMT_KERNEL(spin, waiting_arguments) {
  using simt::order;
  using simt::scope;
  if (simt::thread_in_block() != 0 || simt::block_index() != 0) return;
  if (FIXED) simt::store_atomic<order::relaxed, scope::device>(arguments.words, 1u);
  while (simt::load_atomic<order::relaxed, scope::device>(arguments.words) == 0) {  // [spin]
  }
}

/// Memory changes all the time, but the kernel makes no progress.
SIMT_KERNEL(endless, waiting_arguments) {
  if (simt::thread_in_block() != 0 || simt::block_index() != 0) return;
  do {
    simt::reduce_add<simt::order::relaxed, simt::scope::device>(arguments.words, 1u);  // [endless]
  } while (!FIXED);
}
