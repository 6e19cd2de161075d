// SPDX-License-Identifier: Apache-2.0
// PHOLD with one parallel heap for the events of all entities (the paper's section 3.5), in one launch. The whole grid
// is the team of the heap.
//
// A step removes as many events as a node has. Of these, the earliest event of each entity is executed if it is below
// t + l, where t is the least of all and l the lookahead; the others return to the heap with the created ones. Events
// at the time of the last removed one wait, because the heap may have others at this time that come first. Therefore an
// entity executes its events in order, and the trace is that of every other solver.
//
// An element of the heap has the time of an event above its slot. An event creates one event, which takes its slot.
// Events beyond the end of the run are never executed, so that their times need not be exact.
//
//   MLMQ_PHOLD_ALL_OF_ROOT  1: all removed events are executed, which is no simulation but the speed of the heap by
//                           itself, as in the paper's Fig. 11; then a slot draws, and not an entity
#include "phold/parallel_heap_abi.cuh"
#include "phold/run_end.cuh"
#include "phold/sums.cuh"
#include "queues/small/parallel_heap.cuh"
#include "simt/simt.cuh"

namespace mlmq::phold {

/// Counter of the heap; empty in a variant that does not count work.
struct heap_counts {
  thread_sums& sums;
  SIMT_DEVICE void add(small_queue_counter kind, u32 amount) {
    if constexpr (counts_work) (kind == small_queue_counter::comparisons ? sums.comparisons : sums.moves) += amount;
  }
};

class event_heap {
  using team_type = grid_team<grid_barrier>;
  static constexpr bool executes_all = MLMQ_PHOLD_ALL_OF_ROOT != 0;
  static constexpr u64 none = no_element<u64>;

 public:
  SIMT_DEVICE event_heap(const parallel_heap_arguments& arguments, team_type& team)
      : arguments_(arguments), team_(team), heap_(arguments.heap, team, counters_) {}

  SIMT_DEVICE void run() {
    u64 windows = 0;
    if (insert_initial_events()) {
      u64 bound = 0;
      while (find_bound(bound) && execute_below(bound) && heap_.step(node())) ++windows;
    }
    if (team_.rank() == 0) simt::store(&arguments_.sums->windows, windows);
    sums_.count_length(arguments_.initial_events);
    sums_.add_to(arguments_.sums);
  }

 private:
  using order = simt::order;
  using scope = simt::scope;

  SIMT_DEVICE u32 node() const { return arguments_.heap.node; }
  SIMT_DEVICE static u32 slot_of(u64 e) { return static_cast<u32>(e) & ((1u << slot_bits) - 1); }
  SIMT_DEVICE static u64 time_of_element(u64 e) { return e >> slot_bits; }
  SIMT_DEVICE static u64 element_of(u64 event, u32 slot) {
    const u64 time = time_of(event);
    return (time < latest_heap_time ? time : latest_heap_time) << slot_bits | slot;
  }

  /// Inserts the initial events, a node of them in each step. The last step removes the first events to execute.
  SIMT_DEVICE bool insert_initial_events() {
    const u32 total = arguments_.initial_events;
    for (u32 first = 0; first < total; first += node()) {
      for (u32 i = team_.rank(); i < node(); i += team_.size()) {
        u64 e = none;
        if (const u32 slot = first + i; slot < total) {
          const event_draw drawn = initial_draw(arguments_.model, slot);
          e = fill(slot, initial_event(drawn), drawn.target);
        }
        simt::store(heap_.input() + i, e);
      }
      if (!heap_.step(total - first <= node() ? node() : 0)) return false;
    }
    return true;
  }

  /// Returns the element of an event.
  SIMT_DEVICE u64 fill(u32 slot, u64 event, u32 target) const {
    simt::store(arguments_.events + slot, event);
    simt::store(arguments_.targets + slot, target);
    return element_of(event, slot);
  }

  /// Finds the time below which removed events may be executed. @return false at the end of the run
  SIMT_DEVICE bool find_bound(u64& bound) const {
    const u64 first = simt::load(heap_.removed());
    const u64 last = simt::load(heap_.removed() + node() - 1);
    if (first == none || time_of_element(first) >= arguments_.end) {
      if (team_.rank() == 0) stop(arguments_.control, run_status::finished);
      return false;
    }
    bound = arguments_.end;
    if constexpr (!executes_all) {
      const u64 window_end = time_of_element(first) + arguments_.model.lookahead;
      if (window_end < bound) bound = window_end;
      if (last != none && time_of_element(last) < bound) bound = time_of_element(last);
      if (bound == time_of_element(first)) {
        // A node has only events of one time.
        if (team_.rank() == 0) stop(arguments_.control, run_status::queue_full);
        return false;
      }
    }
    return true;
  }

  /// Executes removed events, and writes the created ones and those that were not executed to the input of the heap.
  SIMT_DEVICE bool execute_below(u64 bound) {
    if constexpr (!executes_all) {
      for (u32 i = team_.rank(); i < node(); i += team_.size()) {
        const u64 e = simt::load(heap_.removed() + i);
        if (e == none || time_of_element(e) >= bound) continue;
        simt::atomic_min<order::relaxed, scope::device>(arguments_.earliest + target_of(e), event_of(e));
      }
      if (!team_.sync()) return false;
    }
    for (u32 i = team_.rank(); i < node(); i += team_.size()) {
      u64 e = simt::load(heap_.removed() + i);
      if (e != none && time_of_element(e) < bound && is_earliest(e)) e = execute(e);
      simt::store(heap_.input() + i, e);
    }
    return true;
  }

  SIMT_DEVICE u64 event_of(u64 e) const { return simt::load(arguments_.events + slot_of(e)); }
  SIMT_DEVICE u32 target_of(u64 e) const { return simt::load(arguments_.targets + slot_of(e)); }

  SIMT_DEVICE bool is_earliest(u64 e) const {
    if constexpr (executes_all) return true;
    return simt::load_atomic<order::relaxed, scope::device>(arguments_.earliest + target_of(e)) == event_of(e);
  }

  /// Executes the event of an element. @return the element of the created event
  SIMT_DEVICE u64 execute(u64 e) {
    const u32 slot = slot_of(e);
    const u64 event = event_of(e);
    const u32 drawing = executes_all ? slot : target_of(e);
    // An equal event of the entity may be executed at the same time, and the two are exchangeable.
    const u32 index = simt::atomic_add<order::relaxed, scope::device>(arguments_.next_index + drawing, 1u);
    if constexpr (!executes_all) {
      // Other events of the entity differ from this value, too.
      simt::store_atomic<order::relaxed, scope::device>(arguments_.earliest + drawing, no_event);
    }
    const event_draw drawn = draw(arguments_.model, drawing, index);
    sums_.count_event(event, drawn);
    return fill(slot, created_event(arguments_.model, event, drawn), drawn.target);
  }

  const parallel_heap_arguments& arguments_;
  team_type& team_;
  thread_sums sums_;
  heap_counts counters_{sums_};
  parallel_heap<u64, team_type, heap_counts> heap_;
};

}  // namespace mlmq::phold

SIMT_KERNEL(phold_parallel_heap, mlmq::phold::parallel_heap_arguments) {
  using namespace mlmq;
  phold::grid_barrier barrier =
      phold::barrier_of(arguments.control, reinterpret_cast<u32*>(simt::shared_memory()), arguments.time_limit_ns);
  grid_team<phold::grid_barrier> team(barrier);
  phold::event_heap(arguments, team).run();
}
