// SPDX-License-Identifier: Apache-2.0
// Expands the cells that searches have taken, eight threads for each cell, with the state of the searches in memory.
#pragma once

#include "astar/geometry.cuh"
#include "astar/slots_abi.cuh"

namespace path_finding {

/// State of a cell, one word. From the highest bit: stamp of the search; whether the cell was opened in the current
/// expansion; f, a half float; direction of the last step; numbers of diagonal and of straight steps from the start.
/// Of two words of a search the lesser one counts: a cell that was opened before, then the shortest path.
class cell_word {
 public:
  static constexpr u32 step_bits = 14;
  static constexpr u32 direction_bits = 3;
  static constexpr u32 f_bits = 18;
  static constexpr u32 most_stamp = (1u << 14) - 2;  ///< below that of a word of all ones
  static constexpr u64 unopened = ~u64{0};

  SIMT_DEVICE explicit cell_word(u64 bits) : bits_(bits) {}
  SIMT_DEVICE cell_word(u32 stamp, float f, u32 direction, const steps& counts)
      : bits_(static_cast<u64>(stamp) << (new_bit + 1) | u64{1} << new_bit |
              static_cast<u64>(half_bits(f)) << (direction_bits + 2 * step_bits) |
              static_cast<u64>(direction) << (2 * step_bits) | static_cast<u64>(counts.diagonal) << step_bits |
              counts.straight) {}

  SIMT_DEVICE u64 bits() const { return bits_; }
  /// Returns the word after the expansion in which the cell was opened.
  SIMT_DEVICE u64 opened_before() const { return bits_ & ~(u64{1} << new_bit); }
  SIMT_DEVICE float f() const {
    return half_of(static_cast<u32>(bits_ >> (direction_bits + 2 * step_bits)) & ((1u << f_bits) - 1));
  }
  SIMT_DEVICE steps counts() const {
    constexpr u32 mask = (1u << step_bits) - 1;
    return {static_cast<u32>(bits_) & mask, static_cast<u32>(bits_ >> step_bits) & mask};
  }
  SIMT_DEVICE static bool fits(const steps& counts) {
    return counts.straight < 1u << step_bits && counts.diagonal < 1u << step_bits;
  }

 private:
  static constexpr u32 new_bit = f_bits + direction_bits + 2 * step_bits;
  u64 bits_;
};

/// Ends the run for a reason other than that all searches have finished. The first reason is kept.
SIMT_DEVICE void stop(astar_slots_control* control, astar_status reason) {
  simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(&control->status, 0u,
                                                                           static_cast<u32>(reason));
}

/// Returns the length of the path to the goal of the search in a slot, which has been opened.
SIMT_DEVICE u32 length_to_goal(const astar_slots_arguments& arguments, u32 slot, u32 goal) {
  const u64 bits = simt::load(arguments.tables + static_cast<u64>(slot) * arguments.cells + goal);
  const steps counts = cell_word(bits).counts();
  const u64 length =
      static_cast<u64>(counts.straight) * straight_step + static_cast<u64>(counts.diagonal) * diagonal_step;
  if (length >= no_length) stop(arguments.control, astar_status::length_full);
  return static_cast<u32>(length);
}

/// Called by one thread for each search that finishes.
SIMT_DEVICE void finish(const astar_slots_arguments& arguments, u32 search, u32 length) {
  simt::store(arguments.lengths + search, length);
  simt::atomic_add<simt::order::relaxed, simt::scope::device>(&arguments.control->finished, 1u);
}

/// Called by one thread for each slot that finds no further search.
SIMT_DEVICE void record_end_of_list(astar_slots_control* control) {
  if (simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(&control->end_ns, u64{0},
                                                                               simt::clock_ns()) != 0) {
    return;
  }
  simt::store(&control->finished_by_all,
              simt::load_atomic<simt::order::relaxed, simt::scope::device>(&control->finished));
}

/// The phase of expansions: eight threads for each of cells_at_once cells of a slot. A team visits slots one after the
/// other.
/// @tparam ItemOf callable as u64(u32 search, float f, u32 cell), which returns the item of an opened cell
template <class ItemOf>
class expansion_phase {
  static constexpr u32 team = 8 * cells_at_once;
  static_assert(team % simt::warp_size == 0 && simt::block_threads() % team == 0, "whole warps expand for a search");
  static constexpr u32 warps_in_team = team / simt::warp_size;

 public:
  SIMT_DEVICE expansion_phase(const astar_slots_arguments& arguments, const ItemOf& item_of)
      : arguments_(arguments),
        item_of_(item_of),
        rank_(simt::thread_in_block() % team),
        warp_counts_(reinterpret_cast<u32*>(simt::shared_memory())) {}

  SIMT_DEVICE void run() {
    const u32 teams_of_block = simt::block_threads() / team;
    for (u32 first = simt::block_index() * teams_of_block; first < arguments_.slots;
         first += simt::grid_blocks() * teams_of_block) {
      visit(first + simt::thread_in_block() / team);
    }
  }

