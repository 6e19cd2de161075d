// SPDX-License-Identifier: Apache-2.0
// The multi-level queue: three levels joined like caches (MLMQ, sections 3.2 and 3.3). An empty level pulls from the
// one below, a full level pushes to it; workers see two warp-collective primitives, read and write.
//
// L2 is in global memory, and a thousand warps that poll its words would slow every atomic on the chip. So one warp of
// each block, the courier, looks at the rings, claims positions and assigns them to idle workers through mailboxes in
// shared memory. One warp of the grid, the manager, finds the end and moves the base.
//
// Termination (MLMQ, section 4.1): `tail`s count elements before they exist; `done` counts them after all that follows
// from them has been written. A block adds to `done` when all its workers are idle: then their L0 and L1 are empty.
// The manager reads `done` first, then the tails; equal means that nothing was left at the first read.
#pragma once

#include "queues/element.cuh"
#include "queues/mailbox.cuh"
#include "queues/warp_deque.cuh"
#include "search_abi.cuh"

namespace mlmq {

/// L2 as the levels above write to it. It is written to wherever an edge is relaxed, but seldom, and inlined in all those
/// places it makes up most of a kernel. By a call, search on road networks is 1 % faster and a variant compiles in half
/// the time; but a call takes registers, and blocks of more than 512 threads have none to spare.
template <class L2, class Counters>
class rarely_written {
  static constexpr bool by_call = simt::block_threads() <= 512 && !L2::keeps_state;

 public:
  SIMT_DEVICE rarely_written(L2& l2, const search_arguments& arguments, const block_words* block, Counters& counters)
      : l2_(l2), arguments_(arguments), block_(block), counters_(counters) {}

  /// Warp collective, as that of L2.
  SIMT_DEVICE void write(element e, bool valid) {
    if (!simt::any(valid)) return;
    if constexpr (by_call) {
      write_to_another(arguments_, block_, counters_, e, valid);
    } else {
      l2_.write(e, valid);
    }
  }

  /// Warp collective, as write_run_to().
  template <u32 capacity>
  SIMT_DEVICE void write_run(const u64* storage, u32 first, u32 count) {
    if constexpr (by_call) {
      write_run_to_another<capacity>(arguments_, block_, counters_, storage, first, count);
    } else {
      write_run_to<capacity>(l2_, storage, first, count);
    }
  }

 private:
  // One object is as good as another, and the members of this one need not leave their registers.
  SIMT_OUT_OF_LINE static void write_to_another(const search_arguments& arguments, const block_words* block,
                                                Counters& counters, element e, bool valid) {
    L2(arguments, block, counters).write(e, valid);
  }

  template <u32 capacity>
  SIMT_OUT_OF_LINE static void write_run_to_another(const search_arguments& arguments, const block_words* block,
                                                    Counters& counters, const u64* storage, u32 first, u32 count) {
    L2 l2(arguments, block, counters);
    write_run_to<capacity>(l2, storage, first, count);
  }

  L2& l2_;
  const search_arguments& arguments_;
  const block_words* block_;
  Counters& counters_;
};

/// The queue as one worker warp sees it.
template <class L0, class L1, class L2, class Counters>
class mlmq_worker {
 public:
  SIMT_DEVICE mlmq_worker(const search_arguments& arguments, block_words* block, u64* own_mailbox,
                          const worker_memory& memory, Counters& counters)
      : arguments_(arguments),
        block_(block),
        mailbox_(own_mailbox),
        delivered_(memory.delivered),
        counters_(counters),
        l0_(memory.exchange, counters),
        l1_(memory.l1_storage, arguments, block, counters),
        l2_(arguments, block, counters) {}

  /// Warp collective: up to 32 elements, one for each lane with `valid`. Waits for work.
  /// @return false when the run has ended
  SIMT_DEVICE bool read(element& e, bool& valid) {
    return l0_.read(e, valid) || l1_.read(e, valid) ? !is_stopped() : read_l2(e, valid);
  }

