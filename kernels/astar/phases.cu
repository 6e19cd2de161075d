// SPDX-License-Identifier: Apache-2.0
// The search of the paper in the two phases of the paper (section IV.A), a launch each. In one, eight threads per cell
// expand the cells that a search has taken. In the other, the owner of an open list (a thread, several lanes or a
// block) inserts the cells that were opened and takes the next ones. The state of a search is in memory between the
// launches. As many searches run at a time as there are slots; a slot whose search has finished starts the next one.
//
// Every search takes the same cells as paper_search.cuh: it takes cells_at_once cells at a time, ends when the goal is
// among them, and never opens a cell again; of several paths to a cell that one step opens the shortest is kept.
#include "astar/expansion_phase.cuh"
#include "queues/small/selected.cuh"
#include "simt/simt.cuh"

namespace path_finding {

/// Counters of the owner of an open list; empty in a variant that does not count.
class phase_counts {
 public:
  SIMT_DEVICE void add(mlmq::small_queue_counter kind, u32 amount) {
    if (kind == mlmq::small_queue_counter::comparisons) add(astar_count::comparisons, amount);
  }
  SIMT_DEVICE void add(astar_count kind, u64 amount) {
    if constexpr (counting) words_[static_cast<u32>(kind)] += amount;
  }
  /// Keeps the largest size of an open list.
  SIMT_DEVICE void see_open(u32 size) {
    if constexpr (counting) {
      u64& largest = words_[static_cast<u32>(astar_count::largest_open)];
      if (size > largest) largest = size;
    }
  }
  /// Adds to the sums of the run: all lanes' comparisons, and the other counts of one lane of each group.
  SIMT_DEVICE void store(u64* sums, bool is_first_of_group) const {
    if constexpr (counting) {
      for (u32 i = 0; i < static_cast<u32>(astar_count::words); ++i) {
        if (i == static_cast<u32>(astar_count::largest_open)) continue;
        if (i != static_cast<u32>(astar_count::comparisons) && !is_first_of_group) continue;
        simt::reduce_add<simt::order::relaxed, simt::scope::device>(sums + i, words_[i]);
      }
      // There is no atomic maximum; take the minimum of the complement, in a word that starts as all ones.
      simt::atomic_min<simt::order::relaxed, simt::scope::device>(sums + static_cast<u32>(astar_count::largest_open),
                                                                  ~words_[static_cast<u32>(astar_count::largest_open)]);
    }
  }

 private:
  u64 words_[static_cast<u32>(astar_count::words)] = {};
};

/// Returns the key by which an open list orders `f`.
SIMT_DEVICE u32 key_of(float f) { return static_cast<u32>(f * static_cast<float>(straight_step)); }

/// The phase of the queues; a group visits slots one after the other.
class queue_phase {
  using queue = mlmq::selected_small_queue<u64, phase_counts>;
  using group = queue::group;
  static constexpr u64 none = mlmq::no_element<u64>;

 public:
  SIMT_DEVICE explicit queue_phase(const astar_slots_arguments& arguments)
      : arguments_(arguments), owner_(simt::shared_memory()) {}

  SIMT_DEVICE void run() {
    check_time();
    constexpr u32 together = group::size < simt::warp_size ? simt::warp_size / group::size : 1;
    const u32 groups = simt::grid_blocks() * (simt::block_threads() / group::size);
    // The groups of a warp visit slots together.
    for (u32 first = 0; first + group::index() / together * together < arguments_.slots; first += groups)
      visit(first + group::index());
    counts_.store(arguments_.counters, owner_.rank() == 0);
  }

 private:
  SIMT_DEVICE void visit(u32 slot) {
    slot_ = slot;
    exists_ = slot < arguments_.slots;
    state_ = arguments_.slot_states + (exists_ ? slot_ : 0);
    cells_ = arguments_.taken_cells + static_cast<u64>(exists_ ? slot_ : 0) * cells_at_once;
    taken_ = 0;
    queue open(arguments_.queues, slot_, owner_, simt::shared_memory() + group::scratch_bytes, counts_);
    u32 search = exists_ ? simt::load(&state_->search) : no_search;
    const bool runs = search != no_search;
    if (runs) goal_ = simt::load(&state_->goal);
    insert_opened(open, runs ? simt::load(&state_->opened) : 0);
    counts_.see_open(open.size());
    const bool at_goal = take(open, runs);
    if (runs && (at_goal || taken_ == 0) && owner_.rank() == 0)
      finish(arguments_, search, at_goal ? length_to_goal(arguments_, slot_, goal_) : no_length);
    const bool was_running = runs && !at_goal && taken_ != 0;
    const bool begins = start_next(open, search, exists_ && !was_running);
    owner_.sync();
    if (exists_ && owner_.rank() == 0) {
      simt::store(&state_->search, search);
      simt::store(&state_->goal, goal_);
      simt::store(&state_->begins, begins ? 1u : 0u);
      simt::store(&state_->taken, taken_);
    }
    open.save();
  }

