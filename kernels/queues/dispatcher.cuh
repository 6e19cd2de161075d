// SPDX-License-Identifier: Apache-2.0
// The dispatcher: the only warp of a block that polls L2, claims elements and assigns them to the block's idle
// workers.
#pragma once

#include "queues/bucket_mapping.cuh"
#include "queues/l2_access.cuh"
#include "queues/mailbox.cuh"
#include "queues/storage.cuh"

namespace mlmq {

/// Runs the loop of a block's dispatcher warp; called by all its lanes. Ends when the manager has set the status.
/// @tparam Traits with l1_batch, l2_batch, l2_share and dispatcher_backoff_ns
/// @param workers worker warps of the block, at most 31
/// @param l1 the block's L1 queue if it is shared; otherwise unused
/// @param delivered memory for elements of the worker that this lane stands for
template <class Traits, class L1, class L2, class Counters>
SIMT_DEVICE void run_dispatcher(const typename Traits::storage& storage, block_words* block, u32 workers, const L1& l1,
                                typename L2::element* delivered, Counters& counters) {
  using simt::order;
  using simt::scope;
  L2 l2(storage, block, counters);
  queue_control* const control = storage.control;
  const u32 lane = simt::lane();
  const u32 all_workers = (1u << workers) - 1;  // at most 31 workers
  u32 window = L2::first_window;
  [[maybe_unused]] u32 mapping_version = 0;  // window of the block's copy
  u32 claimed = 0;                           // elements taken from L2 and not yet counted as done
  u32 first_worker = 0;
  [[maybe_unused]] const float share_of_block =
      static_cast<float>(Traits::l2_share) / static_cast<float>(simt::grid_blocks());
  for (;;) {
    // Status, window and the subqueues that were open at the last poll, in one round trip.
    const u32 subqueue = l2.open_subqueue(window, lane < L2::subqueues_when_idle ? lane : 0);
    const simt::quad seen = l2.load_counts(subqueue);
    u32 word = 0;
    if (lane < 2) {
      word = simt::load_atomic<order::relaxed, scope::device>(lane == 0 ? &control->status : &control->window);
    }
    const u32 status = simt::shuffle(word, 0);
    u32 new_window = simt::shuffle(word, 1);
    if constexpr (L2::adapts_delta) {
      if (bucket_mapping::version_in(new_window) != mapping_version) {
        // The mapping may become visible later than the word of the window; then the next poll tries again.
        const u64 mapping = simt::load_atomic<order::relaxed, scope::device>(&control->mapping);
        mapping_version = simt::shuffle(bucket_mapping::from_word(mapping).version, 0);
        if (lane == 0) simt::store_atomic<order::relaxed, scope::block>(&block->mapping, mapping);
      }
      new_window = bucket_mapping::window_in(new_window);
    }
    if (lane == 0) counters.add(queue_counter::polls, 1);
    if (status != static_cast<u32>(run_status::running)) {
      if (lane == 0) simt::store_atomic<order::relaxed, scope::block>(&block->status, status);
      break;
    }

    const bool is_idle =
        lane < workers && simt::load_atomic<order::acquire, scope::block>(&block->mailbox[lane]) == mailbox::idle;
    const u32 idle = simt::ballot(is_idle);
    // Makes what each lane acquired from its worker visible to every lane, and orders it before lane 0's release.
    simt::sync_warp();
    u32 in_block = 0;
    if constexpr (L1::is_shared) {
      // After the mailboxes: if all workers are idle, no worker changes the size any more.
      in_block = simt::shuffle(l1.size_unlocked(), 0);
      if (in_block != 0 && idle != 0) {
        const u32 needed_workers = (in_block + Traits::l1_batch - 1) / Traits::l1_batch;
        if (is_idle && simt::popcount(idle & simt::lanes_below()) < needed_workers) {
          simt::store_atomic<order::release, scope::block>(&block->mailbox[lane], mailbox::retry_l1);
        }
        simt::sync_warp();
        continue;
      }
    }
    if (idle == all_workers && claimed != 0) {
      if (lane == 0) simt::reduce_add<order::release, scope::device>(&control->done, claimed);
      claimed = 0;
    }
    if (new_window > window) {
      window = new_window;
      if (lane == 0) simt::store_atomic<order::relaxed, scope::block>(&block->window, window);
      simt::sync_warp();
      continue;
    }
    if (idle == 0) {
      simt::backoff(200);
      continue;
    }

    const u32 open = idle == all_workers ? L2::subqueues_when_idle : L2::open_subqueues;
    const bool has_work = L2::available(seen) > 0 && lane < open;
    const u32 lanes_with_work = simt::ballot(has_work);
    if (lanes_with_work == 0) {
      simt::backoff(Traits::dispatcher_backoff_ns);
      continue;
    }
    const u32 best = simt::first_set(lanes_with_work);
    const u32 idle_count = simt::popcount(idle);
    u32 requested = idle_count * Traits::l2_batch;
    if constexpr (Traits::l2_share != 0) {
      // An even share of the waiting elements, so that all blocks start at the same time, but at least one element per
      // worker.
      const float waiting = static_cast<float>(simt::shuffle(L2::available(seen), best));
      const u32 even_share = static_cast<u32>(waiting * share_of_block);
      const u32 least = even_share > idle_count ? even_share : idle_count;
      if (least < requested) requested = least;
    }
    const l2_batch<typename L2::element> batch = l2.claim(subqueue, requested, seen, best);
    if (batch.count == 0) {
      simt::backoff(Traits::dispatcher_backoff_ns);
      continue;
    }
    claimed += batch.count;
    // Spread a little work over all idle workers: the least share that is enough, without a division, which is slow.
    const u32 per_worker = simt::first_set(simt::ballot((lane + 1) * idle_count >= batch.count)) + 1;
    u32 begin = 0;
    u32 share = 0;
    if (is_idle) {
      // Workers take turns in being first, so that a single element does not always go to the same one.
      const u64 doubled = idle | static_cast<u64>(idle) << workers;
      const u32 rotated = static_cast<u32>(doubled >> first_worker) & all_workers;
      const u32 place = (lane + workers - first_worker) % workers;
      const u32 rank = simt::popcount(rotated & ((1u << place) - 1));
      begin = rank * per_worker;
      if (begin < batch.count) share = batch.count - begin < per_worker ? batch.count - begin : per_worker;
    }
    l2.deliver(batch, begin, share, per_worker, delivered);
    if (share != 0) {
      counters.add(queue_counter::l2_claims, 1);
      simt::store_atomic<order::release, scope::block>(&block->mailbox[lane],
                                                       mailbox::assignment(batch.subqueue, batch.first + begin, share));
    }
    first_worker = (first_worker + 1) % workers;
    simt::sync_warp();
  }
}

}  // namespace mlmq
