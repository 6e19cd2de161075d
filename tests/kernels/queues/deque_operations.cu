// SPDX-License-Identifier: Apache-2.0
// Every operation of a warp's deque, from a script. The script respects the preconditions: pushed elements fit.

#include "queues/warp_deque.cuh"
#include "script_runner.cuh"

namespace mlmq::tests {

template <class Deque>
SIMT_DEVICE void apply(const step& now, element e, Deque& deque, recorder& log) {
  if (now.kind == action::pop_front) {
    const bool valid = deque.pop_front(e, now.amount);
    log.add(event::read, e, valid);
    return;
  }
  if (now.kind == action::replace) {
    // There is no barrier between the two operations: they order the lanes' accesses themselves.
    element popped = 0;
    const bool valid = deque.pop_front(popped, now.amount);
    deque.push_back(e, now.lanes);
    log.add(event::read, popped, valid);
    return;
  }
  u32 moved = 0;
  if (now.kind == action::push_back) deque.push_back(e, now.lanes);
  if (now.kind == action::push_front) deque.push_front(e, now.lanes);
  if (now.kind == action::room_everything) moved = deque.template make_room<spill_everything>(now.amount, log);
  if (now.kind == action::room_worst) moved = deque.template make_room<spill_worst>(now.amount, log);
  if (now.kind == action::spill_back) moved = deque.spill_back(now.amount, log);
  if (now.kind == action::spill_all) moved = deque.spill_back(0, log);
  const u32 all_moved = simt::warp_add(moved);
  const bool has_front = deque.size() != 0 && simt::lane() == 0;
  log.add(event::state, has_front ? deque.front() : 0, has_front,
          {.answer = deque.size(), .subqueue = all_moved, .position = deque.room()});
}

}  // namespace mlmq::tests

SIMT_KERNEL(deque_operations, mlmq::tests::script_arguments) {
  using namespace mlmq;
  using namespace mlmq::tests;
  constexpr u32 capacity = MLMQ_TEST_CAPACITY;
  const u32 warp = warp_of_grid();
  warp_deque<element, capacity> deque(reinterpret_cast<u64*>(simt::shared_memory()) + simt::warp_in_block() * capacity);
  recorder log(arguments, warp);
  for (u32 i = 0; i < arguments.steps_per_warp; ++i) {
    log.begin(i);
    apply(step_of(arguments, warp, i), element_of(arguments, warp, i), deque, log);
  }
  log.finish();
}
