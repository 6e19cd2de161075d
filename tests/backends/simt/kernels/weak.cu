// SPDX-License-Identifier: Apache-2.0
// Litmus tests of the memory model. Two blocks; the first lanes of their first warps communicate through words that lie
// on separate lines. GIVE and TAKE are the memory orders of the writer and the reader.
#include "simt/simt.cuh"

#ifndef GIVE
#define GIVE relaxed
#endif
#ifndef TAKE
#define TAKE relaxed
#endif

struct weak_arguments {
  u32* words;    // zeros: x at 0, y at 32, a quad at 64, a u64 at 96
  u32* results;  // zeros
};

using simt::order;
using simt::scope;

SIMT_DEVICE u32* word_x(const weak_arguments& arguments) { return arguments.words; }
SIMT_DEVICE u32* word_y(const weak_arguments& arguments) { return arguments.words + 32; }

template <order O, scope S>
SIMT_DEVICE void wait_for(const u32* flag, u32 value) {
  while (simt::load_atomic<O, S>(flag) != value) simt::backoff(50);
}

/// Reads the payload after its flag; the result is 2 if the payload is missing.
SIMT_KERNEL(message, weak_arguments) {
  if (simt::thread_in_block() != 0) return;
  if (simt::block_index() == 0) {
    simt::store_atomic<order::relaxed, scope::device>(word_x(arguments), 1u);
    simt::store_atomic<order::GIVE, scope::device>(word_y(arguments), 1u);
  } else {
    wait_for<order::TAKE, scope::device>(word_y(arguments), 1);
    simt::store(arguments.results, 2 - simt::load_atomic<order::relaxed, scope::device>(word_x(arguments)));
  }
}

/// Like the kernel above, with fences around relaxed words. REACH: scope of the fences.
SIMT_KERNEL(fenced_message, weak_arguments) {
#ifdef REACH
  if (simt::thread_in_block() != 0) return;
  if (simt::block_index() == 0) {
    simt::store_atomic<order::relaxed, scope::device>(word_x(arguments), 1u);
    simt::fence<order::release, scope::REACH>();
    simt::store_atomic<order::relaxed, scope::device>(word_y(arguments), 1u);
  } else {
    wait_for<order::relaxed, scope::device>(word_y(arguments), 1);
    simt::fence<order::acquire, scope::REACH>();
    simt::store(arguments.results, 2 - simt::load_atomic<order::relaxed, scope::device>(word_x(arguments)));
  }
#endif
}

/// Like the kernel above, but between two warps of a block, through shared memory.
SIMT_KERNEL(block_message, weak_arguments) {
  u32* const shared = reinterpret_cast<u32*>(simt::shared_memory());
  if (simt::thread_in_block() < 2) simt::store_atomic<order::relaxed, scope::block>(shared + simt::lane(), 0u);
  simt::sync_block();
  if (simt::block_index() != 0 || simt::lane() != 0) return;
  if (simt::warp_in_block() == 0) {
    simt::store_atomic<order::relaxed, scope::block>(shared, 1u);
    simt::store_atomic<order::GIVE, scope::block>(shared + 1, 1u);
  } else {
    wait_for<order::TAKE, scope::block>(shared + 1, 1);
    simt::store(arguments.results, 2 - simt::load_atomic<order::relaxed, scope::block>(shared));
  }
}

/// Each thread writes its own word and reads the other's; the result is the sum of both reads, plus 1.
SIMT_KERNEL(store_buffering, weak_arguments) {
  if (simt::thread_in_block() != 0) return;
  u32* const own_word = simt::block_index() == 0 ? word_x(arguments) : word_y(arguments);
  u32* const other = simt::block_index() == 0 ? word_y(arguments) : word_x(arguments);
  simt::store_atomic<order::release, scope::device>(own_word, 1u);
  const u32 seen = UPDATES ? simt::atomic_add<order::acq_rel, scope::device>(other, 0u)
                           : simt::load_atomic<order::acquire, scope::device>(other);
  simt::reduce_add<order::relaxed, scope::device>(arguments.results, simt::block_index() == 0 ? seen + 1 : seen);
}

/// One word counts up. Each other lane counts how often it sees the word decrease, and how often it sees an old value.
SIMT_KERNEL(coherence, weak_arguments) {
  constexpr u32 steps = 40;
  if (simt::block_index() == 0) {
    if (simt::thread_in_block() != 0) return;
    for (u32 i = 1; i <= steps; ++i) {
      simt::store_atomic<order::relaxed, scope::device>(word_x(arguments), i);
      if (simt::load_atomic<order::relaxed, scope::device>(word_x(arguments)) != i) simt::store(arguments.results, 1u);
      simt::backoff(100);
    }
    return;
  }
  u32 last = 0;
  u32 backwards = 0;
  while (last != steps) {
    const u32 seen = simt::load_atomic<order::relaxed, scope::device>(word_x(arguments));
    if (seen < last) ++backwards;
    last = seen;
    simt::backoff(50);
  }
  simt::store(arguments.results + 1 + simt::thread_in_block(), backwards);
}

