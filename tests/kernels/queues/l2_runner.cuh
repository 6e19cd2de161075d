// SPDX-License-Identifier: Apache-2.0
// Shared by the kernels over an L2 queue. MLMQ_TEST_QUEUE names the class.
#pragma once

#include "queues/bucket_mapping.cuh"
#include "queues/l2_bucket.cuh"
#include "queues/l2_heap.cuh"
#include "queues/l2_multi_heap.cuh"
#include "queues/l2_vector.cuh"
#include "script_runner.cuh"
#include "test_configuration.cuh"

namespace mlmq::tests {

using l2_queue = MLMQ_TEST_QUEUE<configuration, counters>;

SIMT_DEVICE block_words* words_of_block() { return reinterpret_cast<block_words*>(simt::shared_memory()); }

/// Returns 32 words of shared memory that belong to a warp of the block.
SIMT_DEVICE u64* exchange_of(u32 warp) {
  return reinterpret_cast<u64*>(simt::shared_memory() + sizeof(block_words)) + warp * simt::warp_size;
}

/// Initialises the block; called by all of its threads.
SIMT_DEVICE void start_block() {
  block_words* const block = words_of_block();
  if (simt::thread_in_block() == 0) {
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->status, static_cast<u32>(run_status::running));
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->window, l2_queue::first_window);
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(
        &block->mapping, bucket_mapping::at_start(l2_queue::first_window).to_word());
  }
  if (simt::thread_in_block() < simt::warp_size) {
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->mailbox[simt::lane()], mailbox::starting);
  }
  simt::sync_block();
}

SIMT_DEVICE u32 known_window() {
  return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&words_of_block()->window);
}

SIMT_DEVICE void learn_window(u32 window) {
  if (simt::lane() == 0)
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&words_of_block()->window, window);
  simt::sync_warp();
}

/// Warp collective: reads the window from its control word, like a dispatcher. If Δ is adapted, the block gets the
/// mapping too.
/// @return the window
SIMT_DEVICE u32 window_in(u32 word, const queue_control* control) {
  if constexpr (!l2_queue::adapts_delta) return word;
  if (bucket_mapping::window_in(word) != 0 && simt::lane() == 0) {
    const u64 mapping = simt::load_atomic<simt::order::relaxed, simt::scope::device>(&control->mapping);
    if (mapping != 0) simt::store_atomic<simt::order::relaxed, simt::scope::block>(&words_of_block()->mapping, mapping);
  }
  simt::sync_warp();
  return bucket_mapping::window_in(word);
}

/// Warp collective: moves the window, like the manager. @param mapping the current mapping, if Δ is adapted
template <class L2>
SIMT_DEVICE u32 advanced_window(const L2& l2, u32 window, [[maybe_unused]] const bucket_mapping& mapping) {
  simt::quad counts = {0, 0, 0, 0};
  if (simt::lane() < L2::subqueue_count) counts = l2.load_counts(l2.subqueue_in_order(window, simt::lane()));
  const u32 with_work = simt::ballot(counts.x != counts.y);
  if (with_work == 0) return window;
  if constexpr (L2::adapts_delta) {
    return l2.advanced_window(window, simt::first_set(with_work), mapping);
  } else {
    return l2.advanced_window(window, simt::first_set(with_work));
  }
}

/// Warp collective: claims up to `most` elements of the first open subqueue that holds work.
SIMT_DEVICE l2_batch<element> claim_best(l2_queue& l2, u32 window, u32 most) {
  const u32 subqueue = l2.open_subqueue(window, simt::lane() < l2_queue::open_subqueues ? simt::lane() : 0);
  const simt::quad seen = l2.load_counts(subqueue);
  const bool has_work = l2_queue::available(seen) > 0 && simt::lane() < l2_queue::open_subqueues;
  const u32 with_work = simt::ballot(has_work);
  if (with_work == 0) return {0, 0, 0, 0};
  return l2.claim(subqueue, most, seen, simt::first_set(with_work));
}

/// Warp collective for the warp that took `e`: writes back the elements that are not open. @return lanes with open
/// elements
SIMT_DEVICE u32 write_back_closed(l2_queue& l2, element e, bool valid) {
  bool is_open = valid;
  if constexpr (!l2_queue::is_always_open) {
    is_open = valid && l2.is_open(e);
    l2.note_deferred(e, valid && !is_open);
    l2.write(e, valid && !is_open);
  }
  return simt::ballot(is_open);
}

}  // namespace mlmq::tests
