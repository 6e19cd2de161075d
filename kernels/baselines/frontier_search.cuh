// SPDX-License-Identifier: Apache-2.0
// Bulk-synchronous search: supersteps that relax one frontier and collect the next, in one persistent kernel. With a
// far pile it is Near-Far (Davidson et al. 2014, as in section 1 of ADDS), without it Bellman-Ford with a frontier.
//
// All blocks are resident together. A superstep ends with a barrier of one arrival for each block on one word, which
// also counts what was written, so that passing the barrier and learning the size of the next frontier are one load. A
// frontier that one block can hold in its shared memory is expanded by block 0 alone, superstep after superstep,
// without any global barrier; it calls the other blocks when the frontier outgrows it.
//
// A vertex has one element in a frontier for each time it was improved, with the distance of that improvement. Only an
// element with the current distance of its vertex is expanded, so a vertex is expanded at most once per superstep.
// Distances of 8 bytes are an exception: elements contain only their upper halves (distance_width.cuh), and several
// elements of a vertex may be expanded.
//
// As the competitors of the papers have it, every superstep can instead be a launch, after which the host reads whether
// it was the last one. The end of a launch then is the barrier.
#pragma once

#include "baselines/baseline_configuration.cuh"
#include "baselines/frontier_piles.cuh"
#include "baselines/row_expander.cuh"
#include "supersteps/barrier.cuh"

namespace mlmq {

template <bool has_far>
using frontier_output = frontier_piles<has_far, counters>;
template <bool has_far>
using frontier_expander = row_expander<baseline_configuration, frontier_output<has_far>, counters>;

template <bool has_far>
class frontier_search {
  using order = simt::order;
  using scope = simt::scope;
  using expander = frontier_expander<has_far>;
  using width = baseline_configuration::width;
  using word = width::word;

 public:
  /// @param frontiers two of frontier_in_block() elements, in shared memory
  SIMT_DEVICE frontier_search(const frontier_arguments& arguments, frontier_block_words* block, u64* frontiers,
                              frontier_output<has_far>& piles, frontier_expander<has_far>& relax, counters& counts)
      : arguments_(arguments),
        control_(arguments.control),
        block_(block),
        frontiers_(frontiers),
        counts_(counts),
        piles_(piles),
        relax_(relax) {}

  /// Runs the search; called by all threads of all blocks.
  SIMT_DEVICE void run() {
    piles_.threshold = has_far ? arguments_.delta : unreached;
    far_floor_ = piles_.threshold;
    frontier_step next = frontier_step::narrow;
    if (simt::thread_in_block() == 0) simt::store(&block_->calls, 0u);
    if constexpr (MLMQ_LAUNCH_PER_STEP != 0) {
      next = resume();
    } else {
      if (supersteps::is_leader()) begin();
    }
    while (next != frontier_step::end) {
      note_parallelism(next);
      switch (next) {
        case frontier_step::narrow:
          next = simt::block_index() == 0 ? run_alone() : wait_for_call();
          continue;
        case frontier_step::expand:
          expand_global();
          break;
        case frontier_step::slices:
          relax_slices();
          break;
        case frontier_step::split:
          if (!begin_split()) return;
          split(supersteps::global_warp(), supersteps::global_warps());
          break;
        case frontier_step::end:
          break;
      }
      write_out(count_staged());
      if constexpr (MLMQ_LAUNCH_PER_STEP != 0) {
        if (supersteps::is_leader()) store_state(state_of(piles_.step + 1));
        return;
      }
      next = synchronise();
    }
  }

 private:
  /// Numbers of elements that the warps of a block have staged.
  struct staged {
    u32 near;  ///< near elements of all warps
    u32 far;
    u32 near_before;  ///< near elements of the warps before this one
    u32 far_before;
  };

  SIMT_DEVICE word* distances() const { return reinterpret_cast<word*>(arguments_.distances); }
  SIMT_DEVICE u32 warps() const { return simt::block_threads() / simt::warp_size; }

  template <class T>
  SIMT_DEVICE static T peek(const T* word) {
    return simt::load_atomic<order::relaxed, scope::device>(word);
  }