  /// Whether everything that is read comes from L1's ring, by runs.
  static constexpr bool gives_runs = L0::is_absent && L1::gives_runs;

  /// Warp collective, as read() for who loads the elements himself from l1_ring(): up to `most`.
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
  SIMT_DEVICE const u64* l1_ring() const { return l1_.ring(); }

  /// Warp collective: keeps the element of every lane with `valid`.
  SIMT_DEVICE void write(element e, bool valid) {
    lower_l1 lower{l1_, lower_l2()};
    l0_.write(e, valid, lower);
  }

  /// Warp collective: gives the element of every lane with `valid` to L2 at once, for any warp of the grid.
  SIMT_DEVICE void share(element e, bool valid) { lower_l2().write(e, valid); }

 private:
  using written_l2 = rarely_written<L2, Counters>;
  SIMT_DEVICE written_l2 lower_l2() { return written_l2(l2_, arguments_, block_, counters_); }

  struct lower_l1 {
    L1& l1;
    written_l2 l2;
    SIMT_DEVICE void write(element e, bool valid) { l1.write(e, valid, l2); }
  };

  SIMT_DEVICE bool run_ended() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&block_->status) !=
           static_cast<u32>(run_status::running);
  }

  /// Warp collective, when the levels above are empty: waits for the courier. All that L2 gave may have been given back.
  /// @return false when the run has ended
  SIMT_DEVICE bool read_l2(element& e, bool& valid) {
    valid = false;
    const u64 mail = wait_for_mail();
    if (mail == mailbox::idle) return false;
    if (L1::is_shared && mail == mailbox::look_again) return true;
    valid = l2_.take(mail, delivered_, e);
    if constexpr (!L2::is_always_open) defer(e, valid);
    return true;
  }

  /// Warp collective: whether the run has ended while this warp still has work of its own. That is so when the run fails,
  /// so it is enough to look now and then.
  SIMT_DEVICE bool is_stopped() {
    if (++reads_ % 32 != 0) return false;
    // One answer for the whole warp: its lanes may see the change at different moments.
    return simt::any(run_ended());
  }

  /// Warp collective: asks the courier for work. @return `idle` when the run has ended
  SIMT_DEVICE u64 wait_for_mail() {
    using simt::order;
    using simt::scope;
    // Every lane's writes come before the release: what the courier then counts as done is written.
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
    // What the courier wrote before its release is there for every lane: a shuffle alone orders nothing.
    simt::sync_warp();
    return simt::shuffle(mail, 0);
  }

  /// Warp collective: gives back to L2 the elements whose turn has not come; `valid` becomes false there.
  SIMT_DEVICE void defer(element e, bool& valid) {
    const bool later = valid && !l2_.is_open(e);
    if (simt::any(later)) {
      if (later) counters_.add(counter::resplits, 1);
      l2_.note_deferred(e, later);
      lower_l2().write(e, later);
      if (later) valid = false;
    }
  }

  const search_arguments& arguments_;
  block_words* block_;
  u64* mailbox_;
  const u64* delivered_;
  Counters& counters_;
  L0 l0_;
  L1 l1_;
  L2 l2_;
  u32 reads_ = 0;
};

/// By one warp of a block, before its workers begin: an L1 queue that they share is made empty.
template <class L1, class Counters>
SIMT_DEVICE void initialise_l1(u64* storage, const search_arguments& arguments, const block_words* block,
                               Counters& counters) {
  if constexpr (L1::is_shared) L1(storage, arguments, block, counters).initialise();
}

