// SPDX-License-Identifier: Apache-2.0
// Messages between warps whose order is wrong; correct with FIXED=1. The lines marked [name] and [name_other] are the
// two accesses that must be reported.
#include "simt/simt.cuh"

struct race_arguments {
  u32* words;  // zeros
};

using simt::order;
using simt::scope;

template <order O>
SIMT_DEVICE void wait_for(const u32* flag) {
  while (simt::load_atomic<O, scope::device>(flag) == 0) simt::backoff(200);
}

SIMT_KERNEL(missing_release, race_arguments) {
  constexpr order giving = FIXED ? order::release : order::relaxed;
  u32* const data = arguments.words + 32;
  if (simt::thread_in_block() != 0) return;
  if (simt::block_index() == 0) {
    simt::store(data, 7u);  // [missing_release_other]
    simt::store_atomic<giving, scope::device>(arguments.words, 1u);
  } else {
    wait_for<order::acquire>(arguments.words);
    simt::load(data);  // [missing_release]
  }
}

SIMT_KERNEL(missing_acquire, race_arguments) {
  constexpr order taking = FIXED ? order::acquire : order::relaxed;
  u32* const data = arguments.words + 32;
  if (simt::thread_in_block() != 0) return;
  if (simt::block_index() == 0) {
    simt::store(data, 7u);  // [missing_acquire_other]
    simt::store_atomic<order::release, scope::device>(arguments.words, 1u);
  } else {
    wait_for<taking>(arguments.words);
    simt::load(data);  // [missing_acquire]
  }
}

/// Fences and relaxed words; the scope of the wrong fence is only its own block.
SIMT_KERNEL(block_fence, race_arguments) {
  constexpr scope reach = FIXED ? scope::device : scope::block;
  u32* const data = arguments.words + 32;
  if (simt::thread_in_block() != 0) return;
  if (simt::block_index() == 0) {
    simt::store(data, 7u);  // [block_fence_other]
    simt::fence<order::release, reach>();
    simt::store_atomic<order::relaxed, scope::device>(arguments.words, 1u);
  } else {
    wait_for<order::relaxed>(arguments.words);
    simt::fence<order::acquire, scope::device>();
    simt::load(data);  // [block_fence]
  }
}

/// The scope of the reader's fence is too narrow.
SIMT_KERNEL(block_fence_of_reader, race_arguments) {
  constexpr scope reach = FIXED ? scope::device : scope::block;
  u32* const data = arguments.words + 32;
  if (simt::thread_in_block() != 0) return;
  if (simt::block_index() == 0) {
    simt::store(data, 7u);  // [block_fence_of_reader_other]
    simt::store_atomic<order::release, scope::device>(arguments.words, 1u);
  } else {
    wait_for<order::relaxed>(arguments.words);
    simt::fence<order::acquire, reach>();
    simt::load(data);  // [block_fence_of_reader]
  }
}

/// Within one block, a fence of block scope is enough; without any fence there is a race.
SIMT_KERNEL(no_fence, race_arguments) {
  u32* const shared = reinterpret_cast<u32*>(simt::shared_memory());
  if (simt::thread_in_block() == 0) simt::store_atomic<order::relaxed, scope::block>(shared, 0u);
  simt::sync_block();
  if (simt::lane() != 0) return;
  if (simt::warp_in_block() == 0) {
    simt::store(shared + 1, 7u);  // [no_fence_other]
    if (FIXED) simt::fence<order::release, scope::block>();
    simt::store_atomic<order::relaxed, scope::block>(shared, 1u);
  } else if (simt::warp_in_block() == 1) {
    while (simt::load_atomic<order::relaxed, scope::block>(shared) == 0) simt::backoff(50);
    if (FIXED) simt::fence<order::acquire, scope::block>();
    simt::load(shared + 1);  // [no_fence]
  }
}

/// All lanes write and one publishes: the other lanes must have arrived before.
SIMT_KERNEL(missing_sync_warp, race_arguments) {
  u32* const data = arguments.words + 32;
  if (simt::warp_in_block() != 0) return;
  if (simt::block_index() == 0) {
    simt::store(data + simt::lane(), 7u);  // [missing_sync_warp_other]
    if (FIXED) simt::sync_warp();
    if (simt::lane() == 0) simt::store_atomic<order::release, scope::device>(arguments.words, 1u);
  } else {
    if (simt::lane() == 0) wait_for<order::acquire>(arguments.words);
    simt::sync_warp();
    simt::load(data + simt::lane());  // [missing_sync_warp]
  }
}

