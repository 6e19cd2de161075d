// SPDX-License-Identifier: Apache-2.0
// Common part of the ring-based global queues: bounded multi-producer multi-consumer rings in global memory.
//
// Protocol. A slot is one 64-bit word that is empty or holds an element. A push replaces empty by the element with a
// compare-exchange, a pop replaces the element by empty with an exchange. The word itself is the publication: no reader
// can see a slot before its payload, and no fence is needed. A writer first reserves a position with an add on `tail`;
// a dispatcher claims positions of `head`, never past `tail`. Each slot therefore has as many takers as givers, in any
// order and however often the ring has wrapped: a taker waits until it finds an element, a giver until it finds the
// slot empty. A giver that waits too long ends the run as queue_full. `tail` is raised before the element exists:
// together with `done` it is the termination test (MLMQ, section 4.1).
//
// A claim consists of two adds, without a loop. If dispatchers moved `head` by compare-exchange, one of them would
// succeed in each round trip to L2 and all others would repeat theirs, so that few blocks would get the elements that a
// hundred wait for. Instead, a dispatcher first asks for promises: it adds the requested number to `promised`; the old
// value is the number of elements that others have been promised or are about to give back. The promise holds up to the
// tail that the dispatcher saw before; it subtracts the part of its request beyond that again. The sum of all promises
// therefore never exceeds what has been written, and an add on `head` yields positions for the promised elements. While
// the requests exceed the elements, other dispatchers find too few, and poll again.
#pragma once

#include "queues/l2_access.cuh"

namespace mlmq {

template <class Element, class Storage, class Counters>
class l2_rings : public l2_access<Storage, Counters> {
 public:
  using element = Element;

 private:
  static constexpr element empty = empty_slot_of<element>;

 public:
  using l2_access<Storage, Counters>::l2_access;

  /// Warp collective: every lane with `valid` pushes its element to its `ring`.
  /// @param ring equal on all lanes when `uniform_ring`
  template <bool uniform_ring>
  SIMT_DEVICE void push(u32 ring, element e, bool valid) {
    const u32 group = uniform_ring ? simt::ballot(valid) : simt::match_any(valid ? ring : max_subqueues);
    const u32 leader = simt::first_set(group | 1u << 31);
    u32 first = 0;
    if (valid && simt::lane() == leader) {
      first = simt::atomic_add<simt::order::relaxed, simt::scope::device>(this->written(ring), simt::popcount(group));
      this->counters_.add(queue_counter::atomics, 1);
    }
    first = simt::shuffle(first, leader);
    if (valid) {
      put(slot(ring, first + simt::popcount(group & simt::lanes_below())), e);
      this->counters_.add(queue_counter::l2_writes, 1);
      this->counters_.add(queue_counter::atomics, 1);
    }
  }

  /// Warp collective of the dispatcher: claims up to `requested` positions of `ring`, which lane `source_lane` saw as
  /// `seen`.
  SIMT_DEVICE l2_batch<element> claim(u32 ring, u32 requested, simt::quad seen, u32 source_lane) {
    ring = simt::shuffle(ring, source_lane);
    const u32 end = simt::shuffle(seen.y, source_lane);
    u32 count = 0;
    if (simt::lane() == 0) {
      const u32 before = simt::atomic_add<simt::order::relaxed, simt::scope::device>(promised(ring), requested);
      const u32 available = end - before;
      if (static_cast<int>(available) > 0) count = available < requested ? available : requested;
      if (count != requested) {
        simt::reduce_add<simt::order::relaxed, simt::scope::device>(promised(ring), count - requested);
      }
      this->counters_.add(queue_counter::atomics, count != requested ? 2 : 1);
    }
    count = simt::shuffle(count, 0);
    if (count == 0) return {ring, 0, 0, 0};
    u32 first = 0;
    if (simt::lane() == 0) {
      first = simt::atomic_add<simt::order::relaxed, simt::scope::device>(this->taken(ring), count);
      this->counters_.add(queue_counter::atomics, 1);
    }
    return {ring, simt::shuffle(first, 0), count, 0};
  }

  /// Returns the number of unclaimed elements, given the loaded words of a ring; negative while dispatchers have
  /// claimed more than the ring holds.
  SIMT_DEVICE static int available(simt::quad seen) { return static_cast<int>(seen.y - seen.z); }

  /// Does nothing: workers take their elements from the slots themselves.
  SIMT_DEVICE void deliver(const l2_batch<element>&, u32, u32, u32, element*) {}

  /// Warp collective of a worker: takes the elements of its assignment, one in each lane for which the result is true.
  /// Waits for their writers; at the end of the run there may be no elements.
  SIMT_DEVICE bool take(u64 mail, const element* /*delivered*/, element& e) {
    if (simt::lane() >= mailbox::count(mail)) return false;
    element* const source = slot(mailbox::ring(mail), mailbox::position(mail) + simt::lane());
    this->counters_.add(queue_counter::l2_reads, 1);
    for (;;) {
      // The element is nearly always present, so the exchange is tried before a load.
      e = simt::atomic_exchange<simt::order::relaxed, simt::scope::device>(source, empty);
      this->counters_.add(queue_counter::atomics, 1);
      if (e != empty) return true;
      do {
        if (this->run_ended()) return false;
        simt::backoff(20);
      } while (simt::load_atomic<simt::order::relaxed, simt::scope::device>(source) == empty);
    }
  }

 private:
  SIMT_DEVICE u32* promised(u32 ring) const { return &this->storage_.control->subqueues[ring].words.z; }
  SIMT_DEVICE element* slot(u32 ring, u32 position) const {
    return this->storage_.slots + static_cast<u64>(ring) * (this->storage_.capacity_mask + 1ull) +
           (position & this->storage_.capacity_mask);
  }

  SIMT_DEVICE void put(element* destination, element e) {
    using simt::order;
    using simt::scope;
    if (simt::atomic_compare_exchange<order::relaxed, scope::device>(destination, empty, e) == empty) return;
    const u64 give_up = simt::clock_ns() + this->storage_.full_wait_ns;
    for (;;) {
      simt::backoff(100);
      if (simt::atomic_compare_exchange<order::relaxed, scope::device>(destination, empty, e) == empty) return;
      if (this->run_ended()) return;
      if (simt::clock_ns() > give_up) {
        this->declare_full();
        return;
      }
    }
  }
};

}  // namespace mlmq