  SIMT_DEVICE void begin() {
    simt::store(&block_->deadline, simt::clock_ns() + arguments_.time_limit_ns);
    simt::store(&block_->is_over, 0u);
    simt::store_atomic<order::relaxed, scope::device>(distances() + arguments_.source, word{0});
    clear(piles_.words_of(0));
    clear(piles_.words_of(1));
    simt::store(frontiers_, make_element(arguments_.source, 0));
    counts_.add(counter::l2_writes, 1);
  }

  SIMT_DEVICE void clear(superstep_words* words) const {
    simt::store_atomic<order::relaxed, scope::device>(&words->progress, u64{0});
    simt::store_atomic<order::relaxed, scope::device>(&words->far_min, ~0u);
    simt::store_atomic<order::relaxed, scope::device>(&words->claimed, 0u);
  }

  /// Records how many vertices a superstep of all blocks offers. Long rows that it sets aside are part of it, and a
  /// split offers none.
  SIMT_DEVICE void note_parallelism(frontier_step next) {
    if (!supersteps::is_leader()) return;
    if (next == frontier_step::expand) counts_.set_parallelism(near_);
    if (next == frontier_step::split) counts_.set_parallelism(0);
  }

  // --- one superstep ---

  SIMT_DEVICE void expand(element e, bool valid) {
    if (valid) counts_.add(counter::l2_reads, 1);
    typename expander::row row = relax_.load_row(e, valid);
    const bool is_long = row.degree >= 4 * arguments_.slice_edges;
    for (u32 pending_lanes = simt::ballot(is_long); pending_lanes != 0; pending_lanes &= pending_lanes - 1)
      cut(row, vertex_of(e), simt::first_set(pending_lanes));
    if (is_long) row.degree = 0;
    relax_.relax_rows(row);
  }

  /// Warp collective: cuts the row of lane `owner` into slices for the next superstep.
  SIMT_DEVICE void cut(const typename expander::row& row, u32 vertex, u32 owner) {
    if constexpr (!width::has_exact_keys) {
      if (!is_first_cut(simt::shuffle(vertex, owner))) return;
    }
    const u64 begin = simt::shuffle(row.begin, owner);
    const u32 degree = simt::shuffle(row.degree, owner);
    u32 distance;
    if constexpr (width::has_exact_keys) {
      distance = simt::shuffle(row.distance, owner);
    } else {
      distance = simt::shuffle(vertex, owner);
    }
    const u32 count = (degree - 1) / arguments_.slice_edges + 1;
    u32 first = 0;
    if (simt::lane() == 0) {
      simt::store_atomic<order::relaxed, scope::block>(&block_->went_global, 1u);
      const u64 before = simt::atomic_add<order::relaxed, scope::device>(&piles_.words()->progress,
                                                                         u64{count} << frontier_progress::slice_shift);
      first = slices_in(before);
    }
    first = simt::shuffle(first, 0);
    for (u32 i = simt::lane(); i < count; i += simt::warp_size) {
      const u32 offset = i * arguments_.slice_edges;
      const u32 rest = degree - offset;
      edge_slice* const slice = arguments_.slices + first + i;
      simt::store(&slice->begin, begin + offset);
      simt::store(&slice->count, rest < arguments_.slice_edges ? rest : arguments_.slice_edges);
      simt::store(&slice->distance, distance);
    }
  }

  /// Warp collective: returns whether this warp is the first to cut the row in this superstep. Each row has room for
  /// one cut. Its slices are relaxed from the vertex's distance at that time, so one cut is enough.
  SIMT_DEVICE bool is_first_cut(u32 vertex) const {
    bool is_first = false;
    if (simt::lane() == 0) {
      const u32 stamp = ~(piles_.step + 1);  // smaller in each superstep, because there is only an atomic minimum
      is_first = simt::atomic_min<order::relaxed, scope::device>(arguments_.stamps + vertex, stamp) > stamp;
    }
    return simt::any(is_first);
  }

  SIMT_DEVICE void expand_global() {
    // The next frontier goes to the other pile.
    const u64* const pile = piles_.near_pile(piles_.near_buffer);
    const u32 count = near_;
    piles_.near_buffer ^= 1;
    piles_.near_base = 0;
    const u32 all_warps = supersteps::global_warps();
    const u32 even_share = (count + all_warps - 1) / all_warps;
    const u32 share = even_share < simt::warp_size ? even_share : simt::warp_size;
    u32 first = supersteps::global_warp() * share;
    while (first < count) {
      const bool valid = simt::lane() < share && first + simt::lane() < count;
      u32 next = count;
      // Claimed early: the latency overlaps with relaxing the rows.
      if (even_share > simt::warp_size && simt::lane() == 0) {
        next = all_warps * share +
               simt::atomic_add<order::relaxed, scope::device>(&piles_.words()->claimed, simt::warp_size);
      }
      element e = 0;
      if (valid) e = simt::load(pile + first + simt::lane());
      expand(e, valid);
      first = simt::shuffle(next, 0);
    }
  }

