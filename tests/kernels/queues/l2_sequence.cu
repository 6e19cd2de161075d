// SPDX-License-Identifier: Apache-2.0
// One warp is writer, courier, worker and manager of an L2 queue in turn, so that every step has one right outcome.

#include "l2_runner.cuh"

SIMT_KERNEL(l2_sequence, mlmq::tests::script_arguments) {
  using namespace mlmq;
  using namespace mlmq::tests;
  start_block();
  counters counts;
  l2_queue l2(arguments.search, words_of_block(), counts);
  recorder log(arguments, 0);
  u32 base = l2_queue::first_base;
  for (u32 i = 0; i < arguments.steps_per_warp; ++i) {
    const step now = step_of(arguments, 0, i);
    log.begin(i);
    if (now.what == action::write) {
      l2.write(element_of(arguments, 0, i), has_lane(now.lanes));
    } else if (now.what == action::read) {
      const l2_batch batch = claim_best(l2, base, now.amount);
      if (batch.count == 0) {
        log.add(event::nothing, 0, false);
        continue;
      }
      // As a courier does it for the worker that lane 0 stands for.
      l2.deliver(batch, 0, simt::lane() == 0 ? batch.count : 0, batch.count, exchange_of(0));
      simt::sync_warp();
      element e = 0;
      const bool valid = l2.take(mailbox::assignment(batch.part, batch.first, batch.count), exchange_of(0), e);
      const u32 open = write_back_closed(l2, e, valid);
      log.add(event::taken, e, valid, {.answer = open, .part = batch.part, .position = batch.first});
    } else if (now.what == action::advance) {
      const u32 advanced = advanced_base(l2, base);
      log.add(event::advanced, 0, false, {.base_before = base, .base_after = advanced});
      base = advanced;
    } else {
      learn_base(base);
    }
  }
  log.finish();
  counts.flush(arguments.search.counters);
}