  SIMT_DEVICE void check_time() const {
    if (simt::block_index() != 0 || simt::thread_in_block() != 0) return;
    const u64 now = simt::clock_ns();
    if (arguments_.first_launch != 0) {
      simt::store(&arguments_.control->begin_ns, now);
    } else if (now - simt::load(&arguments_.control->begin_ns) > arguments_.limit_ns) {
      stop(arguments_.control, astar_status::out_of_time);
    }
  }

  SIMT_DEVICE void insert_opened(queue& open, u32 opened) {
    const u64* const items = arguments_.opened_items + static_cast<u64>(exists_ ? slot_ : 0) * (8 * cells_at_once);
    counts_.add(astar_count::inserted, opened);
    counts_.add(astar_count::open_at_insertions,
                static_cast<u64>(opened) * open.size() + static_cast<u64>(opened) * (opened - (opened != 0)) / 2);
    bool fits = true;
    for (u32 done = 0; owner_.any_in_step(done < opened); done += group::size) {
      const bool has_item = done + owner_.rank() < opened;
      const u64 item = has_item ? simt::load(items + done + owner_.rank()) : none;
      if (!open.insert_many(item, has_item)) fits = false;
    }
    if (!fits) stop(arguments_.control, astar_status::open_full);
    // Threads with a queue each leave the loop one by one. Together they take the same steps again.
    if constexpr (group::size == 1) simt::sync_warp();
  }

  /// Takes the next cells of a search that runs. @return whether the goal is among them
  SIMT_DEVICE bool take(queue& open, bool runs) {
    const u32 size = open.size();
    bool at_goal = false;
    bool goes_on = runs;
    for (u32 i = 0; i < cells_at_once && owner_.any_in_step(goes_on); ++i) {
      const u64 item = open.remove_least(goes_on);
      goes_on = goes_on && item != none;
      if (!goes_on) continue;
      const u32 cell = static_cast<u32>(item);
      if (owner_.rank() == 0) simt::store(cells_ + taken_, cell);
      ++taken_;
      at_goal = at_goal || cell == goal_;
    }
    if (!at_goal && taken_ != 0) count_batch(size);
    return at_goal;
  }

  /// Counts the cells that were taken from a list of `size` items.
  SIMT_DEVICE void count_batch(u32 size) {
    counts_.add(astar_count::batches, 1);
    counts_.add(astar_count::expansions, taken_);
    counts_.add(astar_count::open_at_batches, size);
  }

  /// Starts the next search in a slot that needs one. @return whether there was one
  SIMT_DEVICE bool start_next(queue& open, u32& search, bool needs_one) {
    bool begins = false;
    while (owner_.any_in_step(needs_one)) {
      u32 claimed = no_search;
      if (needs_one && owner_.rank() == 0)
        claimed = simt::atomic_add<simt::order::relaxed, simt::scope::device>(&arguments_.control->next, 1u);
      claimed = owner_.shuffle(claimed, 0);
      if (!needs_one) continue;
      needs_one = false;
      taken_ = 0;
      search = claimed < arguments_.searches ? claimed : no_search;
      if (search == no_search) {
        if (owner_.rank() == 0) record_end_of_list(arguments_.control);
        continue;
      }
      const u32 start = simt::load_readonly(&arguments_.pairs[search].start);
      goal_ = simt::load_readonly(&arguments_.pairs[search].goal);
      if (start == goal_) {
        if (owner_.rank() == 0) finish(arguments_, search, 0);
        needs_one = true;
        continue;
      }
      if (owner_.rank() == 0) simt::store(cells_, start);
      taken_ = 1;
      count_batch(1);
      open.clear();
      begins = true;
    }
    return begins;
  }

  const astar_slots_arguments& arguments_;
  phase_counts counts_;
  group owner_;
  u32 slot_ = 0;
  bool exists_ = false;
  astar_slot* state_ = nullptr;
  u32* cells_ = nullptr;  ///< those that are taken
  u32 goal_ = 0;
  u32 taken_ = 0;
};

}  // namespace path_finding

SIMT_KERNEL(astar_phases, astar_slots_arguments) {
  if (arguments.phase == astar_phase::queues) {
    path_finding::queue_phase(arguments).run();
  } else {
    path_finding::expansion_phase(arguments, [](u32 /*search*/, float f, u32 cell) {
      return static_cast<u64>(path_finding::key_of(f)) << 32 | cell;
    }).run();
  }
}