/// A vote is not a barrier: earlier writes of the other lanes are not part of the release.
SIMT_KERNEL(vote_before_release, race_arguments) {
  u32* const data = arguments.words + 32;
  if (simt::warp_in_block() != 0) return;
  if (simt::block_index() == 0) {
    simt::store(data + simt::lane(), 7u);  // [vote_before_release_other]
    if (FIXED) simt::sync_warp();
    if (simt::any(true) && simt::lane() == 0) simt::store_atomic<order::release, scope::device>(arguments.words, 1u);
  } else {
    if (simt::lane() == 0) wait_for<order::acquire>(arguments.words);
    simt::sync_warp();
    simt::load(data + simt::lane());  // [vote_before_release]
  }
}

/// A shuffle shows the other lanes that the message has arrived, but does not order their reads after its acquire.
SIMT_KERNEL(shuffle_after_acquire, race_arguments) {
  u32* const data = arguments.words + 32;
  if (simt::warp_in_block() != 0) return;
  if (simt::block_index() == 0) {
    simt::store(data + simt::lane(), 7u);  // [shuffle_after_acquire_other]
    simt::sync_warp();
    if (simt::lane() == 0) simt::store_atomic<order::release, scope::device>(arguments.words, 1u);
  } else {
    if (simt::lane() == 0) wait_for<order::acquire>(arguments.words);
    if (FIXED) simt::sync_warp();
    simt::shuffle(simt::lane(), 0);
    simt::load(data + simt::lane());  // [shuffle_after_acquire]
  }
}

/// The lanes of a warp exchange words without synchronisation.
SIMT_KERNEL(within_warp, race_arguments) {
  u32* const shared = reinterpret_cast<u32*>(simt::shared_memory()) + simt::warp_in_block() * simt::warp_size;
  simt::store(shared + simt::lane(), 0u);
  simt::sync_warp();
  simt::store(shared + simt::lane(), 1u);  // [within_warp_other]
  if (FIXED) simt::sync_warp();
  if (simt::lane() < 31) simt::load(shared + simt::lane() + 1);  // [within_warp]
}

/// Two lanes of a warp write the same word.
SIMT_KERNEL(two_writers, race_arguments) {
  u32* const shared = reinterpret_cast<u32*>(simt::shared_memory()) + simt::warp_in_block() * simt::warp_size;
  const u32 place = FIXED ? simt::lane() : simt::lane() / 2;
  simt::store(shared + place, 1u);  // [two_writers]
}

/// Words that other threads update atomically must not be read with plain loads.
SIMT_KERNEL(plain_read, race_arguments) {
  if (simt::thread_in_block() != 0) return;
  if (simt::block_index() == 0) {
    for (u32 i = 0; i < 20; ++i) simt::atomic_add<order::acq_rel, scope::device>(arguments.words, 1u);
  } else {
    for (u32 i = 0; i < 20; ++i) {
      if (FIXED) {
        simt::load_atomic<order::relaxed, scope::device>(arguments.words);
      } else {
        simt::load(arguments.words);  // [plain_read]
      }
      simt::backoff(500);
    }
  }
}

/// A barrier is missing between reading a shared word and overwriting it.
SIMT_KERNEL(missing_barrier, race_arguments) {
  u32* const shared = reinterpret_cast<u32*>(simt::shared_memory());
  for (u32 i = 0; i < 3; ++i) {
    if (simt::thread_in_block() == 0) simt::store(shared, i);  // [missing_barrier]
    simt::sync_block();
    simt::load(shared);  // [missing_barrier_other]
    if (FIXED) simt::sync_block();
  }
}

SIMT_KERNEL(halves, race_arguments) {
  unsigned short* const shared = reinterpret_cast<unsigned short*>(simt::shared_memory());
  for (u32 i = 0; i < 2; ++i) {
    const u32 half = (simt::thread_in_block() + i * simt::warp_size) % simt::block_threads();
    simt::store(shared + half, static_cast<unsigned short>(i));  // [halves]
    if (FIXED) simt::sync_block();
  }
}
