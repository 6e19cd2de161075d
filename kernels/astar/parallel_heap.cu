// SPDX-License-Identifier: Apache-2.0
// The search of the paper with one parallel heap for the open cells of all searches (section III.C), in one launch. The
// whole grid is the team of the heap.
//
// A step removes a sixteenth of a node of open cells. Of these, the first cell of each search is expanded; the others
// return to the heap together with the cells that were opened, at most a node of them in all. A search therefore
// expands one cell at a time. Searches with a small f go first: others wait until the cells of these no longer fill the
// root.
//
// An element of the heap has f above the search above the cell. Those of a search that has finished are dropped when
// they reach the root.
#include "astar/expansion_phase.cuh"
#include "block_barrier.cuh"
#include "queues/small/parallel_heap.cuh"
#include "queues/small/team.cuh"
#include "simt/simt.cuh"

namespace path_finding {

using heap_barrier =
    mlmq::block_barrier<mlmq::barrier_periods{.leader = 16, .abort = 16, .clock = 256, .pause = 16}, heap_run>;
using heap_team = mlmq::grid_team<heap_barrier>;

/// Counter of the heap; empty in a variant that does not count.
struct heap_counts {
  u64 comparisons = 0;
  SIMT_DEVICE void add(mlmq::small_queue_counter kind, u32 amount) {
    if constexpr (counting) {
      if (kind == mlmq::small_queue_counter::comparisons) comparisons += amount;
    }
  }
};

class shared_heap_search {
  static constexpr u64 none = mlmq::no_element<u64>;

 public:
  SIMT_DEVICE shared_heap_search(const astar_heap_arguments& arguments, heap_team& team)
      : arguments_(arguments), searches_(arguments.searches), team_(team), heap_(arguments.heap, team, counts_) {}

  SIMT_DEVICE void run() {
    for (u32 slot = team_.rank(); slot < searches_.slots; slot += team_.size()) start_next(slot);
    while (team_.sync() && goes_on()) {
      expand();
      if (!team_.sync()) break;
      insert_opened();
      if (!team_.sync()) break;
      fill_input();
      if (!heap_.step(heap_removals(node()))) {
        if (team_.rank() == 0 && is_running()) stop(searches_.control, astar_status::open_full);
        break;
      }
      if (team_.rank() == 0) {
        simt::store(&arguments_.heap_control->inputs, 0u);
        simt::store(&arguments_.heap_control->starts, 0u);
      }
      find_first();
      if (!team_.sync()) break;
      take_first();
      if (!team_.sync()) break;
      for (u32 slot = team_.rank(); slot < searches_.slots; slot += team_.size()) advance(slot);
    }
    // Threads may leave the loop in different steps; the others must not wait for them.
    simt::atomic_compare_exchange<order::relaxed, scope::device>(
        &arguments_.heap_control->run, static_cast<u32>(heap_run::running), static_cast<u32>(heap_run::ended));
    if constexpr (counting) {
      const auto add = [&](astar_count kind, u64 amount) {
        simt::reduce_add<order::relaxed, scope::device>(searches_.counters + static_cast<u32>(kind), amount);
      };
      add(astar_count::comparisons, counts_.comparisons);
      add(astar_count::inserted, inserted_);
      add(astar_count::expansions, expanded_);
      add(astar_count::batches, expanded_);
    }
  }

 private:
  using order = simt::order;
  using scope = simt::scope;

  SIMT_DEVICE u32 node() const { return arguments_.heap.node; }
  SIMT_DEVICE astar_slot* state_of(u32 slot) const { return searches_.slot_states + slot; }
  SIMT_DEVICE static u32 search_of(u64 e) {
    return static_cast<u32>(e >> heap_cell_bits) & ((1u << heap_search_bits) - 1);
  }
  SIMT_DEVICE static u32 cell_of(u64 e) { return static_cast<u32>(e) & ((1u << heap_cell_bits) - 1); }
  /// Returns the slot of a search that runs, or no_search.
  SIMT_DEVICE u32 slot_of(u64 e) const {
    return simt::load_atomic<order::relaxed, scope::device>(arguments_.slot_of_search + search_of(e));
  }

  SIMT_DEVICE bool is_running() const {
    return simt::load_atomic<order::relaxed, scope::device>(&arguments_.heap_control->run) ==
           static_cast<u32>(heap_run::running);
  }

  /// Returns whether searches are left and none has failed.
  SIMT_DEVICE bool goes_on() const {
    if (simt::load_atomic<order::relaxed, scope::device>(&searches_.control->status) != 0) return false;
    return simt::load_atomic<order::relaxed, scope::device>(&searches_.control->finished) != searches_.searches;
  }

  SIMT_DEVICE void expand() {
    expansion_phase(searches_, [](u32 search, float f, u32 cell) {
      return static_cast<u64>(half_bits(f)) << (heap_search_bits + heap_cell_bits) |
             static_cast<u64>(search) << heap_cell_bits | cell;
    }).run();
  }

  SIMT_DEVICE u32 claim_inputs(u32 count) {
    return simt::atomic_add<order::relaxed, scope::device>(&arguments_.heap_control->inputs, count);
  }

  /// Appends the cells that searches have opened to the input of the heap.
  SIMT_DEVICE void insert_opened() {
    for (u32 slot = team_.rank(); slot < searches_.slots; slot += team_.size()) {
      astar_slot* const state = state_of(slot);
      const u32 opened = simt::load(&state->taken) != 0 ? simt::load(&state->opened) : 0;
      if (opened == 0) continue;
      const u32 first = claim_inputs(opened);
      const u64* const items = searches_.opened_items + static_cast<u64>(slot) * (8 * cells_at_once);
      for (u32 i = 0; i < opened; ++i) simt::store(heap_.input() + first + i, simt::load(items + i));
      simt::store(&state->open, simt::load(&state->open) + opened);
      if constexpr (counting) inserted_ += opened;
    }
  }