 private:
  /// Called by all threads of the block together.
  SIMT_DEVICE void visit(u32 slot) {
    slot_ = slot;
    const bool exists = slot_ < arguments_.slots;
    astar_slot* const state = arguments_.slot_states + (exists ? slot_ : 0);
    u64* const words = arguments_.tables + static_cast<u64>(exists ? slot_ : 0) * arguments_.cells;
    const u32 taken = exists ? simt::load(&state->taken) : 0;
    const bool begins = taken != 0 && simt::load(&state->begins) != 0;
    const u32 search = taken != 0 ? simt::load(&state->search) : no_search;
    goal_ = taken != 0 ? simt::load(&state->goal) : 0;
    stamp_ = taken != 0 ? simt::load(&state->stamp) : 0;
    if (begins && --stamp_ >= cell_word::most_stamp) {
      clear(words);
      stamp_ = cell_word::most_stamp;
    }
    simt::sync_block();  // the table is clear, and all have read the stamp

    const opened_cell opened = open_neighbour(words, taken, begins);
    simt::sync_block();  // of several paths to a cell the shortest is in its word
    const bool is_open = opened.legal && read(words + opened.cell) == opened.word.bits();
    if (is_open) store(words + opened.cell, opened.word.opened_before());
    write_items(state, taken != 0, is_open, item_of_(search, opened.word.f(), opened.cell));
    if (begins && rank_ == 0) simt::store(&state->stamp, stamp_);
  }

  struct opened_cell {
    u32 cell;
    bool legal;
    cell_word word;
  };

  SIMT_DEVICE static u64 read(const u64* word) {
    return simt::load_atomic<simt::order::relaxed, simt::scope::device>(word);
  }
  SIMT_DEVICE static void store(u64* word, u64 bits) {
    simt::store_atomic<simt::order::relaxed, simt::scope::device>(word, bits);
  }

  SIMT_DEVICE void clear(u64* words) const {
    for (u32 i = rank_; i < arguments_.cells; i += team) store(words + i, cell_word::unopened);
  }

  SIMT_DEVICE float estimate(u32 cell) const {
    return half_length(unobstructed_steps(cell, goal_, arguments_.column_bits));
  }

  /// Proposes this thread's neighbour of a taken cell to the table.
  SIMT_DEVICE opened_cell open_neighbour(u64* words, u32 taken, bool begins) const {
    const u32 d = rank_ % 8;
    const bool has_cell = rank_ / 8 < taken;
    opened_cell result{0, false, cell_word(u64{0})};
    if (!has_cell) return result;
    const u32 cell = simt::load(arguments_.taken_cells + static_cast<u64>(slot_) * cells_at_once + rank_ / 8);
    const cell_word word = begins ? cell_word(stamp_, estimate(cell), 0, {0, 0}) : cell_word(read(words + cell));
    if (begins && d == 0) store(words + cell, word.opened_before());
    result.legal = (simt::load_readonly(arguments_.moves + cell) >> d & 1u) != 0;
    if (!result.legal) return result;
    steps counts = word.counts();
    ((d & 1u) != 0 ? counts.diagonal : counts.straight) += 1;
    if (!cell_word::fits(counts)) {
      stop(arguments_.control, astar_status::length_full);
      result.legal = false;
      return result;
    }
    const float step = as_half((d & 1u) != 0 ? 1.41421356f : 1.0f);
    const float length = as_half(as_half(word.f() - estimate(cell)) + step);
    result.cell = cell + step_of(d, arguments_.column_bits);
    result.word = cell_word(stamp_, as_half(length + estimate(result.cell)), d, counts);
    simt::atomic_min<simt::order::relaxed, simt::scope::device>(words + result.cell, result.word.bits());
    return result;
  }

  /// Writes the opened cells one after the other.
  SIMT_DEVICE void write_items(astar_slot* state, bool runs, bool is_open, u64 item) const {
    const u32 lanes = simt::ballot(is_open);
    if (simt::lane() == 0) simt::store(warp_counts_ + simt::warp_in_block(), simt::popcount(lanes));
    simt::sync_block();
    const u32 first_warp = simt::thread_in_block() / team * warps_in_team;
    u32 place = simt::popcount(lanes & simt::lanes_below());
    u32 opened = 0;
    for (u32 i = 0; i < warps_in_team; ++i) {
      const u32 count = simt::load(warp_counts_ + first_warp + i);
      if (first_warp + i < simt::warp_in_block()) place += count;
      opened += count;
    }
    if (is_open) simt::store(arguments_.opened_items + static_cast<u64>(slot_) * team + place, item);
    if (runs && rank_ == 0) simt::store(&state->opened, opened);
  }

  const astar_slots_arguments& arguments_;
  const ItemOf& item_of_;
  u32 rank_;  ///< in the team
  u32 slot_ = 0;
  u32* warp_counts_;  ///< one word of shared memory per warp
  u32 goal_ = 0;
  u32 stamp_ = 0;
};

}  // namespace path_finding
