// SPDX-License-Identifier: Apache-2.0
// One warp is writer, dispatcher, worker and manager of an L2 queue in turn, so that every step has exactly one right
// outcome.

#include "l2_runner.cuh"

SIMT_KERNEL(l2_sequence, mlmq::tests::script_arguments) {
  using namespace mlmq;
  using namespace mlmq::tests;
  start_block();
  counters counts;
  l2_queue l2(arguments.storage, words_of_block(), counts);
  recorder log(arguments, 0);
  u32 window = l2_queue::first_window;
  for (u32 i = 0; i < arguments.steps_per_warp; ++i) {
    const step now = step_of(arguments, 0, i);
    log.begin(i);
    if (now.kind == action::write) {
      l2.write(element_of(arguments, 0, i), has_lane(now.lanes));
    } else if (now.kind == action::read) {
      const l2_batch<element> batch = claim_best(l2, window, now.amount);
      if (batch.count == 0) {
        log.add(event::nothing, 0, false);
        continue;
      }
      // Delivers like a dispatcher, to the worker that lane 0 represents.
      l2.deliver(batch, 0, simt::lane() == 0 ? batch.count : 0, batch.count, exchange_of(0));
      simt::sync_warp();
      element e = 0;
      const bool valid = l2.take(mailbox::assignment(batch.subqueue, batch.first, batch.count), exchange_of(0), e);
      const u32 open = write_back_closed(l2, e, valid);
      log.add(event::taken, e, valid, {.answer = open, .subqueue = batch.subqueue, .position = batch.first});
    } else if (now.kind == action::advance) {
      const u32 advanced = advanced_window(l2, window, bucket_mapping::at_start(l2_queue::first_window));
      log.add(event::advanced, 0, false, {.window_before = window, .window_after = advanced});
      window = advanced;
    } else {
      learn_window(window);
    }
  }
  log.finish();
  counts.flush(arguments.counters);
}
