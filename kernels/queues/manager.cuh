// SPDX-License-Identifier: Apache-2.0
// The manager: the warp of the grid that seeds a multi-level queue, moves the window of its buckets, adapts their width
// if that is enabled, and detects the end.
#pragma once

#include "queues/delta_control.cuh"
#include "queues/l2_access.cuh"
#include "queues/storage.cuh"

namespace mlmq {

/// Runs the loop of the manager warp; called by all its lanes.
/// @tparam Traits with manager_backoff_ns
/// @tparam Problem see multi_queue.cuh: seed() and is_over()
template <class Traits, class Problem, class L2, class Counters>
SIMT_DEVICE void run_manager(const typename Traits::storage& storage, block_words* block, Counters& counters) {
  using simt::order;
  using simt::scope;
  queue_control* const control = storage.control;
  L2 l2(storage, block, counters);
  const u32 lane = simt::lane();
  const u64 deadline = simt::clock_ns() + storage.time_limit_ns;
  u32 window = L2::first_window;
  [[maybe_unused]]
  typename delta_of<L2::adapts_delta, L2, typename Traits::storage, Counters>::type delta(storage, counters);
  if (lane == 0) {
    simt::store_atomic<order::relaxed, scope::device>(&control->window, window);
    simt::store_atomic<order::relaxed, scope::device>(&control->beyond, ~0u);
    if constexpr (L2::adapts_delta) {
      simt::store_atomic<order::relaxed, scope::device>(&control->mapping, delta.mapping().to_word());
    }
  }
  Problem::seed(storage, l2);

  u32 end = static_cast<u32>(run_status::running);
  while (end == static_cast<u32>(run_status::running)) {
    u32 word = 0;
    if (lane == 0) word = simt::load_atomic<order::acquire, scope::device>(&control->done);
    if (lane == 1) word = simt::load_atomic<order::relaxed, scope::device>(&control->status);
    if (lane == 2) word = simt::load_atomic<order::relaxed, scope::system>(&control->host_abort);
    // No lane may read a tail before lane 0 has read `done`.
    simt::sync_warp();
    const u32 done = simt::shuffle(word, 0);
    const u32 status = simt::shuffle(word, 1);
    const u32 host_abort = simt::shuffle(word, 2);

    simt::quad counts = {0, 0, 0, 0};
    if (lane < L2::subqueue_count) counts = l2.load_counts(l2.subqueue_in_order(window, lane));
    const u32 written = simt::warp_add(counts.y);
    if (Problem::is_over(done, written)) {
      end = static_cast<u32>(run_status::finished);
    } else if (status != end) {
      end = status;
    } else if (host_abort != 0) {
      end = static_cast<u32>(run_status::aborted);
    } else if (simt::any(simt::clock_ns() > deadline)) {
      end = static_cast<u32>(run_status::timed_out);
    }
    const u32 lanes_with_work = simt::ballot(counts.x != counts.y);
    if (lanes_with_work != 0) {
      u32 advanced;
      if constexpr (L2::adapts_delta) {
        advanced = l2.advanced_window(window, simt::first_set(lanes_with_work), delta.mapping());
      } else {
        advanced = l2.advanced_window(window, simt::first_set(lanes_with_work));
      }
      if (advanced != window) {
        window = advanced;
        u32 window_word = window;
        if constexpr (L2::adapts_delta) window_word = delta.mapping().window_word(window);
        if (lane == 0) simt::store_atomic<order::relaxed, scope::device>(&control->window, window_word);
      }
    }
    if constexpr (L2::adapts_delta) delta.observe(counts, window);
    simt::backoff(Traits::manager_backoff_ns);
  }
  if (lane == 0) {
    simt::atomic_compare_exchange<order::release, scope::device>(&control->status,
                                                                 static_cast<u32>(run_status::running), end);
  }
}

}  // namespace mlmq