  SIMT_DEVICE void relax_slices() {
    piles_.near_base = near_;
    for (u32 i = supersteps::global_warp(); i < slices_; i += supersteps::global_warps()) {
      const edge_slice* const slice = arguments_.slices + i;
      const u32 row_distance = simt::load(&slice->distance);
      if constexpr (width::has_exact_keys) {
        relax_.relax_row({simt::load(&slice->begin), simt::load(&slice->count), row_distance});
      } else {
        relax_.relax_row({simt::load(&slice->begin), simt::load(&slice->count), relax_.load_distance(row_distance)});
      }
    }
  }

  /// Raises the threshold and swaps the far piles. @return false if the far pile is empty, so that the search has
  /// finished
  SIMT_DEVICE bool begin_split() {
    if constexpr (!has_far) {
      supersteps::finish(control_);
      return false;
    } else {
      const u32 old = piles_.far_buffer;
      far_end_ = peek(&control_->far[old].tail);
      far_first_ = piles_.far_begin(old);
      if (far_end_ == far_first_) {
        supersteps::finish(control_);
        return false;
      }
      if (far_end_ - far_first_ > arguments_.far_mask + 1) return false;  // declared full
      piles_.set_far_begin(old, far_end_);
      piles_.far_buffer = old ^ 1;
      // Everything below far_floor_ is final. The threshold must rise even if the sum saturates or rounds.
      const u32 above = baseline_configuration::distance::extend(far_floor_, arguments_.delta);
      piles_.threshold = above > far_floor_ ? above : far_floor_ + 1;
      far_floor_ = piles_.threshold;
      piles_.near_base = 0;
      return true;
    }
  }

  /// @param warp of `all_warps` that share the work
  SIMT_DEVICE void split(u32 warp, u32 all_warps) {
    u32 kept_min = ~0u;
    const u32 old = piles_.far_buffer ^ 1;
    for (u32 first = far_first_ + warp * simt::warp_size; static_cast<int>(far_end_ - first) > 0;
         first += all_warps * simt::warp_size) {
      bool valid = static_cast<int>(far_end_ - (first + simt::lane())) > 0;
      element e = 0;
      if (valid) {
        e = simt::load(piles_.far_slot(old, first + simt::lane()));
        counts_.add(counter::l2_reads, 1);
        if (width::is_outdated(peek(distances() + vertex_of(e)), distance_of(e))) {
          counts_.add(counter::pops, 1);
          counts_.add(counter::stale_pops, 1);
          valid = false;
        } else if (distance_of(e) >= piles_.threshold) {
          counts_.add(counter::resplits, 1);
          if (distance_of(e) < kept_min) kept_min = distance_of(e);
        }
      }
      piles_.write(e, valid);
    }
    kept_min = simt::warp_min(kept_min);
    if (simt::lane() == 0 && kept_min != ~0u) {
      simt::atomic_min<order::relaxed, scope::device>(&piles_.words()->far_min, kept_min);
    }
  }

  // --- the end of a superstep of all blocks ---

  /// Called by all threads of a block: writes the elements staged by its warps to the piles.
  SIMT_DEVICE void write_out(const staged& totals) {
    if (totals.near + totals.far == 0) return;
    if (simt::warp_in_block() == 0) {
      u32 position = 0;
      bool fits = true;
      if (simt::lane() == 0 && totals.near != 0) fits = piles_.reserve_near(totals.near, position);
      if (simt::lane() == 1 && totals.far != 0) fits = piles_.reserve_far(totals.far, position);
      if (simt::lane() < 2) {
        simt::store(simt::lane() == 0 ? &block_->near_base : &block_->far_base, position);
        simt::store(simt::lane() == 0 ? &block_->near_fits : &block_->far_fits, fits ? 1u : 0u);
      }
    }
    simt::sync_block();
    u64* const near = piles_.near_pile(piles_.near_buffer) + simt::load(&block_->near_base) + totals.near_before;
    piles_.drain_near(simt::load(&block_->near_fits) != 0 ? near : nullptr);
    if constexpr (has_far) {
      piles_.drain_far(simt::load(&block_->far_base) + totals.far_before, simt::load(&block_->far_fits) == 0);
    }
  }

