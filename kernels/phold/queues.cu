// SPDX-License-Identifier: Apache-2.0
// PHOLD with a small queue for each entity, of any class: the paper's way (section 4.1), in one launch or with a launch for
// each window.
//
// A window [t, t + l) begins at the least event t of all. The group that owns an entity first takes in what was sent to it
// in the window before, then removes and executes events below t + l: all of them, or the earliest alone as the paper does.
// Created events go to the inbox of their target for the next window; they are never below t + l, so both modes execute
// the same events. The least event that remains or was created begins the next window.
//
//   MLMQ_PHOLD_DRAINS      1: all events of an entity in a window, 0: the earliest
//   MLMQ_PHOLD_ONE_LAUNCH  1, or 0 with a launch for each window
//   and those of queues/small/selected.cuh
#include "phold/grid_barrier.cuh"
#include "phold/queues_abi.cuh"
#include "phold/sums.cuh"
#include "queues/small/selected.cuh"
#include "simt/simt.cuh"

namespace mlmq::phold {

/// What queues count; nothing in a variant that does not count work.
struct queue_counts {
  thread_sums& sums;
  SIMT_DEVICE void add(small_queue_counter which, u32 amount) {
    if constexpr (counts_work) (which == small_queue_counter::comparisons ? sums.comparisons : sums.moves) += amount;
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
      : a_(arguments),
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
    sums_.add_to(a_.sums);
  }

 private:
  SIMT_DEVICE void run_all() {
    grid_barrier barrier(a_.control, reinterpret_cast<u32*>(words_ + simt::warp_size), a_.time_limit_ns);
    send_initial_events();
    agree(0);
    u32 window = 0;
    u64 first = no_event;
    while (barrier.wait(&a_.control->least[window % 3], first) && first < least_at(a_.end)) {
      execute_window(window, first);
      agree((window + 1) % 3);
      ++window;
    }
    if (is_first_thread()) {
      simt::store(&a_.sums->windows, static_cast<u64>(window));
      if (first >= least_at(a_.end)) stop(a_.control, run_status::finished);
    }
  }

  /// One launch of many.
  SIMT_DEVICE void run_step() {
    if (a_.step == 0) {
      send_initial_events();
      agree(0);
      return;
    }
    const u32 window = a_.step - 1;
    const u64 first = simt::load_atomic<simt::order::relaxed, simt::scope::device>(&a_.control->least[window % 3]);
    if (first >= least_at(a_.end)) {
      if (is_first_thread()) stop(a_.control, run_status::finished);
      return;
    }
    if (simt::load_atomic<simt::order::relaxed, simt::scope::device>(&a_.control->status) !=
        static_cast<u32>(run_status::running)) {
      return;
    }
    execute_window(window, first);
    agree((window + 1) % 3);
    if (is_first_thread()) simt::store(&a_.sums->windows, static_cast<u64>(a_.step));
  }

  SIMT_DEVICE static bool is_first_thread() { return simt::block_index() == 0 && simt::thread_in_block() == 0; }

  SIMT_DEVICE void send(u32 parity, u32 target, u64 event) {
    if (event < least_) least_ = event;
    if (!mail::append(a_.inboxes[parity], target, event)) stop(a_.control, run_status::full);
  }

  SIMT_DEVICE void send_initial_events() {
    const u32 all = simt::grid_blocks() * threads;
    for (u64 i = simt::block_index() * threads + simt::thread_in_block(); i < a_.initial_events; i += all) {
      const event_draw drawn = initial_draw(a_.model, static_cast<u32>(i));
      send(0, drawn.target, initial_event(drawn));
    }
  }

  SIMT_DEVICE void execute_window(u32 window, u64 first) {
    // No thread reads the least event of the previous window any more.
    if (is_first_thread()) {
      simt::store_atomic<simt::order::relaxed, simt::scope::device>(&a_.control->least[(window + 2) % 3], no_event);
    }
    const u64 bound_time = time_of(first) + a_.model.lookahead;
    const u64 bound = least_at(bound_time < a_.end ? bound_time : a_.end);
    least_ = no_event;
    for (u32 base = 0; base < a_.model.entities; base += groups()) {
      const u32 entity = base + number();
      // Groups of a warp or a block go along together.
      if (base + first_number() >= a_.model.entities) break;
      visit(entity, window % 2, bound);
    }
  }

