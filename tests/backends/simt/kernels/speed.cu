// SPDX-License-Identifier: Apache-2.0
// Mixes of operations for measuring the speed of the simulation.
#include "simt/simt.cuh"

struct speed_arguments {
  u32* words;
  u32 mask;  // mask for an index into words
  u32 rounds;
};

/// Random atomics, loads and collectives.
SIMT_KERNEL(mixed, speed_arguments) {
  using simt::order;
  using simt::scope;
  u32 state = (simt::block_index() * simt::block_threads() + simt::thread_in_block()) * 747796405u + 1;
  for (u32 i = 0; i < arguments.rounds; ++i) {
    state = state * 1664525u + 1013904223u;
    u32* const word = arguments.words + (state >> 8 & arguments.mask);
    const u32 seen = simt::load_atomic<order::relaxed, scope::device>(word);
    if (state < seen) simt::atomic_min<order::relaxed, scope::device>(word, state);
    simt::ballot(state < seen);
  }
}

/// Work of a warp in shared memory.
SIMT_KERNEL(shared, speed_arguments) {
  u32* const mine = reinterpret_cast<u32*>(simt::shared_memory()) + simt::warp_in_block() * simt::warp_size;
  simt::store(mine + simt::lane(), 0u);
  for (u32 i = 0; i < arguments.rounds; ++i) {
    simt::store(mine + simt::lane(), i);
    simt::sync_warp();
    const u32 other = simt::load(mine + (simt::lane() + 1) % simt::warp_size);
    simt::sync_warp();
    if (other != i) simt::store(mine + simt::lane(), ~0u);
  }
}

SIMT_KERNEL(nothing, speed_arguments) {}