  /// Called by all threads of a block.
  SIMT_DEVICE staged count_staged() {
    const u32 warp = simt::warp_in_block();
    if (simt::lane() == 0) {
      simt::store(&block_->near_count[warp], piles_.staged_near());
      simt::store(&block_->far_count[warp], piles_.staged_far());
    }
    simt::sync_block();
    const bool is_warp = simt::lane() < warps();
    const u32 near = is_warp ? simt::load(&block_->near_count[simt::lane()]) : 0;
    const u32 far = is_warp ? simt::load(&block_->far_count[simt::lane()]) : 0;
    const u32 before = simt::lane() < warp ? ~0u : 0u;
    return {simt::warp_add(near), simt::warp_add(far), simt::warp_add(near & before), simt::warp_add(far & before)};
  }

  SIMT_DEVICE static u32 near_in(u64 progress) {
    return static_cast<u32>(progress) & ((1u << frontier_progress::slice_shift) - 1);
  }
  SIMT_DEVICE static u32 slices_in(u64 progress) {
    return static_cast<u32>(progress >> frontier_progress::slice_shift) &
           ((1u << (frontier_progress::arrival_shift - frontier_progress::slice_shift)) - 1);
  }

  /// Barrier for all threads of all blocks. @return the next step
  SIMT_DEVICE frontier_step synchronise() {
    if (supersteps::is_leader()) {
      clear(piles_.words_of(piles_.step + 1));
      counts_.add(counter::supersteps, 1);
    }
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      const u64 seen =
          supersteps::synchronise<frontier_progress::arrival_shift>(&piles_.words()->progress, control_, block_);
      if (piles_.step % 16 == 0) supersteps::watch(control_, block_);
      simt::store(&block_->stop, (seen & superstep_progress::stop) != 0 ? 1u : 0u);
      simt::store(&block_->near, near_in(seen));
      simt::store(&block_->slices, slices_in(seen));
    }
    simt::sync_block();
    near_ = piles_.near_base + simt::load(&block_->near);
    slices_ = simt::load(&block_->slices);
    if (has_far && near_ == 0 && slices_ == 0) note_floor(piles_.words());
    ++piles_.step;
    return simt::load(&block_->stop) != 0 ? frontier_step::end : next_step();
  }

  SIMT_DEVICE frontier_step next_step() const {
    if (near_ > arguments_.near_capacity) return frontier_step::end;  // declared full
    if (slices_ != 0) return frontier_step::slices;
    if (near_ == 0) return frontier_step::split;
    return near_ <= arguments_.one_block / 2 ? frontier_step::narrow : frontier_step::expand;
  }

  /// A split that leaves nothing near has seen the whole far pile, so the threshold can skip empty steps.
  /// @param split_words of the superstep with the split
  SIMT_DEVICE void note_floor(const superstep_words* split_words) {
    const u32 far_min = peek(&split_words->far_min);
    if (far_min != ~0u && far_min > far_floor_) far_floor_ = far_min;
  }

  // --- supersteps of block 0 alone ---

