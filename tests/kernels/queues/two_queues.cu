// SPDX-License-Identifier: Apache-2.0
// Two queues with different elements, orders and sizes in one kernel, one pair per block. Each warp of a block gets
// back exactly the elements that it has written, from L1 and from L2.

#include "two_queues.cuh"

#include "queues/l1_slf.cuh"
#include "queues/l1_vector.cuh"
#include "queues/l2_bucket.cuh"
#include "queues/l2_vector.cuh"
#include "queues/order.cuh"

namespace mlmq::tests {

struct keyed_traits {
  using order = key_above_item<integer_key>;
  using storage = queue_storage<u64>;
  using spill = spill_worst;
  static constexpr u32 l1_capacity = 64;
  static constexpr u32 l1_batch = 32;
  static constexpr u32 bmax = 8;
  static constexpr u32 bnum = 2;
  static constexpr u32 idle_buckets = 0;
  static constexpr bool adapts_delta = false;
};

struct plain_traits {
  using order = unordered_items;
  using storage = queue_storage<u32>;
  using spill = spill_everything;
  static constexpr u32 l1_capacity = 32;
  static constexpr u32 l1_batch = 8;
  static constexpr u32 wb = 3;
};

/// Sums over the elements that a lane has read.
struct tally {
  u64 count = 0;
  u64 sum = 0;
  SIMT_DEVICE void add(u64 item, bool valid) {
    count += valid ? 1 : 0;
    sum += valid ? item : 0;
  }
  SIMT_DEVICE void store(returned* target) const {
    simt::reduce_add<simt::order::relaxed, simt::scope::device>(&target->count, count);
    simt::reduce_add<simt::order::relaxed, simt::scope::device>(&target->sum, sum);
  }
};

/// Warp collective: reads everything from both levels.
template <class L1, class L2>
SIMT_DEVICE void empty_both(L1& l1, L2& l2, tally& total) {
  typename L2::element e = 0;
  bool valid = false;
  while (l1.read(e, valid)) total.add(e, valid);
  for (u32 ring = 0; ring < L2::subqueue_count; ++ring) {
    for (;;) {
      const auto batch = l2.claim(ring, simt::warp_size, l2.load_counts(ring), 0);
      if (batch.count == 0) break;
      valid = l2.take(mailbox::assignment(batch.subqueue, batch.first, batch.count), nullptr, e);
      total.add(e, valid);
    }
  }
}

}  // namespace mlmq::tests

SIMT_KERNEL(two_queues, mlmq::tests::two_queues_arguments) {
  using namespace mlmq;
  using namespace mlmq::tests;
  using keyed_l2 = l2_bucket<keyed_traits, no_counters>;
  using keyed_l1 = l1_slf<keyed_traits, no_counters>;
  using plain_l2 = l2_vector<plain_traits, no_counters>;
  using plain_l1 = l1_vector<plain_traits, no_counters>;
  const u32 own_block = simt::block_index();
  block_words* const block = reinterpret_cast<block_words*>(simt::shared_memory());
  if (simt::thread_in_block() == 0) {
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->status, static_cast<u32>(run_status::running));
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->window, keyed_l2::first_window);
  }
  simt::sync_block();
  no_counters counters;
  u64* const keyed_places = reinterpret_cast<u64*>(block + 1);
  u32* const plain_places = reinterpret_cast<u32*>(keyed_places + keyed_l1::storage);
  keyed_l2 keyed_lower(arguments.keyed[own_block], block, counters);
  plain_l2 plain_lower(arguments.plain[own_block], block, counters);
  keyed_l1 keyed(keyed_places, arguments.keyed[own_block], block, counters);
  plain_l1 plain(plain_places, arguments.plain[own_block], block, counters);

  for (u32 round = 0; round < arguments.rounds; ++round) {
    const u32 item = (own_block * arguments.rounds + round) * simt::warp_size + simt::lane();
    keyed.write(keyed_traits::order::make(item, item % 50), true, keyed_lower);
    plain.write(item, true, plain_lower);
  }
  tally keyed_all;
  tally plain_all;
  empty_both(keyed, keyed_lower, keyed_all);
  empty_both(plain, plain_lower, plain_all);
  keyed_all.store(arguments.keyed_returned + own_block);
  plain_all.store(arguments.plain_returned + own_block);
}
