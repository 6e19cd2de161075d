// SPDX-License-Identifier: Apache-2.0
// Drives small queues by scripts, for the fuzzer: every group of the grid has a queue and executes its script step by
// step; the host compares the recorded results with a model. MLMQ_SMALL_CHECK_ELEMENT: u32 or u64.
#include "queues/small/check_abi.cuh"
#include "queues/small/selected.cuh"

namespace mlmq {

using checked_element = MLMQ_SMALL_CHECK_ELEMENT;
using checked_queue = selected_small_queue<checked_element, small_counter_sums>;
using checked_group = checked_queue::group;
using check_arguments = small_check_arguments<checked_element>;

SIMT_DEVICE u64 recorded(checked_element e) { return e == no_element<checked_element> ? no_element<u64> : e; }

class script_runner {
 public:
  SIMT_DEVICE script_runner(const check_arguments& script, checked_group owner, u32 queue)
      : script_(script), owner_(owner), number_(queue), is_active_(queue < script.storage.queues) {}

  SIMT_DEVICE void run(checked_queue& queue, u32 step) {
    const u64 entry = static_cast<u64>(step) * script_.storage.queues + number_;
    const small_step operation =
        is_active_ ? static_cast<small_step>(simt::load_readonly(script_.steps + entry)) : small_step::nothing;
    const u64 place = entry * script_.width + owner_.rank();
    const u64 operand = is_active_ ? simt::load_readonly(script_.operands + place) : no_element<u64>;
    const u64 first = owner_.shuffle(operand, 0);
    const checked_element given_element = static_cast<checked_element>(operand);
    // Operations that no group of the warp needs are not called, because calls could order accesses that a queue
    // forgets to order.
    bool fits = true;
    const auto any_wants = [&](small_step kind) { return owner_.any_in_step(operation == kind); };
    if (any_wants(small_step::insert)) {
      fits = queue.insert(static_cast<checked_element>(first), operation == small_step::insert);
    }
    if (any_wants(small_step::insert_many)) {
      const bool has_operand = operation == small_step::insert_many && operand != no_element<u64>;
      if (!queue.insert_many(given_element, has_operand)) fits = false;
    }
    u64 least_removed = no_element<u64>;
    if (any_wants(small_step::remove)) least_removed = recorded(queue.remove_least(operation == small_step::remove));
    u64 removed = no_element<u64>;
    if (any_wants(small_step::remove_many)) {
      removed = recorded(queue.remove_many(operation == small_step::remove_many ? static_cast<u32>(first) : 0));
    }
    if (operation == small_step::clear) queue.clear();
    // Exchanges are rare, because their barriers could order accesses that a queue forgets to order.
    if (step % script_.send_every == 0 && !exchange(queue, operand, operation == small_step::send)) fits = false;
    const u64 least = recorded(queue.least());
    if (!is_active_) return;
    const bool is_single = operation == small_step::remove && owner_.rank() == 0;
    simt::store(script_.results + place, is_single ? least_removed : removed);
    if (owner_.rank() != 0) return;
    simt::store(script_.leasts + entry, least);
    simt::store(script_.sizes + entry, queue.size());
    simt::store(script_.refused + entry, fits ? 0u : 1u);
  }

 private:
  /// All threads of the block send, then all empty their inboxes.
  SIMT_DEVICE bool exchange(checked_queue& queue, u64 operand, bool sends) {
    using mail = selected_inbox<checked_element>;
    bool fits = true;
    if (sends && operand != no_element<u64>) {
      constexpr u32 groups = simt::block_threads() / checked_group::size;
      const u32 base = number_ / groups * groups;
      const u32 in_block = script_.storage.queues - base < groups ? script_.storage.queues - base : groups;
      const u32 target_queue = base + (number_ - base + 1 + owner_.rank()) % in_block;
      fits = mail::append(script_.inboxes, target_queue, static_cast<checked_element>(operand));
    }
    simt::sync_block();
    if (!mail::empty_into(script_.inboxes, number_, queue, owner_, is_active_)) fits = false;
    simt::sync_block();
    return owner_.all(fits);
  }

  const check_arguments& script_;
  checked_group owner_;
  u32 number_;
  bool is_active_;
};

}  // namespace mlmq

SIMT_KERNEL(small_queue_check, mlmq::check_arguments) {
  using namespace mlmq;
  u8* const shared = simt::shared_memory();
  const checked_group owner(shared);
  const u32 number = checked_group::index();
  script_runner script(arguments, owner, number);
  small_counter_sums counts;
  for (u32 step = 0; step < arguments.step_count;) {
    checked_queue queue(arguments.storage, number, owner, shared + checked_group::scratch_bytes, counts);
    const u32 end = step + arguments.reload_every;
    for (; step < end && step < arguments.step_count; ++step) script.run(queue, step);
    queue.save();
  }
  simt::reduce_add<simt::order::relaxed, simt::scope::device>(arguments.counts, counts.comparisons);
  simt::reduce_add<simt::order::relaxed, simt::scope::device>(arguments.counts + 1, counts.moves);
}