  /// Called by all threads of block 0, with the near pile of near_ elements; at the start with the source.
  SIMT_DEVICE frontier_step run_alone() {
    u32 current = 0;  // index of the current frontier in shared memory
    u32 count = near_;
    if (piles_.step == 0) {
      count = 1;
    } else {
      const u64* const pile = piles_.near_pile(piles_.near_buffer);
      for (u32 i = simt::thread_in_block(); i < count; i += simt::block_threads()) {
        simt::store(frontier(0) + i, simt::load(pile + i));
      }
      piles_.near_buffer ^= 1;
    }
    piles_.near_base = 0;
    if (simt::thread_in_block() == 0) clear(piles_.words_of(piles_.step + 1));
    frontier_step next = frontier_step::narrow;
    for (u32 alone = 1; next == frontier_step::narrow; ++alone) {
      if (simt::thread_in_block() == 0) {
        simt::store_atomic<order::relaxed, scope::block>(&block_->went_global, 0u);
        counts_.add(counter::supersteps, 1);
        counts_.set_parallelism(count);
        if (alone % 16 == 0) {
          supersteps::watch(control_, block_);
          simt::store(&block_->stop, simt::load(&block_->is_over));
        }
      }
      simt::sync_block();
      if (alone % 16 == 0 && simt::load(&block_->stop) != 0) {
        next = frontier_step::end;
        break;
      }
      if (count != 0) {
        const u64* const elements = frontier(current);
        const u32 share =
            (count + warps() - 1) / warps() < simt::warp_size ? (count + warps() - 1) / warps() : simt::warp_size;
        for (u32 first = simt::warp_in_block() * share; first < count; first += warps() * share) {
          const bool valid = simt::lane() < share && first + simt::lane() < count;
          element e = 0;
          if (valid) e = simt::load(elements + first + simt::lane());
          expand(e, valid);
        }
      } else if (!split_alone(next)) {
        break;
      }
      current ^= 1;
      const staged totals = count_staged();
      const bool outgrown = simt::load_atomic<order::relaxed, scope::block>(&block_->went_global) != 0 ||
                            totals.near > arguments_.one_block;
      if (outgrown) {
        write_out(totals);
        next = frontier_step::expand;
        break;
      }
      piles_.drain_near(frontier(current) + totals.near_before);
      count = totals.near;
      if (has_far && count == 0) {
        note_floor(piles_.words());
        simt::sync_block();
        if (simt::thread_in_block() == 0) {
          simt::store_atomic<order::relaxed, scope::device>(&piles_.words()->far_min, ~0u);
        }
      }
    }
    return call_others(next);
  }

  SIMT_DEVICE u64* frontier(u32 index) const { return frontiers_ + index * frontier_in_block(simt::block_threads()); }

  /// Called by all threads of block 0: splits the far pile with this block alone if the pile is small.
  /// @return false if `next` was set to another step, because the search has finished or all blocks must split
  SIMT_DEVICE bool split_alone(frontier_step& next) {
    write_out(count_staged());
    simt::sync_block();
    if constexpr (has_far) {
      const u32 tail = peek(&control_->far[piles_.far_buffer].tail);
      if (tail - piles_.far_begin(piles_.far_buffer) > 4 * arguments_.one_block) {
        next = frontier_step::split;
        return false;
      }
    }
    if (begin_split()) {
      split(simt::warp_in_block(), warps());
      return true;
    }
    next = frontier_step::end;
    return false;
  }

