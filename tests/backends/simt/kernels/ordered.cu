// SPDX-License-Identifier: Apache-2.0
// Messages that are ordered in less obvious ways: the simulator must not report a race.
#include "simt/simt.cuh"

struct ordered_arguments {
  u32* words;    // zeros
  u32* results;  // one per thread of the grid
};

using simt::order;
using simt::scope;

/// A chain of read-modify-write operations: each continues the releases before it, even if it is relaxed itself.
SIMT_KERNEL(release_sequence, ordered_arguments) {
  u32* const count = arguments.words;
  u32* const data = arguments.words + 32;
  const u32 warp = simt::block_index() * (simt::block_threads() / simt::warp_size) + simt::warp_in_block();
  const u32 warps = simt::grid_blocks() * (simt::block_threads() / simt::warp_size);
  simt::store(data + warp * simt::warp_size + simt::lane(), warp);
  simt::sync_warp();
  if (simt::lane() == 0) {
    simt::atomic_add<order::release, scope::device>(count, 1u);
    simt::atomic_add<order::relaxed, scope::device>(count, 1u << 16);
  }
  if (warp != 0) return;
  if (simt::lane() == 0) {
    while ((simt::load_atomic<order::acquire, scope::device>(count) & 0xFFFF) != warps) simt::backoff(100);
  }
  simt::sync_warp();
  u32 sum = 0;
  for (u32 w = 0; w < warps; ++w) sum += simt::load(data + w * simt::warp_size + simt::lane());
  simt::store(arguments.results + simt::lane(), sum);
}

/// A lane relays a message that it has received.
SIMT_KERNEL(relay, ordered_arguments) {
  u32* const data = arguments.words + 32;
  if (simt::thread_in_block() != 0) return;
  const u32 block = simt::block_index();
  if (block == 0) {
    simt::store(data, 41u);
    simt::store_atomic<order::release, scope::device>(arguments.words, 1u);
    return;
  }
  while (simt::load_atomic<order::acquire, scope::device>(arguments.words + block - 1) == 0) simt::backoff(100);
  const u32 value = simt::load(data);
  simt::store_atomic<order::release, scope::device>(arguments.words + block, 1u);
  simt::store(arguments.results + block, value + block);
}

/// A ring of one slot that is reused: the acquire of the free slot orders the next write after the last reads,
/// including reads of one word by all lanes.
SIMT_KERNEL(ring, ordered_arguments) {
  u32* const turn = arguments.words;
  u32* const data = arguments.words + 32;
  if (simt::warp_in_block() != 0 || simt::block_index() > 1) return;
  const u32 me = simt::block_index();
  u32 sum = 0;
  for (u32 i = 0; i < 10; ++i) {
    const u32 expected = 2 * i + me;
    if (simt::lane() == 0) {
      while (simt::load_atomic<order::acquire, scope::device>(turn) != expected) simt::backoff(100);
    }
    simt::sync_warp();
    if (me == 0) {
      simt::store(data + simt::lane(), i);
    } else {
      sum += simt::load(data + simt::lane()) + 1000 * simt::load(data);
    }
    simt::sync_warp();
    if (simt::lane() == 0) simt::store_atomic<order::release, scope::device>(turn, expected + 1);
  }
  if (me == 1) simt::store(arguments.results + simt::lane(), sum);
}

/// Neighbouring bytes of a word count as separate memory.
SIMT_KERNEL(bytes, ordered_arguments) {
  u8* const data = reinterpret_cast<u8*>(arguments.results) + simt::block_index() * simt::block_threads();
  simt::store(data + simt::thread_in_block(), static_cast<u8>(simt::thread_in_block()));
  simt::sync_block();
  simt::load(data + (simt::thread_in_block() + 5) % simt::block_threads());
}

/// The halves of a word change owners at a barrier: in the next round, another lane may write each half.
SIMT_KERNEL(halves, ordered_arguments) {
  unsigned short* const data =
      reinterpret_cast<unsigned short*>(arguments.results) + simt::block_index() * simt::block_threads();
  for (u32 round = 0; round < 3; ++round) {
    simt::store(data + (simt::thread_in_block() + round) % simt::block_threads(), static_cast<unsigned short>(round));
    simt::sync_block();
  }
}

/// A lane orders its accesses by an exchanged word, independently of its warp.
SIMT_KERNEL(lane_to_lane, ordered_arguments) {
  u32* const data = arguments.words + 32;
  if (simt::warp_in_block() != 0 || simt::block_index() != 0) return;
  if (simt::lane() == 4) {
    simt::store(data, 9u);
    simt::store_atomic<order::release, scope::device>(arguments.words, 1u);
  } else if (simt::lane() == 9) {
    while (simt::load_atomic<order::acquire, scope::device>(arguments.words) == 0) simt::backoff(100);
    simt::store(arguments.results, simt::load(data));
  }
}