  SIMT_DEVICE void visit(u32 entity, u32 parity, u64 bound) {
    const bool exists = entity < a_.model.entities;
    queue events(a_.queues, entity, owner_, scratch_, counters_);
    if (!mail::empty_into(a_.inboxes[parity], exists ? entity : 0, events, owner_, exists)) {
      stop(a_.control, run_status::full);
    }
    sums_.count_length(events.size());
    const u32 index = exists ? simt::load(a_.next_index + entity) : 0;
    u32 executed = 0;
    for (u32 rounds = 1;; ++rounds) {
      // A window of long queues may take longer than the whole run is allowed to.
      if (rounds % rounds_between_looks == 0 && owner_.any_in_step(is_over())) break;
      // An event for each lane, so that all lanes execute at the same time.
      u64 mine = no_event;
      u32 taken = 0;
      for (u32 i = 0; i < at_once; ++i) {
        // All lanes of a warp ask together, also those beyond the last entity.
        const u64 least = events.least();
        const bool has = exists && least < bound && (drains || executed == 0);
        if (!owner_.any_in_step(has)) break;
        const u64 event = events.remove_least(has);
        if (!has) continue;
        if (owner_.rank() == i) mine = event;
        ++taken;
      }
      if (mine != no_event) execute(mine, entity, index + executed + owner_.rank(), parity ^ 1);
      executed += taken;
      if (!owner_.any_in_step(taken == at_once)) break;
    }
    owner_.sync();
    if (executed != 0 && owner_.rank() == 0) simt::store(a_.next_index + entity, index + executed);
    const u64 remains = events.least();
    if (exists && remains < least_) least_ = remains;
    events.save();
  }

  /// Whether the run has to end before this window is over.
  SIMT_DEVICE bool is_over() {
    using simt::order;
    using simt::scope;
    if (simt::load_atomic<order::relaxed, scope::system>(&a_.control->host_abort) != 0) {
      stop(a_.control, run_status::aborted);
    } else if (simt::clock_ns() > deadline_) {
      stop(a_.control, run_status::timed_out);
    }
    return simt::load_atomic<order::relaxed, scope::device>(&a_.control->status) !=
           static_cast<u32>(run_status::running);
  }

  SIMT_DEVICE void execute(u64 event, u32 entity, u32 index, u32 parity) {
    const event_draw drawn = draw(a_.model, entity, index);
    sums_.count_event(event, drawn);
    send(parity, drawn.target, created_event(a_.model, event, drawn));
  }

  /// Groups of the grid, and the number of this one: neighbours in a warp are neighbours, neighbouring warps are of
  /// different blocks, so that few entities are spread over all multiprocessors.
  SIMT_DEVICE static u32 groups() { return simt::grid_blocks() * (threads / group::size); }
  SIMT_DEVICE static u32 number() {
    return owned_by_block ? simt::block_index() : first_number() + simt::lane() / group::size;
  }
  /// The least number of a group that goes along with this one.
  SIMT_DEVICE static u32 first_number() {
    if constexpr (owned_by_block) return simt::block_index();
    return (simt::warp_in_block() * simt::grid_blocks() + simt::block_index()) * (simt::warp_size / group::size);
  }

  /// Makes the least event of all threads that of the grid.
  SIMT_DEVICE void agree(u32 turn) {
    const u64 of_warp = least_of_warp(least_);
    if (simt::lane() == 0) simt::store(words_ + simt::warp_in_block(), of_warp);
    simt::sync_block();
    if (simt::warp_in_block() != 0) return;
    const u64 least = least_of_warp(simt::lane() < warps ? simt::load(words_ + simt::lane()) : no_event);
    if (simt::lane() == 0 && least != no_event) {
      simt::atomic_min<simt::order::relaxed, simt::scope::device>(&a_.control->least[turn], least);
    }
  }

  /// Events of an entity that are removed before they are executed together.
  static constexpr u32 at_once = !drains ? 1 : group::size < simt::warp_size ? group::size : simt::warp_size;
  static constexpr u32 rounds_between_looks = 256 / at_once;

  const queues_arguments& a_;
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
