// SPDX-License-Identifier: Apache-2.0
// What the global queues are made of: bounded multi-producer multi-consumer rings in global memory.
//
// Protocol. A slot is one 64-bit word that is empty or holds an element; a push turns empty into the element with a
// compare-exchange, a pop turns the element into empty with an exchange, so that the word itself is the publication:
// no reader can see a slot before its payload, and no fence is needed. A writer first reserves a position with an add
// on `tail`; a reader claims a position with a compare-exchange on `head`, never past `tail`. Each slot therefore has
// as many takers as givers, in whatever order they arrive, however often the ring has wrapped: a taker waits until it
// finds an element, a giver until it finds the slot empty. A giver that waits too long ends the run as queue_full.
// `tail` is raised before the element exists: together with `done` it is the termination test (MLMQ, section 4.1).
#pragma once

#include "queues/element.cuh"
#include "sssp_abi.cuh"

namespace mlmq {

template <class Counters>
class l2_rings {
 public:
  SIMT_DEVICE l2_rings(const sssp_arguments& arguments, const block_words* block, Counters& counters)
      : arguments_(arguments), block_(block), counters_(counters) {}

  /// Warp collective: every lane with `valid` pushes its element to its `ring`.
  /// @param ring equal on all lanes when `uniform_ring`
  template <bool uniform_ring>
  SIMT_DEVICE void push(u32 ring, element e, bool valid) {
    const u32 group =
        uniform_ring ? simt::ballot(valid) : simt::match_any(valid ? ring : max_rings);
    const u32 leader = simt::first_set(group | 1u << 31);
    u32 first = 0;
    if (valid && simt::lane() == leader) {
      first = simt::atomic_add<simt::order::relaxed, simt::scope::device>(tail(ring), simt::popcount(group));
      counters_.add(counter::queue_atomics, 1);
    }
    first = simt::shuffle(first, leader);
    if (valid) {
      put(slot(ring, first + simt::popcount(group & simt::lanes_below())), e);
      counters_.add(counter::l2_writes, 1);
      counters_.add(counter::queue_atomics, 1);
    }
  }

  /// Takes the element at `position` of `ring`, which the block's courier has claimed. Waits for its writer.
  /// @return empty_slot when the run ended meanwhile
  SIMT_DEVICE element take(u32 ring, u32 position) {
    u64* const from = slot(ring, position);
    counters_.add(counter::l2_reads, 1);
    for (;;) {
      if (simt::load_atomic<simt::order::relaxed, simt::scope::device>(from) != empty_slot) {
        const u64 found = simt::atomic_exchange<simt::order::relaxed, simt::scope::device>(from, empty_slot);
        counters_.add(counter::queue_atomics, 1);
        if (found != empty_slot) return found;
      }
      if (run_ended()) return empty_slot;
      simt::backoff(20);
    }
  }

  /// One lane: claims up to `wanted` positions of `ring`. @return how many; `first` is the first position
  SIMT_DEVICE u32 claim(u32 ring, u32 wanted, u32 head_seen, u32 tail_seen, u32& first) {
    for (;;) {
      const u32 available = tail_seen - head_seen;
      // The two words may have been read at different times: a negative count means that others were faster.
      if (static_cast<int>(available) <= 0) return 0;
      const u32 count = available < wanted ? available : wanted;
      const u32 found = simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(
          head(ring), head_seen, head_seen + count);
      counters_.add(counter::queue_atomics, 1);
      if (found == head_seen) {
        first = found;
        return count;
      }
      head_seen = found;
    }
  }

  SIMT_DEVICE simt::quad look(u32 ring) const { return simt::load_quad(&arguments_.control->rings[ring].words); }

 private:
  SIMT_DEVICE u32* head(u32 ring) const { return &arguments_.control->rings[ring].words.x; }
  SIMT_DEVICE u32* tail(u32 ring) const { return &arguments_.control->rings[ring].words.y; }
  SIMT_DEVICE u64* slot(u32 ring, u32 position) const {
    return arguments_.slots + static_cast<u64>(ring) * (arguments_.capacity_mask + 1ull) +
           (position & arguments_.capacity_mask);
  }
  SIMT_DEVICE bool run_ended() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&block_->status) !=
           static_cast<u32>(run_status::running);
  }

  SIMT_DEVICE void put(u64* to, element e) {
    using simt::order;
    using simt::scope;
    if (simt::atomic_compare_exchange<order::relaxed, scope::device>(to, empty_slot, e) == empty_slot) return;
    const u64 give_up = simt::clock_ns() + arguments_.full_wait_ns;
    for (;;) {
      simt::backoff(100);
      if (simt::atomic_compare_exchange<order::relaxed, scope::device>(to, empty_slot, e) == empty_slot) return;
      if (run_ended()) return;
      if (simt::clock_ns() > give_up) {
        simt::atomic_compare_exchange<order::relaxed, scope::device>(
            &arguments_.control->status, static_cast<u32>(run_status::running),
            static_cast<u32>(run_status::queue_full));
        return;
      }
    }
  }

  const sssp_arguments& arguments_;
  const block_words* block_;
  Counters& counters_;
};

}  // namespace mlmq