  SIMT_DEVICE void fill_input() {
    const u32 inputs = simt::load_atomic<order::relaxed, scope::device>(&arguments_.heap_control->inputs);
    for (u32 i = inputs + team_.rank(); i < node(); i += team_.size()) simt::store(heap_.input() + i, none);
  }

  /// Finds the first removed cell of each search.
  SIMT_DEVICE void find_first() {
    for (u32 i = team_.rank(); i < heap_removals(node()); i += team_.size()) {
      const u64 e = simt::load(heap_.removed() + i);
      if (e == none) continue;
      if (const u32 slot = slot_of(e); slot != no_search)
        simt::atomic_min<order::relaxed, scope::device>(arguments_.first_of_slot + slot, e);
    }
  }

  /// Hands the first cells to their searches, and returns the others to the input of the heap.
  SIMT_DEVICE void take_first() {
    for (u32 i = team_.rank(); i < heap_removals(node()); i += team_.size()) {
      const u64 e = simt::load(heap_.removed() + i);
      if (e == none) continue;
      const u32 slot = slot_of(e);
      if (slot == no_search) continue;
      if (simt::load_atomic<order::relaxed, scope::device>(arguments_.first_of_slot + slot) != e)
        simt::store(heap_.input() + claim_inputs(1), e);
    }
  }

  /// Gives a search its next cell, and ends it at its goal or without an open cell.
  SIMT_DEVICE void advance(u32 slot) {
    astar_slot* const state = state_of(slot);
    const u32 search = simt::load(&state->search);
    if (search == no_search) return;
    if (simt::load(&state->begins) != 0 && simt::load(&state->taken) == 0) {
      begin(state);
      return;
    }
    const u64 first = simt::load_atomic<order::relaxed, scope::device>(arguments_.first_of_slot + slot);
    simt::store_atomic<order::relaxed, scope::device>(arguments_.first_of_slot + slot, none);
    const u32 open = simt::load(&state->open);
    simt::store(&state->begins, 0u);
    simt::store(&state->taken, first != none ? 1u : 0u);
    if (first != none) {
      const u32 cell = cell_of(first);
      simt::store(&state->open, open - 1);
      simt::store(searches_.taken_cells + static_cast<u64>(slot) * cells_at_once, cell);
      if (cell != simt::load(&state->goal)) {
        if constexpr (counting) ++expanded_;
        return;
      }
    } else if (open != 0) {
      return;
    }
    const u32 length = first == none ? no_length : length_to_goal(searches_, slot, simt::load(&state->goal));
    finish(searches_, search, length);
    simt::store_atomic<order::relaxed, scope::device>(arguments_.slot_of_search + search, no_search);
    start_next(slot);
  }

  SIMT_DEVICE void start_next(u32 slot) {
    astar_slot* const state = state_of(slot);
    for (;;) {
      const u32 search = simt::atomic_add<order::relaxed, scope::device>(&searches_.control->next, 1u);
      if (search >= searches_.searches) {
        record_end_of_list(searches_.control);
        simt::store(&state->search, no_search);
        simt::store(&state->taken, 0u);
        return;
      }
      const u32 start = simt::load_readonly(&searches_.pairs[search].start);
      const u32 goal = simt::load_readonly(&searches_.pairs[search].goal);
      if (start == goal) {
        finish(searches_, search, 0);
        continue;
      }
      if constexpr (counting) ++expanded_;
      simt::store_atomic<order::relaxed, scope::device>(arguments_.slot_of_search + search, slot);
      simt::store(searches_.taken_cells + static_cast<u64>(slot) * cells_at_once, start);
      simt::store(&state->search, search);
      simt::store(&state->goal, goal);
      simt::store(&state->begins, 1u);
      simt::store(&state->open, 0u);
      begin(state);
      return;
    }
  }

  /// Lets a search expand its start in this step, if the cells that it opens still fit into the input of the heap;
  /// otherwise it waits for the next step.
  SIMT_DEVICE void begin(astar_slot* state) {
    const u32 before = simt::atomic_add<order::relaxed, scope::device>(&arguments_.heap_control->starts, 1u);
    simt::store(&state->taken, before < heap_removals(node()) ? 1u : 0u);
  }

  const astar_heap_arguments& arguments_;
  const astar_slots_arguments& searches_;
  heap_team& team_;
  heap_counts counts_;
  u64 inserted_ = 0;
  u64 expanded_ = 0;
  mlmq::parallel_heap<u64, heap_team, heap_counts> heap_;
};

}  // namespace path_finding

SIMT_KERNEL(astar_parallel_heap, astar_heap_arguments) {
  using namespace path_finding;
  astar_heap_control* const control = arguments.heap_control;
  if (simt::block_index() == 0 && simt::thread_in_block() == 0)
    simt::store(&arguments.searches.control->begin_ns, simt::clock_ns());
  heap_barrier barrier({&control->run, &control->host_abort, simt::clock_ns() + arguments.searches.limit_ns},
                       &control->arrived, &control->generation, simt::grid_blocks(), simt::block_index() == 0,
                       reinterpret_cast<u32*>(simt::shared_memory() + heap_barrier_offset));
  heap_team team(barrier);
  shared_heap_search(arguments, team).run();
}