/// The loop of a block's courier warp. Ends when the manager has set the status.
/// @param l1 the block's L1 queue if that is shared, else any
/// @param delivered memory for elements of the worker that this lane stands for
template <class Configuration, class L1, class L2, class Counters>
SIMT_DEVICE void run_courier(const search_arguments& arguments, block_words* block, u32 workers, const L1& l1,
                             u64* delivered, Counters& counters) {
  using simt::order;
  using simt::scope;
  L2 l2(arguments, block, counters);
  control_block* const control = arguments.control;
  const u32 lane = simt::lane();
  const u32 everyone = (1u << workers) - 1;  // at most 31 workers
  u32 base = L2::first_base;
  u32 claimed = 0;  // elements taken from L2 and not yet counted as done
  u32 first_worker = 0;
  [[maybe_unused]] const float share_of_block =
      static_cast<float>(Configuration::l2_share) / static_cast<float>(simt::grid_blocks());
  for (;;) {
    // Status, base and the parts that were open at the last look, in one round trip.
    const u32 part = l2.open_part(base, lane < L2::parts_when_idle ? lane : 0);
    const simt::quad seen = l2.look(part);
    u32 word = 0;
    if (lane < 2) {
      word = simt::load_atomic<order::relaxed, scope::device>(lane == 0 ? &control->status : &control->base);
    }
    const u32 status = simt::shuffle(word, 0);
    const u32 new_base = simt::shuffle(word, 1);
    if (lane == 0) counters.add(counter::polls, 1);
    if (status != static_cast<u32>(run_status::running)) {
      if (lane == 0) simt::store_atomic<order::relaxed, scope::block>(&block->status, status);
      break;
    }

    const bool is_idle =
        lane < workers && simt::load_atomic<order::acquire, scope::block>(&block->mailbox[lane]) == mailbox::idle;
    const u32 idle = simt::ballot(is_idle);
    // What each lane has acquired from its worker is there for every lane, and comes before lane 0's release.
    simt::sync_warp();
    u32 in_block = 0;
    if constexpr (L1::is_shared) {
      // After the mailboxes: if all workers are idle, nobody changes the size any more.
      in_block = simt::shuffle(l1.size_seen(), 0);
      if (in_block != 0 && idle != 0) {
        const u32 wanted = (in_block + Configuration::l1_batch - 1) / Configuration::l1_batch;
        if (is_idle && simt::popcount(idle & simt::lanes_below()) < wanted) {
          simt::store_atomic<order::release, scope::block>(&block->mailbox[lane], mailbox::look_again);
        }
        simt::sync_warp();
        continue;
      }
    }
    if (idle == everyone && claimed != 0) {
      if (lane == 0) simt::reduce_add<order::release, scope::device>(&control->done, claimed);
      claimed = 0;
    }
    if (new_base > base) {
      base = new_base;
      if (lane == 0) simt::store_atomic<order::relaxed, scope::block>(&block->base, base);
      simt::sync_warp();
      continue;
    }
    if (idle == 0) {
      simt::backoff(200);
      continue;
    }

    const u32 open = idle == everyone ? L2::parts_when_idle : L2::open_parts;
    const bool has_work = L2::available(seen) > 0 && lane < open;
    const u32 parts_with_work = simt::ballot(has_work);
    if (parts_with_work == 0) {
      simt::backoff(Configuration::courier_backoff_ns);
      continue;
    }
    const u32 best = simt::first_set(parts_with_work);
    const u32 idle_count = simt::popcount(idle);
    u32 wanted = idle_count * Configuration::l2_batch;
    if constexpr (Configuration::l2_share != 0) {
      // An even share of what waits, so that all blocks begin at the same time, but something for each worker.
      const float waiting = static_cast<float>(simt::shuffle(L2::available(seen), best));
      const u32 fair = static_cast<u32>(waiting * share_of_block);
      const u32 least = fair > idle_count ? fair : idle_count;
      if (least < wanted) wanted = least;
    }
    const l2_batch batch = l2.claim(part, wanted, seen, best);
    if (batch.count == 0) {
      simt::backoff(Configuration::courier_backoff_ns);
      continue;
    }
    claimed += batch.count;
    // Spread a little work over all idle workers: the least share that is enough, without a division, which is slow.
    const u32 per_worker = simt::first_set(simt::ballot((lane + 1) * idle_count >= batch.count)) + 1;
    u32 begin = 0;
    u32 share = 0;
    if (is_idle) {
      // Workers take turns in being first, so that a single element does not always go to the same one.
      const u64 twice = idle | static_cast<u64>(idle) << workers;
      const u32 rotated = static_cast<u32>(twice >> first_worker) & everyone;
      const u32 place = (lane + workers - first_worker) % workers;
      const u32 rank = simt::popcount(rotated & ((1u << place) - 1));
      begin = rank * per_worker;
      if (begin < batch.count) share = batch.count - begin < per_worker ? batch.count - begin : per_worker;
    }
    l2.deliver(batch, begin, share, per_worker, delivered);
    if (share != 0) {
      counters.add(counter::l2_claims, 1);
      simt::store_atomic<order::release, scope::block>(&block->mailbox[lane],
                                                       mailbox::assignment(batch.part, batch.first + begin, share));
    }
    first_worker = (first_worker + 1) % workers;
    simt::sync_warp();
  }
}