/// A lane that learns from another lane what that lane has read must not read an older value; the result is 1 if it
/// does.
SIMT_KERNEL(relayed, weak_arguments) {
  u32* const shared = reinterpret_cast<u32*>(simt::shared_memory());
  if (simt::thread_in_block() == 0) simt::store_atomic<order::relaxed, scope::block>(shared, 0u);
  simt::sync_block();
  if (simt::lane() != 0) return;
  if (simt::block_index() == 0) {
    if (simt::warp_in_block() == 0) simt::store_atomic<order::relaxed, scope::device>(word_x(arguments), 1u);
  } else if (simt::warp_in_block() == 0) {
    wait_for<order::relaxed, scope::device>(word_x(arguments), 1);
    simt::store_atomic<order::GIVE, scope::block>(shared, 1u);
  } else {
    wait_for<order::TAKE, scope::block>(shared, 1);
    simt::store(arguments.results, 1 - simt::load_atomic<order::relaxed, scope::device>(word_x(arguments)));
  }
}

/// No update is lost, and a failed compare-exchange has seen the newest value; the result is 1 for each lane that sees
/// an older one afterwards.
SIMT_KERNEL(updates, weak_arguments) {
  u32 wrong = 0;
  for (u32 i = 0; i < 5; ++i) {
    const u32 ticket = simt::atomic_add<order::relaxed, scope::device>(word_x(arguments), 1u);
    if (simt::load_atomic<order::relaxed, scope::device>(word_x(arguments)) <= ticket) wrong = 1;
    const u32 old_value = simt::atomic_compare_exchange<order::relaxed, scope::device>(word_x(arguments), 0u, 0u);
    if (simt::load_atomic<order::relaxed, scope::device>(word_x(arguments)) < old_value) wrong = 1;
  }
  simt::store(arguments.results + simt::block_index() * simt::block_threads() + simt::thread_in_block(), wrong);
}

/// Work is counted in x before it is done and in y afterwards; the result is 1 if more work is seen done than was
/// counted.
SIMT_KERNEL(termination, weak_arguments) {
  if (simt::thread_in_block() != 0) return;
  if (simt::block_index() == 0) {
    for (u32 i = 0; i < 10; ++i) {
      simt::reduce_add<order::relaxed, scope::device>(word_x(arguments), 1u);
      simt::backoff(100);
      simt::reduce_add<order::GIVE, scope::device>(word_y(arguments), 1u);
    }
  } else {
    u32 done = 0;
    while (done != 10) {
      done = simt::load_atomic<order::TAKE, scope::device>(word_y(arguments));
      if (simt::load_atomic<order::relaxed, scope::device>(word_x(arguments)) < done)
        simt::store(arguments.results, 1u);
      simt::backoff(100);
    }
  }
}

/// The words of a quad are seen separately: the result is 1 if the second word, which is written last, is ahead of the
/// first.
SIMT_KERNEL(quads, weak_arguments) {
  if (simt::thread_in_block() != 0) return;
  u32* const words = arguments.words + 64;
  if (simt::block_index() == 0) {
    for (u32 i = 1; i <= 10; ++i) {
      simt::store_atomic<order::relaxed, scope::device>(words, i);
      simt::store_atomic<order::relaxed, scope::device>(words + 1, i);
      simt::backoff(100);
    }
  } else {
    simt::quad seen = {0, 0, 0, 0};
    while (seen.x != 10) {
      seen = simt::load_quad(reinterpret_cast<const simt::quad*>(words));
      if (seen.y > seen.x) simt::store(arguments.results, 1u);
      simt::backoff(50);
    }
  }
}

/// The result is 1 if the halves of a word come from different stores.
SIMT_KERNEL(halves, weak_arguments) {
  if (simt::thread_in_block() != 0) return;
  u64* const word = reinterpret_cast<u64*>(arguments.words + 96);
  constexpr u64 both_halves = 1ull << 32 | 1;
  if (simt::block_index() == 0) {
    for (u32 i = 1; i <= 10; ++i) {
      simt::store_atomic<order::relaxed, scope::device>(word, both_halves * i);
      simt::backoff(100);
    }
  } else {
    u64 seen = 0;
    while (seen != both_halves * 10) {
      seen = simt::load_atomic<order::relaxed, scope::device>(word);
      if (seen % both_halves != 0) simt::store(arguments.results, 1u);
      simt::backoff(50);
    }
  }
}

/// The stores of one launch are visible to the next.
SIMT_KERNEL(stores, weak_arguments) {
  if (simt::block_index() == 0) {
    simt::store_atomic<order::relaxed, scope::device>(arguments.words + simt::thread_in_block(), 7u);
  }
}
SIMT_KERNEL(loads, weak_arguments) {
  if (simt::block_index() == 1) {
    const u32 seen = simt::load_atomic<order::relaxed, scope::device>(arguments.words + simt::thread_in_block());
    if (seen != 7) simt::store(arguments.results + simt::thread_in_block(), 1u);
  }
}
