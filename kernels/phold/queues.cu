// SPDX-License-Identifier: Apache-2.0
// PHOLD with a small queue of any class per entity: the method of the paper (section 4.1), in one launch or with one
// launch per window.
//
// A window [t, t + l) begins at the least event t of all. The group that owns an entity first inserts the events that
// were sent to it in the previous window, then removes and executes events below t + l: all of them, or only the
// earliest as in the paper. Created events go to the inbox of their target for the next window; they are never below t
// + l, so both modes execute the same events. The least event that remains or was created begins the next window.
//
//   MLMQ_PHOLD_DRAINS      1: all events of an entity in a window, 0: the earliest
//   MLMQ_PHOLD_ONE_LAUNCH  1, or 0 with a launch for each window
//   and those of queues/small/selected.cuh
#include "phold/queues_abi.cuh"
#include "phold/run_end.cuh"
#include "phold/sums.cuh"
#include "queues/small/selected.cuh"
#include "simt/simt.cuh"

namespace mlmq::phold {

/// Counter of the queues; empty in a variant that does not count work.
struct queue_counts {
  thread_sums& sums;
  SIMT_DEVICE void add(small_queue_counter kind, u32 amount) {
    if constexpr (counts_work) (kind == small_queue_counter::comparisons ? sums.comparisons : sums.moves) += amount;
  }
};

class entity_queues {
  using queue = selected_small_queue<u64, queue_counts>;
  using group = queue::group;
  using mail = selected_inbox<u64>;
  static constexpr bool drains = MLMQ_PHOLD_DRAINS != 0;
  static constexpr u32 threads = simt::block_threads();
  static constexpr u32 warps = threads / simt::warp_size;
  static constexpr bool owned_by_block = group::size > simt::warp_size;

 public:
  SIMT_DEVICE explicit entity_queues(const queues_arguments& arguments)
      : arguments_(arguments),
        deadline_(simt::clock_ns() + arguments.time_limit_ns),
        words_(reinterpret_cast<u64*>(simt::shared_memory())),
        owner_(simt::shared_memory() + queues_own_bytes),
        scratch_(simt::shared_memory() + queues_own_bytes + group::scratch_bytes) {}

  SIMT_DEVICE void run() {
    if constexpr (MLMQ_PHOLD_ONE_LAUNCH != 0) {
      run_all();
    } else {
      run_step();
    }
    sums_.add_to(arguments_.sums);
  }

 private:
  SIMT_DEVICE void run_all() {
    grid_barrier barrier =
        barrier_of(arguments_.control, reinterpret_cast<u32*>(words_ + simt::warp_size), arguments_.time_limit_ns);
    send_initial_events();
    combine_least(0);
    u32 window = 0;
    u64 first = no_event;
    while (barrier.wait(&arguments_.control->least[window % 3], first) && first < least_at(arguments_.end)) {
      execute_window(window, first);
      combine_least((window + 1) % 3);
      ++window;
    }
    if (is_first_thread()) {
      simt::store(&arguments_.sums->windows, static_cast<u64>(window));
      if (first >= least_at(arguments_.end)) stop(arguments_.control, run_status::finished);
    }
  }

  /// Runs one window or the initial events, in one launch of many.
  SIMT_DEVICE void run_step() {
    if (arguments_.step == 0) {
      send_initial_events();
      combine_least(0);
      return;
    }
    const u32 window = arguments_.step - 1;
    const u64 first =
        simt::load_atomic<simt::order::relaxed, simt::scope::device>(&arguments_.control->least[window % 3]);
    if (first >= least_at(arguments_.end)) {
      if (is_first_thread()) stop(arguments_.control, run_status::finished);
      return;
    }
    if (simt::load_atomic<simt::order::relaxed, simt::scope::device>(&arguments_.control->status) !=
        static_cast<u32>(run_status::running)) {
      return;
    }
    execute_window(window, first);
    combine_least((window + 1) % 3);
    if (is_first_thread()) simt::store(&arguments_.sums->windows, static_cast<u64>(arguments_.step));
  }

  SIMT_DEVICE static bool is_first_thread() { return simt::block_index() == 0 && simt::thread_in_block() == 0; }

  SIMT_DEVICE void send(u32 parity, u32 target, u64 event) {
    if (event < least_) least_ = event;
    if (!mail::append(arguments_.inboxes[parity], target, event)) stop(arguments_.control, run_status::queue_full);
  }

  SIMT_DEVICE void send_initial_events() {
    const u32 all_threads = simt::grid_blocks() * threads;
    for (u64 i = simt::block_index() * threads + simt::thread_in_block(); i < arguments_.initial_events;
         i += all_threads) {
      const event_draw drawn = initial_draw(arguments_.model, static_cast<u32>(i));
      send(0, drawn.target, initial_event(drawn));
    }
  }

  SIMT_DEVICE void execute_window(u32 window, u64 first) {
    // No thread reads the least event of the previous window any more, so it can be reset.
    if (is_first_thread()) {
      simt::store_atomic<simt::order::relaxed, simt::scope::device>(&arguments_.control->least[(window + 2) % 3],
                                                                    no_event);
    }
    const u64 bound_time = time_of(first) + arguments_.model.lookahead;
    const u64 bound = least_at(bound_time < arguments_.end ? bound_time : arguments_.end);
    least_ = no_event;
    const u64 begin = clock_if_counting();
    for (u32 base = 0; base < arguments_.model.entities; base += groups()) {
      const u32 entity = base + number();
      // Groups of a warp or a block iterate together.
      if (base + first_number() >= arguments_.model.entities) break;
      process_entity(entity, window % 2, bound);
    }
    sums_.window_ns += clock_if_counting() - begin;
  }

