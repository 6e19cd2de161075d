// SPDX-License-Identifier: Apache-2.0
// Drives small queues by scripts, for the fuzzer: every group of the grid has a queue and does what its script says, step
// by step; what comes of it is recorded and compared with a model by the host. MLMQ_SMALL_CHECK_ELEMENT: u32 or u64.
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
  SIMT_DEVICE script_runner(const check_arguments& given, checked_group owner, u32 queue)
      : given_(given), owner_(owner), number_(queue), takes_part_(queue < given.storage.queues) {}

  SIMT_DEVICE void run(checked_queue& queue, u32 step) {
    const u64 at = static_cast<u64>(step) * given_.storage.queues + number_;
    const small_step what =
        takes_part_ ? static_cast<small_step>(simt::load_readonly(given_.steps + at)) : small_step::nothing;
    const u64 place = at * given_.width + owner_.rank();
    const u64 operand = takes_part_ ? simt::load_readonly(given_.operands + place) : no_element<u64>;
    const u64 first = owner_.shuffle(operand, 0);
    const checked_element given_element = static_cast<checked_element>(operand);
    // What no group of the warp wants is not called: it would order what the others may forget to order.
    bool fits = true;
    const auto any_wants = [&](small_step one) { return owner_.any_in_step(what == one); };
    if (any_wants(small_step::insert)) {
      fits = queue.insert(static_cast<checked_element>(first), what == small_step::insert);
    }
    if (any_wants(small_step::insert_many)) {
      const bool gives = what == small_step::insert_many && operand != no_element<u64>;
      if (!queue.insert_many(given_element, gives)) fits = false;
    }
    u64 one = no_element<u64>;
    if (any_wants(small_step::remove)) one = recorded(queue.remove_least(what == small_step::remove));
    u64 many = no_element<u64>;
    if (any_wants(small_step::remove_many)) {
      many = recorded(queue.remove_many(what == small_step::remove_many ? static_cast<u32>(first) : 0));
    }
    if (what == small_step::clear) queue.clear();
    // Seldom, because its barriers order what a queue may forget to order.
    if (step % given_.send_every == 0 && !exchange(queue, operand, what == small_step::send)) fits = false;
    const u64 least = recorded(queue.least());
    if (!takes_part_) return;
    const bool is_one = what == small_step::remove && owner_.rank() == 0;
    simt::store(given_.results + place, is_one ? one : many);
    if (owner_.rank() != 0) return;
    simt::store(given_.leasts + at, least);
    simt::store(given_.sizes + at, queue.size());
    simt::store(given_.refused + at, fits ? 0u : 1u);
  }

 private:
  /// All threads of the block send, then all empty their inboxes.
  SIMT_DEVICE bool exchange(checked_queue& queue, u64 operand, bool sends) {
    using mail = selected_inbox<checked_element>;
    bool fits = true;
    if (sends && operand != no_element<u64>) {
      constexpr u32 groups = simt::block_threads() / checked_group::size;
      const u32 base = number_ / groups * groups;
      const u32 in_block = given_.storage.queues - base < groups ? given_.storage.queues - base : groups;
      const u32 to = base + (number_ - base + 1 + owner_.rank()) % in_block;
      fits = mail::append(given_.inboxes, to, static_cast<checked_element>(operand));
    }
    simt::sync_block();
    if (!mail::empty_into(given_.inboxes, number_, queue, owner_, takes_part_)) fits = false;
    simt::sync_block();
    return owner_.all(fits);
  }

  const check_arguments& given_;
  checked_group owner_;
  u32 number_;
  bool takes_part_;
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
