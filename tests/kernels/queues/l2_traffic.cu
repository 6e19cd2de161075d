// SPDX-License-Identifier: Apache-2.0
// Many warps at one L2 queue: blocks of writers, blocks of one dispatcher and takers, and a manager. All follow the
// protocol of queues/multi_queue.cuh. Elements beyond the first `enough` are not claimed.

#include "l2_runner.cuh"

namespace mlmq::tests {

/// Warp collective: returns a control word, loaded by one lane.
SIMT_DEVICE u32 load_control(const u32* word) {
  u32 value = 0;
  if (simt::lane() == 0) value = simt::load_atomic<simt::order::relaxed, simt::scope::device>(word);
  return simt::shuffle(value, 0);
}

SIMT_DEVICE void run_writer(const script_arguments& arguments, counters& counts) {
  queue_control* const control = arguments.storage.control;
  const u32 warp = warp_of_grid();
  l2_queue l2(arguments.storage, words_of_block(), counts);
  recorder log(arguments, warp);
  for (u32 i = 0; i < arguments.steps_per_warp; ++i) {
    const step now = step_of(arguments, warp, i);
    const element e = element_of(arguments, warp, i);
    // One warp updates the block's window, which never decreases.
    if (simt::warp_in_block() == 0) {
      const u32 window = window_in(load_control(&control->window), control);
      if (window > l2_queue::first_window) learn_window(window);
    }
    const u32 before = known_window();
    l2.write(e, has_lane(now.lanes));
    // Lane 0 may have finished while others still wait for their slots.
    simt::sync_warp();
    const u32 after = known_window();
    const u32 status = load_control(&control->status);
    log.begin(i);
    log.add(event::written, e, has_lane(now.lanes), {.answer = status, .window_before = before, .window_after = after});
    if (status != static_cast<u32>(run_status::running)) {
      if (simt::lane() == 0) {
        simt::store_atomic<simt::order::relaxed, simt::scope::block>(&words_of_block()->status, status);
      }
      break;
    }
  }
  log.finish();
}

SIMT_DEVICE void run_dispatcher(const script_arguments& arguments, u32 takers, counters& counts) {
  using simt::order;
  using simt::scope;
  queue_control* const control = arguments.storage.control;
  block_words* const block = words_of_block();
  l2_queue l2(arguments.storage, block, counts);
  const u32 lane = simt::lane();
  const u32 everyone = (1u << takers) - 1;
  u32 window = l2_queue::first_window;
  bool is_started = false;
  for (;;) {
    const u32 status = load_control(&control->status);
    const u32 new_window = window_in(load_control(&control->window), control);
    const bool has_enough = load_control(&control->done) >= arguments.enough;
    const bool is_idle =
        lane < takers && simt::load_atomic<order::acquire, scope::block>(&block->mailbox[lane]) == mailbox::idle;
    const u32 idle = simt::ballot(is_idle);
    // A taker with an assignment in its mailbox finishes it first.
    if (status != static_cast<u32>(run_status::running) || (has_enough && idle == everyone)) {
      const u32 end = has_enough ? static_cast<u32>(run_status::finished) : status;
      if (lane == 0) simt::store_atomic<order::relaxed, scope::block>(&block->status, end);
      return;
    }
    if (new_window > window) {
      window = new_window;
      learn_window(window);
    }
    if (!is_started) {
      const u32 written = lane < l2_queue::subqueue_count ? l2.load_counts(lane).y - arguments.first_position : 0;
      is_started = simt::warp_add(written) >= arguments.start_reading_at;
    }
    l2_batch<element> batch = {0, 0, 0, 0};
    const u32 idle_count = simt::popcount(idle);
    if (is_started && !has_enough && idle != 0) batch = claim_best(l2, window, idle_count * simt::warp_size);
    if (batch.count == 0) {
      simt::backoff(100);
      continue;
    }
    const u32 each = (batch.count + idle_count - 1) / idle_count;
    const u32 begin = simt::popcount(idle & simt::lanes_below()) * each;
    u32 share = 0;
    if (is_idle && begin < batch.count) share = batch.count - begin < each ? batch.count - begin : each;
    l2.deliver(batch, begin, share, each, exchange_of(lane < takers ? lane : 0));
    if (share != 0) {
      simt::store_atomic<order::release, scope::block>(&block->mailbox[lane],
                                                       mailbox::assignment(batch.subqueue, batch.first + begin, share));
    }
    simt::sync_warp();
  }
}

/// @return the next assignment, or idle at the end
SIMT_DEVICE u64 next_mail(u64* own_mailbox) {
  using simt::order;
  using simt::scope;
  simt::sync_warp();
  u64 mail = mailbox::idle;
  if (simt::lane() == 0) {
    simt::store_atomic<order::release, scope::block>(own_mailbox, mailbox::idle);
    const u32* const status = &words_of_block()->status;
    for (;;) {
      mail = simt::load_atomic<order::acquire, scope::block>(own_mailbox);
      if (mail != mailbox::idle) break;
      if (simt::load_atomic<order::relaxed, scope::block>(status) != static_cast<u32>(run_status::running)) break;
      simt::backoff(32);
    }
  }
  return simt::shuffle(mail, 0);
}

SIMT_DEVICE void run_taker(const script_arguments& arguments, u32 taker, counters& counts) {
  l2_queue l2(arguments.storage, words_of_block(), counts);
  recorder log(arguments, warp_of_grid());
  for (;;) {
    const u64 mail = next_mail(&words_of_block()->mailbox[taker]);
    if (mail == mailbox::idle) break;
    element e = 0;
    const bool valid = l2.take(mail, exchange_of(taker), e);
    const u32 before = known_window();
    // No lane may read the window before lane 0 has done so.
    simt::sync_warp();
    const u32 open = write_back_closed(l2, e, valid);
    const u32 after = known_window();
    log.add(event::taken, e, valid,
            {.answer = open,
             .subqueue = mailbox::ring(mail),
             .position = mailbox::position(mail),
             .window_before = before,
             .window_after = after});
    if (simt::lane() == 0) {
      simt::reduce_add<simt::order::release, simt::scope::device>(&arguments.storage.control->done,
                                                                  simt::popcount(open));
    }
  }
  log.finish();
}

SIMT_DEVICE void run_manager(const script_arguments& arguments, counters& counts) {
  queue_control* const control = arguments.storage.control;
  l2_queue l2(arguments.storage, words_of_block(), counts);
  u32 window = l2_queue::first_window;
  bucket_mapping mapping = bucket_mapping::at_start(window);
  [[maybe_unused]] u32 random = arguments.enough;
  for (;;) {
    const u32 done = load_control(&control->done);
    const u32 status = load_control(&control->status);
    if (done >= arguments.enough || status != static_cast<u32>(run_status::running)) return;
    const u32 advanced = advanced_window(l2, window, mapping);
    if constexpr (l2_queue::adapts_delta) {
      // The width changes at every look: from the window on, or from a bucket above it.
      random = random * 1664525 + 1013904223;
      const u32 above = (random >> 8 & 1) != 0 ? random >> 12 & 7 : 0;
      mapping = mapping.changed_from(advanced + above, static_cast<int>((random >> 16 & 15) % 7) - 3,
                                     arguments.storage.buckets_per_key);
      if (simt::lane() == 0) {
        simt::store_atomic<simt::order::relaxed, simt::scope::device>(&control->mapping, mapping.to_word());
        simt::store_atomic<simt::order::relaxed, simt::scope::device>(&control->window, mapping.window_word(advanced));
      }
    } else if (advanced != window && simt::lane() == 0) {
      simt::store_atomic<simt::order::relaxed, simt::scope::device>(&control->window, advanced);
    }
    window = advanced;
    simt::backoff(100);
  }
}

}  // namespace mlmq::tests

SIMT_KERNEL(l2_traffic, mlmq::tests::script_arguments) {
  using namespace mlmq::tests;
  start_block();
  counters counts;
  const u32 warp = simt::warp_in_block();
  if (simt::block_index() < arguments.writer_blocks) {
    run_writer(arguments, counts);
  } else if (simt::block_index() == simt::grid_blocks() - 1) {
    if (warp == 0) run_manager(arguments, counts);
  } else if (warp == 0) {
    run_dispatcher(arguments, simt::block_threads() / simt::warp_size - 1, counts);
  } else {
    run_taker(arguments, warp - 1, counts);
  }
  counts.flush(arguments.counters);
}
