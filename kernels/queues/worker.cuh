// SPDX-License-Identifier: Apache-2.0
// The multi-level queue: three levels joined like caches (MLMQ, sections 3.2 and 3.3). An empty level pulls from the
// one below, a full level pushes to it; workers see two warp-collective primitives, read and write.
//
// L2 is in global memory, and a thousand warps that poll its words would slow every atomic on the chip. So one warp of
// each block, the dispatcher, polls the rings, claims positions and assigns them to idle workers through mailboxes
// in shared memory. One warp of the grid, the manager, finds the end and moves the window.
//
// Termination (MLMQ, section 4.1): `tail`s count elements before they exist; `done` counts them after all that follows
// from them has been written. A block adds to `done` when all its workers are idle: then their L0 and L1 are empty.
// The manager reads `done` first, then the tails; equal means that nothing was left at the first read.
#pragma once

#include "queues/counters.cuh"
#include "queues/element.cuh"
#include "queues/mailbox.cuh"
#include "queues/storage.cuh"
#include "queues/warp_deque.cuh"

namespace mlmq {

/// View of L2 through which the levels above write to it. It is written to in many places, but seldom, and inlining it
/// everywhere would make up most of a kernel. With a call, search on road networks is 1 % faster and a variant compiles
/// in half the time. But a call takes registers, and blocks of more than 512 threads have none to spare.
template <bool by_call, class Storage, class L2, class Counters>
class l2_writer {
  using element = typename L2::element;
  static_assert(!by_call || !L2::keeps_state);

 public:
  SIMT_DEVICE l2_writer(L2& l2, const Storage& storage_view, const block_words* block, Counters& counters)
      : l2_(l2), storage_(storage_view), block_(block), counters_(counters) {}

  /// Warp collective: writes to L2, like its write().
  SIMT_DEVICE void write(element e, bool valid) {
    if (!simt::any(valid)) return;
    if constexpr (by_call) {
      write_out_of_line(storage_, block_, counters_, e, valid);
    } else {
      l2_.write(e, valid);
    }
  }

  /// Warp collective: like write_run_to().
  template <u32 capacity>
  SIMT_DEVICE void write_run(const element* ring, u32 first, u32 count) {
    if constexpr (by_call) {
      write_run_out_of_line<capacity>(storage_, block_, counters_, ring, first, count);
    } else {
      write_run_to<capacity>(l2_, ring, first, count);
    }
  }

 private:
  // Uses a new object, so that the members of this one need not leave their registers.
  SIMT_OUT_OF_LINE static void write_out_of_line(const Storage& storage_view, const block_words* block,
                                                 Counters& counters, element e, bool valid) {
    L2(storage_view, block, counters).write(e, valid);
  }

  template <u32 capacity>
  SIMT_OUT_OF_LINE static void write_run_out_of_line(const Storage& storage_view, const block_words* block,
                                                     Counters& counters, const element* ring, u32 first, u32 count) {
    L2 l2(storage_view, block, counters);
    write_run_to<capacity>(l2, ring, first, count);
  }

  L2& l2_;
  const Storage& storage_;
  const block_words* block_;
  Counters& counters_;
};

/// The queue from the view of one worker warp.
/// @tparam Traits the L1 and L2 queues' own, and in addition
///   calls_l2                    whether L2 is written to by a call rather than inline
///   warps_read_l2               whether each warp reads L2 itself rather than asks the dispatcher
template <class Traits, class L0, class L1, class L2, class Counters>
class mlmq_worker {
 public:
  using element = typename L2::element;
  using storage = typename Traits::storage;

  /// @param own_mailbox mailbox of this warp in `block`
  template <class Scratch>
  SIMT_DEVICE mlmq_worker(const storage& storage_view, block_words* block, u64* own_mailbox,
                          const worker_memory<element, Scratch>& memory, Counters& counters)
      : storage_(storage_view),
        block_(block),
        mailbox_(own_mailbox),
        delivered_(memory.delivered),
        counters_(counters),
        l0_(memory.exchange, counters),
        l1_(memory.l1, storage_view, block, counters),
        l2_(storage_view, block, counters) {}

  /// Warp collective: reads up to 32 elements, one for each lane with `valid`. Waits for work.
  /// @return false when the run has ended
  SIMT_DEVICE bool read(element& e, bool& valid) {
    return l0_.read(e, valid) || l1_.read(e, valid) ? !is_stopped() : read_l2(e, valid);
  }

  /// Whether all elements are read from L1's ring, by runs.
  static constexpr bool supports_runs = L0::is_absent && L1::supports_runs;

  /// Warp collective: like read(), but the caller loads up to `most` elements from l1_ring().
  SIMT_DEVICE bool read_run(element_run& run, u32 most) {
    while (!l1_.read_run(run, most)) {
      element e = 0;
      bool valid = false;
      if (!read_l2(e, valid)) return false;
      l1_.take_over(e, simt::ballot(valid));
    }
    return !is_stopped();
  }
  static constexpr u32 l1_ring_size = L1::ring_size;
  SIMT_DEVICE const element* l1_ring() const { return l1_.ring(); }

  /// Warp collective: adds the element of every lane with `valid`.
  SIMT_DEVICE void write(element e, bool valid) {
    lower_l1 lower{l1_, lower_l2()};
    l0_.write(e, valid, lower);
  }