  /// Called by all threads of block 0: publishes the next step to the other blocks.
  SIMT_DEVICE frontier_step call_others(frontier_step next) {
    simt::sync_block();
    const u64 progress = peek(&piles_.words()->progress);
    near_ = near_in(progress);
    slices_ = slices_in(progress);
    if (next == frontier_step::expand && slices_ != 0) next = frontier_step::slices;
    if (near_ > arguments_.near_capacity) next = frontier_step::end;  // declared full
    if (simt::thread_in_block() == 0) {
      frontier_state* const state = &control_->state;
      simt::store(&state->next, static_cast<u32>(next));
      simt::store(&state->near, near_);
      simt::store(&state->slices, slices_);
      store_state(state);
    }
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      simt::store_atomic<order::release, scope::device>(&control_->resumed, next_call());
    }
    ++piles_.step;
    return next;
  }

  /// Called by thread 0 of a block: returns the number of block 0's next call.
  SIMT_DEVICE u32 next_call() const {
    const u32 call = simt::load(&block_->calls) + 1;
    simt::store(&block_->calls, call);
    return call;
  }

  /// Called by all threads of the other blocks.
  SIMT_DEVICE frontier_step wait_for_call() {
    if (simt::thread_in_block() == 0) {
      const u32 call = next_call();
      // Block 0 always calls when the run ends, because it checks the deadline itself.
      while (simt::load_atomic<order::acquire, scope::device>(&control_->resumed) != call) simt::backoff(200);
    }
    simt::sync_block();
    const frontier_state* const state = &control_->state;
    near_ = simt::load(&state->near);
    slices_ = simt::load(&state->slices);
    load_state(state);
    ++piles_.step;
    return static_cast<frontier_step>(simt::load(&state->next));
  }

  // --- a launch for each superstep ---

  /// Called by all threads of all blocks. The first launch writes the source and the state, and does not expand.
  /// @return the step of this launch
  SIMT_DEVICE frontier_step resume() {
    piles_.step = arguments_.step;
    if (piles_.step == 0) {
      if (!supersteps::is_leader()) return frontier_step::end;
      begin();
      simt::store(&control_->deadline, simt::load(&block_->deadline));
      simt::store(piles_.near_pile(0), make_element(arguments_.source, 0));
      simt::store_atomic<order::relaxed, scope::device>(&piles_.words()->progress, u64{1});
      store_state(state_of(1));
      return frontier_step::end;
    }
    load_state(state_of(piles_.step));
    const superstep_words* const written = piles_.words_of(piles_.step - 1);
    near_ = piles_.near_base + near_in(peek(&written->progress));
    slices_ = slices_in(peek(&written->progress));
    if (has_far && near_ == 0 && slices_ == 0) note_floor(written);
    if (supersteps::is_leader()) {
      clear(piles_.words_of(piles_.step + 1));
      counts_.add(counter::supersteps, 1);
      simt::store(&block_->deadline, simt::load(&control_->deadline));
      supersteps::watch(control_, block_);
    }
    return next_step();
  }

  /// Returns what a superstep reads, if each is a launch.
  SIMT_DEVICE frontier_state* state_of(u32 step) const {
    return step % 2 == 0 ? &control_->state : &control_->odd_state;
  }

  SIMT_DEVICE void store_state(frontier_state* state) const {
    simt::store(&state->threshold, piles_.threshold);
    simt::store(&state->far_floor, far_floor_);
    simt::store(&state->far_buffer, piles_.far_buffer);
    simt::store(&state->far_begin[0], piles_.far_begin_0);
    simt::store(&state->far_begin[1], piles_.far_begin_1);
    simt::store(&state->near_buffer, piles_.near_buffer);
    if constexpr (MLMQ_LAUNCH_PER_STEP != 0) simt::store(&state->near_base, piles_.near_base);
  }

  SIMT_DEVICE void load_state(const frontier_state* state) {
    piles_.threshold = simt::load(&state->threshold);
    far_floor_ = simt::load(&state->far_floor);
    piles_.far_buffer = simt::load(&state->far_buffer);
    piles_.far_begin_0 = simt::load(&state->far_begin[0]);
    piles_.far_begin_1 = simt::load(&state->far_begin[1]);
    piles_.near_buffer = simt::load(&state->near_buffer);
    if constexpr (MLMQ_LAUNCH_PER_STEP != 0) piles_.near_base = simt::load(&state->near_base);
  }

  const frontier_arguments& arguments_;
  frontier_control* control_;
  frontier_block_words* block_;
  u64* frontiers_;
  counters& counts_;
  frontier_output<has_far>& piles_;
  expander& relax_;
  u32 near_ = 0;    // elements of the near pile that is to be expanded
  u32 slices_ = 0;  // slices of long rows
  u32 far_floor_ = 0;
  u32 far_first_ = 0;  // the far pile that is being split
  u32 far_end_ = 0;
};

/// The whole kernel.
template <bool has_far>
SIMT_DEVICE void run_frontier_search(const frontier_arguments& arguments) {
  frontier_block_words* const block = reinterpret_cast<frontier_block_words*>(simt::shared_memory());
  const u32 warps = simt::block_threads() / simt::warp_size;
  const u32 warp = simt::warp_in_block();
  using rows_of_warp = baseline_configuration::width::rows;
  rows_of_warp* const rows = reinterpret_cast<rows_of_warp*>(block + 1);
  u64* const near = reinterpret_cast<u64*>(rows + warps * simt::warp_size);
  u64* const far = near + warps * near_stage;
  u64* const frontiers = far + warps * far_stage;
  counters counts(arguments.counters);
  // Separate objects: one that pointed into itself would live in memory instead of registers.
  frontier_output<has_far> piles(arguments, block, near + warp * near_stage, far + warp * far_stage, counts);
  frontier_expander<has_far> relax(arguments, rows + warp * simt::warp_size, piles, counts);
  frontier_search<has_far> search(arguments, block, frontiers, piles, relax, counts);
  search.run();
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}

}  // namespace mlmq