  /// Returns the time in a variant that counts work, else 0.
  SIMT_DEVICE static u64 clock_if_counting() {
    if constexpr (counts_work) return simt::clock_ns();
    return 0;
  }

  SIMT_DEVICE void process_entity(u32 entity, u32 parity, u64 bound) {
    const bool exists = entity < arguments_.model.entities;
    const u64 begin = clock_if_counting();
    queue events(arguments_.queues, entity, owner_, scratch_, counters_);
    if (!mail::empty_into(arguments_.inboxes[parity], exists ? entity : 0, events, owner_, exists)) {
      stop(arguments_.control, run_status::queue_full);
    }
    // Threads with a queue each leave the loop over their inboxes one by one. Together they take the same steps again.
    if constexpr (group::size == 1) simt::sync_warp();
    if constexpr (counts_work) {
      events.settle();
      sums_.insertion_ns += clock_if_counting() - begin;
    }
    sums_.count_length(events.size());
    const u32 index = exists ? simt::load(arguments_.next_index + entity) : 0;
    u32 executed = 0;
    for (u32 rounds = 1;; ++rounds) {
      // A window with long queues may take longer than the time limit of the run.
      if (rounds % rounds_between_checks == 0 && owner_.any_in_step(end_if_due())) break;
      // One event per lane, so that all lanes execute concurrently.
      u64 next_event = no_event;
      u32 taken = 0;
      for (u32 i = 0; i < events_at_once; ++i) {
        // All lanes of a warp call together, including those beyond the last entity.
        const u64 least = events.least();
        const bool has_event = exists && least < bound && (drains || executed == 0);
        if (!owner_.any_in_step(has_event)) break;
        const u64 event = events.remove_least(has_event);
        if (!has_event) continue;
        if (owner_.rank() == i) next_event = event;
        ++taken;
      }
      if (next_event != no_event) execute(next_event, entity, index + executed + owner_.rank(), parity ^ 1);
      executed += taken;
      if (!owner_.any_in_step(taken == events_at_once)) break;
    }
    owner_.sync();
    if (executed != 0 && owner_.rank() == 0) simt::store(arguments_.next_index + entity, index + executed);
    const u64 remains = events.least();
    if (exists && remains < least_) least_ = remains;
    events.save();
  }

  /// Returns whether the run has to end before this window is over.
  SIMT_DEVICE bool end_if_due() {
    using simt::order;
    using simt::scope;
    if (simt::load_atomic<order::relaxed, scope::system>(&arguments_.control->host_abort) != 0) {
      stop(arguments_.control, run_status::aborted);
    } else if (simt::clock_ns() > deadline_) {
      stop(arguments_.control, run_status::timed_out);
    }
    return simt::load_atomic<order::relaxed, scope::device>(&arguments_.control->status) !=
           static_cast<u32>(run_status::running);
  }

  SIMT_DEVICE void execute(u64 event, u32 entity, u32 index, u32 parity) {
    const event_draw drawn = draw(arguments_.model, entity, index);
    sums_.count_event(event, drawn);
    send(parity, drawn.target, created_event(arguments_.model, event, drawn));
  }

  /// Returns the number of groups in the grid; number() is that of this group. Neighbouring groups of a warp have
  /// consecutive numbers, and neighbouring warps are in different blocks, so that few entities are spread over all
  /// multiprocessors.
  SIMT_DEVICE static u32 groups() { return simt::grid_blocks() * (threads / group::size); }
  SIMT_DEVICE static u32 number() {
    return owned_by_block ? simt::block_index() : first_number() + simt::lane() / group::size;
  }
  /// Returns the least number among the groups that iterate together with this one.
  SIMT_DEVICE static u32 first_number() {
    if constexpr (owned_by_block) return simt::block_index();
    return (simt::warp_in_block() * simt::grid_blocks() + simt::block_index()) * (simt::warp_size / group::size);
  }

  /// Combines the least event of all threads to that of the grid.
  SIMT_DEVICE void combine_least(u32 slot) {
    const u64 warp_least = least_of_warp(least_);
    if (simt::lane() == 0) simt::store(words_ + simt::warp_in_block(), warp_least);
    simt::sync_block();
    if (simt::warp_in_block() != 0) return;
    const u64 least = least_of_warp(simt::lane() < warps ? simt::load(words_ + simt::lane()) : no_event);
    if (simt::lane() == 0 && least != no_event) {
      simt::atomic_min<simt::order::relaxed, simt::scope::device>(&arguments_.control->least[slot], least);
    }
  }

  /// Events of an entity that are removed before they are executed together.
  static constexpr u32 events_at_once = !drains ? 1 : group::size < simt::warp_size ? group::size : simt::warp_size;
  static constexpr u32 rounds_between_checks = 256 / events_at_once;

  const queues_arguments& arguments_;
  u64 deadline_;
  u64* words_;
  group owner_;
  u8* scratch_;
  u64 least_ = no_event;
  thread_sums sums_;
  queue_counts counters_{sums_};
};

}  // namespace mlmq::phold

SIMT_KERNEL(phold_queues, mlmq::phold::queues_arguments) { mlmq::phold::entity_queues(arguments).run(); }