  /// Warp collective: gives the element of every lane with `valid` to L2 at once, for any warp of the grid.
  SIMT_DEVICE void write_l2(element e, bool valid) { lower_l2().write(e, valid); }

 private:
  using l2_view = l2_writer<Traits::calls_l2 && !L2::keeps_state, storage, L2, Counters>;
  SIMT_DEVICE l2_view lower_l2() { return l2_view(l2_, storage_, block_, counters_); }

  struct lower_l1 {
    L1& l1;
    l2_view l2;
    SIMT_DEVICE void write(element e, bool valid) { l1.write(e, valid, l2); }
  };

  SIMT_DEVICE bool run_ended() const {
    if constexpr (Traits::warps_read_l2) return grid_status() != static_cast<u32>(run_status::running);
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&block_->status) !=
           static_cast<u32>(run_status::running);
  }

  /// Warp collective, called when the levels above are empty: waits for elements from the dispatcher. Elements that are
  /// not open are given back, possibly all of them.
  /// @return false when the run has ended
  SIMT_DEVICE bool read_l2(element& e, bool& valid) {
    if constexpr (Traits::warps_read_l2) {
      return read_l2_directly(e, valid);
    } else {
      valid = false;
      const u64 mail = wait_for_mail();
      if (mail == mailbox::idle) return false;
      if (L1::is_shared && mail == mailbox::retry_l1) return true;
      valid = l2_.take(mail, delivered_, e);
      if constexpr (!L2::is_always_open) defer(e, valid);
      return true;
    }
  }

  SIMT_DEVICE u32 grid_status() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::device>(&storage_.control->status);
  }

  /// Warp collective, called when the levels above are empty: takes elements from L2 (MLMQ, Listing 1), or waits for
  /// some. @return false when the run has ended
  SIMT_DEVICE bool read_l2_directly(element& e, bool& valid) {
    using simt::order;
    using simt::scope;
    for (;;) {
      u32 word = 0;
      if (simt::lane() == 0) word = grid_status();
      if (simt::lane() == 1) word = simt::load_atomic<order::relaxed, scope::device>(&storage_.control->window);
      const u32 status = simt::shuffle(word, 0);
      const u32 window = simt::shuffle(word, 1);
      if (simt::lane() == 0) {
        counters_.add(queue_counter::polls, 1);
        // The block's copy, which its warps use when they write. An older value costs only order.
        if (window > simt::load_atomic<order::relaxed, scope::block>(&block_->window)) {
          simt::store_atomic<order::relaxed, scope::block>(&block_->window, window);
        }
      }
      simt::sync_warp();
      if (status != static_cast<u32>(run_status::running)) return false;
      const u32 count = l2_.take_reserved(window, reserved_, e);
      if (count != 0) {
        taken_ += count;
        if (simt::lane() == 0) counters_.add(queue_counter::l2_claims, 1);
        valid = simt::lane() < count;
        if constexpr (!L2::is_always_open) defer(e, valid);
        return true;
      }
      if (taken_ != 0) {
        // All that follows from these elements has been written: the levels above are empty.
        simt::sync_warp();
        if (simt::lane() == 0) simt::reduce_add<order::release, scope::device>(&storage_.control->done, taken_);
        taken_ = 0;
      }
      simt::backoff(Traits::dispatcher_backoff_ns);
    }
  }

  /// Warp collective: returns whether the run has ended while this warp still has work of its own. That happens only if
  /// the run fails, so an occasional check is enough.
  SIMT_DEVICE bool is_stopped() {
    if (++reads_ % 32 != 0) return false;
    // One result for the whole warp: its lanes may see the change at different moments.
    return simt::any(run_ended());
  }

  /// Warp collective: asks the dispatcher for work. @return `idle` when the run has ended
  SIMT_DEVICE u64 wait_for_mail() {
    using simt::order;
    using simt::scope;
    // Orders every lane's writes before the release: everything that the dispatcher then counts as done has been
    // written.
    simt::sync_warp();
    if (simt::lane() == 0) simt::store_atomic<order::release, scope::block>(mailbox_, mailbox::idle);
    u64 mail = mailbox::idle;
    if (simt::lane() == 0) {
      for (;;) {
        mail = simt::load_atomic<order::acquire, scope::block>(mailbox_);
        if (mail != mailbox::idle || run_ended()) break;
        simt::backoff(32);
      }
    }
    // Makes what the dispatcher wrote before its release visible to every lane; a shuffle alone orders nothing.
    simt::sync_warp();
    return simt::shuffle(mail, 0);
  }

  /// Warp collective: gives back to L2 the elements whose bucket is not open yet; `valid` becomes false for them.
  SIMT_DEVICE void defer(element e, bool& valid) {
    const bool is_deferred = valid && !l2_.is_open(e);
    if (simt::any(is_deferred)) {
      if (is_deferred) counters_.add(queue_counter::deferred, 1);
      l2_.note_deferred(e, is_deferred);
      lower_l2().write(e, is_deferred);
      if (is_deferred) valid = false;
    }
  }

  const storage& storage_;
  block_words* block_;
  u64* mailbox_;
  const element* delivered_;
  Counters& counters_;
  L0 l0_;
  L1 l1_;
  L2 l2_;
  u32 reads_ = 0;

  // Only a warp that reads L2 itself has these.
  u32 reserved_ = ~0u;  // lane s: what this warp has reserved of subqueue s
  u32 taken_ = 0;       // elements taken from L2 and not yet counted as done
};

}  // namespace mlmq