/// The loop of the grid's manager warp: writes the source, moves the base, finds the end.
template <class Configuration, class L2, class Counters>
SIMT_DEVICE void run_manager(const search_arguments& arguments, block_words* block, Counters& counters) {
  using simt::order;
  using simt::scope;
  control_block* const control = arguments.control;
  L2 l2(arguments, block, counters);
  const u32 lane = simt::lane();
  const u64 deadline = simt::clock_ns() + arguments.time_limit_ns;
  u32 base = L2::first_base;
  if (lane == 0) {
    simt::store_atomic<order::relaxed, scope::device>(&control->base, base);
    simt::store_atomic<order::relaxed, scope::device>(&control->beyond, ~0u);
    simt::store_atomic<order::relaxed, scope::device>(arguments.distances + arguments.source, 0u);
  }
  l2.write(make_element(arguments.source, 0), lane == 0);

  u32 end = static_cast<u32>(run_status::running);
  while (end == static_cast<u32>(run_status::running)) {
    u32 word = 0;
    if (lane == 0) word = simt::load_atomic<order::acquire, scope::device>(&control->done);
    if (lane == 1) word = simt::load_atomic<order::relaxed, scope::device>(&control->status);
    if (lane == 2) word = simt::load_atomic<order::relaxed, scope::system>(&control->host_abort);
    // Nobody looks at a tail before lane 0 has read `done`.
    simt::sync_warp();
    const u32 done = simt::shuffle(word, 0);
    const u32 status = simt::shuffle(word, 1);
    const u32 host_abort = simt::shuffle(word, 2);

    simt::quad counts = {0, 0, 0, 0};
    if (lane < L2::part_count) counts = l2.look(l2.part_in_order(base, lane));
    const u32 written = simt::warp_add(counts.y);
    if (done == written) {
      end = static_cast<u32>(run_status::finished);
    } else if (status != end) {
      end = status;
    } else if (host_abort != 0) {
      end = static_cast<u32>(run_status::aborted);
    } else if (simt::any(simt::clock_ns() > deadline)) {
      end = static_cast<u32>(run_status::timed_out);
    }
    const u32 with_work = simt::ballot(counts.x != counts.y);
    if (with_work != 0) {
      const u32 advanced = l2.advanced_base(base, simt::first_set(with_work));
      if (advanced != base) {
        base = advanced;
        if (lane == 0) simt::store_atomic<order::relaxed, scope::device>(&control->base, base);
      }
    }
    simt::backoff(Configuration::manager_backoff_ns);
  }
  if (lane == 0) {
    simt::atomic_compare_exchange<order::release, scope::device>(&control->status,
                                                                 static_cast<u32>(run_status::running), end);
  }
}

}  // namespace mlmq
