// SPDX-License-Identifier: Apache-2.0
// Removes leaves and chains from a graph with whole weights, like graph/reduction.hpp and graph/reduced_graph.hpp on
// processors, in one launch of blocks that are resident together. Steps that eliminate all chains, whatever their
// length, alternate with steps that eliminate all leaves (rake and compress: Miller, Reif 1985).
//
// A chain finds its ends by pointer jumping: each inner vertex knows a vertex on both of its sides, and the lengths
// there and back; a jump doubles the distance. Rows of links stay where they are: when a row is next read, a link to an
// eliminated vertex is replaced by one to the other end of its chain. Only the rows of vertices with at most two
// neighbours are read to their ends. Finally, the ends of eliminated vertices are replaced by the ends of these, in the
// reverse order of the steps, until all are in the core.
#include "distance.cuh"
#include "edges.cuh"
#include "reduce_graph_abi.cuh"
#include "search_abi.cuh"
#include "simt/simt.cuh"

namespace mlmq {

class graph_reducer {
 public:
  SIMT_DEVICE graph_reducer(const reduce_arguments& arguments, reduction_words* words)
      : arguments_(arguments), words_(words) {}

  SIMT_DEVICE void run() {
    if (simt::thread_in_block() == 0) simt::store(&words_->deadline, simt::clock_ns() + arguments_.time_limit_ns);
    if (make_links() && eliminate() && number_core() && make_core_rows() && replace_ends() && is_leader()) {
      simt::store(&arguments_.control->status, static_cast<u32>(run_status::finished));
    }
  }

  /// Copies the rows of the core.
  SIMT_DEVICE void copy_core() const {
    const auto copy = [this](u32 v, u32 begin, u32 end, u32 first, u32 stride) {
      const u32 place = simt::load(arguments_.core_offsets + number_of(v));
      for (u32 i = first; i < end - begin; i += stride) {
        const graph_link link = load_link(arguments_.links + begin + i);
        simt::store(arguments_.core_edges + place + i, pack(link.neighbour, link.away));
      }
    };
    for_each_row([&](u32 v, u32 begin, u32 end) { copy(v, begin, end, 0, 1); },
                 [&](u32 v, u32 begin, u32 end) { copy(v, begin, end, simt::lane(), simt::warp_size); });
  }

 private:
  using order = simt::order;
  using scope = simt::scope;

  static constexpr u32 none = ~0u;
  static constexpr u64 stop_bit = 1ull << 63;

  // States: the number of neighbours, at most three, of vertices that are left.
  static constexpr u32 isolated = 0;
  static constexpr u32 leaf = 1;
  static constexpr u32 inner = 2;
  static constexpr u32 branch = 3;
  // For eliminated vertices, also these, and the step.
  static constexpr u32 eliminated_mark = 0x80000000u;
  static constexpr u32 chain_mark = 0x40000000u;
  static constexpr u32 step_shift = 2;

  /// A longer row is read by a warp.
  static constexpr u32 short_row = 32;
  static constexpr u32 small_graph = 1024;
  static constexpr u32 least_share = 32;

  /// The neighbours of a vertex, up to two.
  struct surroundings {
    graph_link first{none, none, none, 0};
    graph_link second{none, none, none, 0};
    u32 count = 0;

    SIMT_DEVICE void add(const graph_link& link) {
      if (count > 0 && link.neighbour == first.neighbour) {
        lower(first, link);
      } else if (count > 1 && link.neighbour == second.neighbour) {
        lower(second, link);
      } else {
        if (count == 0) first = link;
        if (count == 1) second = link;
        ++count;
      }
    }
    SIMT_DEVICE static void lower(graph_link& link, const graph_link& other) {
      link.away = lesser(link.away, other.away);
      link.back = lesser(link.back, other.back);
    }
  };

  SIMT_DEVICE static u32 lesser(u32 a, u32 b) { return a < b ? a : b; }
  SIMT_DEVICE static u32 joined(u32 a, u32 b) { return a == none || b == none ? none : integer_distance::extend(a, b); }
  SIMT_DEVICE static bool is_leader() { return simt::block_index() == 0 && simt::thread_in_block() == 0; }
  SIMT_DEVICE static u64 pack(u32 low, u32 high) { return static_cast<u64>(high) << 32 | low; }

  SIMT_DEVICE static graph_link load_link(const graph_link* address) {
    const simt::quad words = simt::load(reinterpret_cast<const simt::quad*>(address));
    return {words.x, words.y, words.z, 0};
  }
  SIMT_DEVICE static void store_link(graph_link* address, const graph_link& link) {
    simt::store(reinterpret_cast<simt::quad*>(address), simt::quad{link.neighbour, link.away, link.back, 0});
  }
  SIMT_DEVICE void set_row(u32 v, const fill_row& row) const {
    simt::store(reinterpret_cast<simt::quad*>(arguments_.rows + v),
                simt::quad{row.ends[0], row.ends[1], row.lengths[0], row.lengths[1]});
  }
  SIMT_DEVICE fill_row row_of(u32 v) const {
    const simt::quad words = simt::load(reinterpret_cast<const simt::quad*>(arguments_.rows + v));
    return {{words.x, words.y}, {words.z, words.w}};
  }

  SIMT_DEVICE u32 state_of(u32 v) const {
    return simt::load_atomic<order::relaxed, scope::device>(arguments_.states + v);
  }
  SIMT_DEVICE void set_state(u32 v, u32 state) const {
    simt::store_atomic<order::relaxed, scope::device>(arguments_.states + v, state);
  }
  SIMT_DEVICE bool is_left(u32 v) const { return (state_of(v) & eliminated_mark) == 0; }
  SIMT_DEVICE graph_link* side(u32 buffer, u32 index, u32 v) const {
    return arguments_.sides + (u64{buffer} * 2 + index) * arguments_.vertices + v;
  }

  /// Called by all threads: waits for all blocks. @return false if the time is up
  SIMT_DEVICE bool meet() {
    simt::sync_block();
    ++meetings_;
    if (simt::thread_in_block() == 0) {
      u64* const arrivals = &arguments_.control->arrivals;
      simt::reduce_add<order::release, scope::device>(arrivals, u64{1});
      u64 seen = simt::load_atomic<order::acquire, scope::device>(arrivals);
      while ((seen & stop_bit) == 0 && seen < meetings_ * simt::grid_blocks()) {
        if (is_leader() && simt::clock_ns() > simt::load(&words_->deadline)) {
          simt::reduce_add<order::relaxed, scope::device>(arrivals, stop_bit);
        }
        simt::backoff(20);
        seen = simt::load_atomic<order::acquire, scope::device>(arrivals);
      }
      simt::store(&words_->is_over, (seen & stop_bit) != 0 ? 1u : 0u);
    }
    simt::sync_block();
    return simt::load(&words_->is_over) == 0;
  }

  template <class Work>
  SIMT_DEVICE void for_each_vertex(const Work& work) const {
    const u64 threads = u64{simt::grid_blocks()} * simt::block_threads();
    u64 v = u64{simt::block_index()} * simt::block_threads() + simt::thread_in_block();
    for (; v < arguments_.vertices; v += threads) work(static_cast<u32>(v));
  }

  /// Calls by_lane(v, begin, end) for each short row of a vertex that is left, and by_warp(v, begin, end) with all
  /// lanes for each long one. @param end_of  returns the end of a row of links
  template <class End, class ByLane, class ByWarp>
  SIMT_DEVICE void for_each_row(const End& end_of, const ByLane& by_lane, const ByWarp& by_warp) const {
    const u32 warps = simt::block_threads() / simt::warp_size;
    const u64 all_lanes = u64{simt::grid_blocks()} * warps * simt::warp_size;
    u64 first = (u64{simt::block_index()} * warps + simt::warp_in_block()) * simt::warp_size;
    for (; first < arguments_.vertices; first += all_lanes) {
      const u32 v = static_cast<u32>(first) + simt::lane();
      u32 begin = 0;
      u32 end = 0;
      const bool valid = v < arguments_.vertices && is_left(v);
      if (valid) {
        begin = simt::load(arguments_.link_begins + v);
        end = end_of(v, begin);
      }
      const bool is_long = end - begin > short_row;
      if (valid && !is_long) by_lane(v, begin, end);
      for (u32 pending = simt::ballot(is_long); pending != 0; pending &= pending - 1) {
        const u32 row_lane = simt::first_set(pending);
        simt::sync_warp();  // other lanes may write what this one has read
        by_warp(simt::shuffle(v, row_lane), simt::shuffle(begin, row_lane), simt::shuffle(end, row_lane));
      }
    }
  }

  template <class ByLane, class ByWarp>
  SIMT_DEVICE void for_each_row(const ByLane& by_lane, const ByWarp& by_warp) const {
    for_each_row([this](u32 v, u32) { return simt::load(arguments_.link_ends + v); }, by_lane, by_warp);
  }

  /// Called by all threads: calls place(v, sum of count() over the vertices before v, sum over all vertices).
  /// @return false if the time is up
  template <class Count, class Place>
  SIMT_DEVICE bool scan(const Count& count, const Place& place) {
    const u32 threads = simt::block_threads();
    const u64 share = (u64{arguments_.vertices} / simt::grid_blocks() / threads + 1) * threads;
    const u64 begin = share * simt::block_index();
    u32 sum = 0;
    for (u64 v = begin + simt::thread_in_block(); v < begin + share && v < arguments_.vertices; v += threads) {
      sum += count(static_cast<u32>(v));
    }
    sum = sum_of_block(sum);
    if (simt::thread_in_block() == 0) simt::store(arguments_.block_sums + simt::block_index(), sum);
    if (!meet()) return false;
    u32 before = 0;
    u32 total = 0;
    for (u32 b = simt::thread_in_block(); b < simt::grid_blocks(); b += threads) {
      const u32 of_block = simt::load(arguments_.block_sums + b);
      total += of_block;
      if (b < simt::block_index()) before += of_block;
    }
    before = sum_of_block(before);
    total = sum_of_block(total);
    for (u64 first = begin; first < begin + share && first < arguments_.vertices; first += threads) {
      const u64 v = first + simt::thread_in_block();
      const u32 value = v < arguments_.vertices ? count(static_cast<u32>(v)) : 0;
      const u32 up_to_this = simt::inclusive_scan(value);
      simt::sync_block();
      if (simt::lane() == simt::warp_size - 1) simt::store(&words_->sums[simt::warp_in_block()], up_to_this);
      simt::sync_block();
      u32 of_chunk = 0;
      u32 of_warps_before = 0;
      for (u32 warp = 0; warp < threads / simt::warp_size; ++warp) {
        const u32 of_warp = simt::load(&words_->sums[warp]);
        if (warp < simt::warp_in_block()) of_warps_before += of_warp;
        of_chunk += of_warp;
      }
      if (v < arguments_.vertices) place(static_cast<u32>(v), before + of_warps_before + up_to_this - value, total);
      before += of_chunk;
    }
    return meet();
  }

  /// Called by all threads of a block: returns the sum of their values.
  SIMT_DEVICE u32 sum_of_block(u32 value) const {
    value = simt::warp_add(value);
    simt::sync_block();
    if (simt::lane() == 0) simt::store(&words_->sums[simt::warp_in_block()], value);
    simt::sync_block();
    u32 sum = 0;
    for (u32 warp = 0; warp < simt::block_threads() / simt::warp_size; ++warp) sum += simt::load(&words_->sums[warp]);
    return sum;
  }

  SIMT_DEVICE u32 degree_of(u32 v) const {
    return simt::load_readonly(arguments_.offsets + v + 1) - simt::load_readonly(arguments_.offsets + v);
  }

  /// Makes a row of links for each vertex: those of its edges, and those of the edges to it.
  SIMT_DEVICE bool make_links() {
    const u32 edge_count = simt::load_readonly(arguments_.offsets + arguments_.vertices);
    const u64 threads = u64{simt::grid_blocks()} * simt::block_threads();
    u64 e = u64{simt::block_index()} * simt::block_threads() + simt::thread_in_block();
    for (; e < edge_count; e += threads) {
      const u32 target = weighted_edges::target(simt::load_readonly(arguments_.edges + e));
      simt::reduce_add<order::relaxed, scope::device>(arguments_.link_ends + target, 1u);
    }
    if (!meet()) return false;
    const bool goes_on = scan([this](u32 v) { return degree_of(v) + simt::load(arguments_.link_ends + v); },
                              [this](u32 v, u32 before, u32) {
                                simt::store(arguments_.link_begins + v, before);
                                simt::store(arguments_.link_ends + v, before + degree_of(v));
                              });
    if (!goes_on) return false;
    const auto make = [this](u32 v, u32 begin, u32 end, u32 first, u32 stride) {
      const u64* const edges = arguments_.edges + simt::load_readonly(arguments_.offsets + v);
      for (u32 i = first; i < end - begin; i += stride) {
        const u64 edge = simt::load_readonly(edges + i);
        const u32 target = weighted_edges::target(edge);
        const u32 weight = weighted_edges::weight(edge);
        store_link(arguments_.links + begin + i, {target, weight, none, 0});
        const u32 place = simt::atomic_add<order::relaxed, scope::device>(arguments_.link_ends + target, 1u);
        store_link(arguments_.links + place, {v, none, weight, 0});
      }
    };
    for_each_row([this](u32 v, u32 begin) { return begin + degree_of(v); },
                 [&](u32 v, u32 begin, u32 end) { make(v, begin, end, 0, 1); },
                 [&](u32 v, u32 begin, u32 end) { make(v, begin, end, simt::lane(), simt::warp_size); });
    return meet();
  }

  /// Replaces a link of a vertex to an eliminated one by a link to the other end of its chain, until it leads to a
  /// vertex that is left, or is gone. @return whether the link has changed
  SIMT_DEVICE bool follow(u32 vertex, graph_link& link) const {
    bool has_changed = false;
    while (link.neighbour != none) {
      if (link.neighbour == vertex) {
        link.neighbour = none;
        return true;
      }
      const u32 state = state_of(link.neighbour);
      if ((state & eliminated_mark) == 0) break;
      has_changed = true;
      if ((state & chain_mark) == 0) {
        link.neighbour = none;
        break;
      }
      const fill_row row = row_of(link.neighbour);
      const u64 returns = simt::load(arguments_.returns + link.neighbour);
      const auto to_first = static_cast<u32>(returns);
      const auto to_second = static_cast<u32>(returns >> 32);
      const u32 forward = joined(row.lengths[0], to_second);
      const u32 back = joined(row.lengths[1], to_first);
      link =
          row.ends[0] == vertex ? graph_link{row.ends[1], forward, back, 0} : graph_link{row.ends[0], back, forward, 0};
    }
    return has_changed;
  }

  /// Returns a link of a row, which leads to a vertex that is left or is gone.
  SIMT_DEVICE graph_link followed(u32 vertex, u32 position) const {
    graph_link link = load_link(arguments_.links + position);
    if (follow(vertex, link)) store_link(arguments_.links + position, link);
    return link;
  }

  SIMT_DEVICE surroundings look_around(u32 v, u32 begin, u32 end) const {
    surroundings around;
    u32 new_begin = end;
    for (u32 i = begin; i < end && around.count <= 2; ++i) {
      const graph_link link = followed(v, i);
      if (link.neighbour == none) continue;
      if (around.count == 0) new_begin = i;
      around.add(link);
    }
    if (new_begin != begin) simt::store(arguments_.link_begins + v, new_begin);
    return around;
  }

  /// Warp collective.
  SIMT_DEVICE surroundings look_around_together(u32 v, u32 begin, u32 end) const {
    surroundings around;
    u32 new_begin = end;
    for (u32 i = begin; i < end && around.count <= 2; i += simt::warp_size) {
      graph_link link{none, none, none, 0};
      if (i + simt::lane() < end) link = followed(v, i + simt::lane());
      u32 pending = simt::ballot(link.neighbour != none);
      if (pending != 0 && around.count == 0) new_begin = i + simt::first_set(pending);
      while (pending != 0 && around.count <= 2) {
        const u32 neighbour = simt::shuffle(link.neighbour, simt::first_set(pending));
        const bool is_same = link.neighbour == neighbour;
        around.add(
            {neighbour, simt::warp_min(is_same ? link.away : none), simt::warp_min(is_same ? link.back : none), 0});
        pending &= ~simt::ballot(is_same);
      }
    }
    if (simt::lane() == 0 && new_begin != begin) simt::store(arguments_.link_begins + v, new_begin);
    return around;
  }

  /// Counts the neighbours of each vertex that is left, and notes them if there are at most two.
  /// @param breaks_cycles  makes vertices of cycles ends of chains
  SIMT_DEVICE void classify(bool breaks_cycles) const {
    const auto note = [this, breaks_cycles](u32 v, const surroundings& around) {
      u32 state = lesser(around.count, branch);
      if (breaks_cycles && state == inner && v < around.first.neighbour && v < around.second.neighbour) state = branch;
      set_state(v, state);
      if (state == leaf || state == inner) store_link(side(0, 0, v), around.first);
      if (state == inner) store_link(side(0, 1, v), around.second);
    };
    for_each_row([&](u32 v, u32 begin, u32 end) { note(v, look_around(v, begin, end)); },
                 [&](u32 v, u32 begin, u32 end) {
                   const surroundings around = look_around_together(v, begin, end);
                   if (simt::lane() == 0) note(v, around);
                 });
  }

  /// Returns what a side of an inner vertex sees after a jump.
  SIMT_DEVICE graph_link jumped(u32 v, const graph_link& seen, u32 buffer) const {
    if (state_of(seen.neighbour) != inner) return seen;
    graph_link next = load_link(side(buffer, 0, seen.neighbour));
    if (next.neighbour == v) next = load_link(side(buffer, 1, seen.neighbour));
    return {next.neighbour, joined(seen.away, next.away), joined(next.back, seen.back), 0};
  }

  /// @param ended  counts vertices that this thread has eliminated
  SIMT_DEVICE void note_eliminated(u32 step, u32 ended) const {
    ended = simt::warp_add(ended);
    if (ended != 0 && simt::lane() == 0) {
      simt::reduce_add<order::relaxed, scope::device>(&arguments_.control->eliminated[step], ended);
    }
  }

  SIMT_DEVICE bool eliminate_chains(u32 step, bool breaks_cycles) {
    reduction_control* const control = arguments_.control;
    classify(breaks_cycles);
    if (!meet()) return false;
    u32 buffer = 0;
    bool goes_on = true;
    for (u32 jump = 0; goes_on; ++jump, ++jumps_) {
      u32* const unfinished = &control->unfinished[jumps_ % 4];
      for_each_vertex([&](u32 v) {
        if (state_of(v) != inner) return;
        for (u32 i = 0; i < 2; ++i) {
          const graph_link seen = jumped(v, load_link(side(buffer, i, v)), buffer);
          store_link(side(1 - buffer, i, v), seen);
          if (state_of(seen.neighbour) == inner) simt::store_atomic<order::relaxed, scope::device>(unfinished, 1u);
        }
      });
      if (is_leader()) {
        simt::store_atomic<order::relaxed, scope::device>(&control->unfinished[(jumps_ + 2) % 4], 0u);
      }
      if (!meet()) return false;
      buffer = 1 - buffer;
      // By now, the distance is that of all vertices: only cycles have no ends.
      goes_on =
          simt::load_atomic<order::relaxed, scope::device>(unfinished) != 0 && (2ull << jump) <= arguments_.vertices;
    }
    u32 ended = 0;
    for_each_vertex([&](u32 v) {
      if (state_of(v) != inner) return;
      const graph_link first = load_link(side(buffer, 0, v));
      const graph_link second = load_link(side(buffer, 1, v));
      if (state_of(first.neighbour) == inner) {
        simt::store_atomic<order::relaxed, scope::device>(&control->has_cycles[step], 1u);
        return;
      }
      remove(v, step, chain_mark | inner, first, second);
      ++ended;
    });
    note_eliminated(step, ended);
    return meet();
  }

  SIMT_DEVICE bool eliminate_leaves(u32 step) {
    classify(false);
    if (!meet()) return false;
    u32 ended = 0;
    for_each_vertex([&](u32 v) {
      const u32 state = state_of(v);
      if (state != leaf && state != isolated) return;
      graph_link link{none, none, none, 0};
      if (state == leaf) {
        link = load_link(side(0, 0, v));
        // One of two leaves that are connected stays.
        if (number_of_neighbours(link.neighbour) == leaf && v < link.neighbour) return;
      }
      remove(v, step, state, link, {none, none, none, 0});
      ++ended;
    });
    note_eliminated(step, ended);
    return meet();
  }

  /// Returns this even for a vertex that another thread is eliminating.
  SIMT_DEVICE u32 number_of_neighbours(u32 v) const { return state_of(v) & branch; }

  SIMT_DEVICE void remove(u32 v, u32 step, u32 marks, const graph_link& first, const graph_link& second) const {
    set_row(v, {{first.neighbour, second.neighbour}, {first.back, second.back}});
    simt::store(arguments_.returns + v, pack(first.away, second.away));
    set_state(v, eliminated_mark | marks | step << step_shift);
  }

  SIMT_DEVICE u32 eliminated_in(u32 step) const {
    return simt::load_atomic<order::relaxed, scope::device>(&arguments_.control->eliminated[step]);
  }

  SIMT_DEVICE bool eliminate() {
    u32 remaining = arguments_.vertices;
    bool has_cycles = false;
    bool goes_on = true;
    for (; goes_on && steps_ + 2 <= most_reduction_steps; steps_ += 2) {
      if (!eliminate_chains(steps_, has_cycles) || !eliminate_leaves(steps_ + 1)) return false;
      has_cycles = simt::load_atomic<order::relaxed, scope::device>(&arguments_.control->has_cycles[steps_]) != 0;
      const u32 ended = eliminated_in(steps_) + eliminated_in(steps_ + 1);
      // Graphs exist in which each pair of steps finds only a few vertices.
      goes_on = has_cycles || (ended != 0 && (remaining <= small_graph || ended >= remaining / least_share));
      remaining -= ended;
    }
    return true;
  }

  SIMT_DEVICE bool number_core() {
    return scan([this](u32 v) { return is_left(v) ? 1u : 0u; },
                [this](u32 v, u32 before, u32 total) {
                  const bool stays = is_left(v);
                  simt::store(arguments_.places + v, stays ? core_place | before : 0u);
                  if (stays) set_row(v, {{before, total}, {0, 0}});
                  if (v == 0) simt::store(&arguments_.control->core_vertices, total);
                });
  }

  /// Replaces the ends of eliminated vertices by vertices of the core.
  SIMT_DEVICE bool replace_ends() {
    const u32 core_size = simt::load(&arguments_.control->core_vertices);
    for (u32 step = steps_; step-- > 0;) {
      for_each_vertex([&](u32 v) {
        const u32 state = state_of(v);
        if ((state & eliminated_mark) == 0 || (state & ~(eliminated_mark | chain_mark)) >> step_shift != step) return;
        const fill_row row = row_of(v);
        fill_row result{{core_size, core_size}, {0, 0}};
        for (u32 i = 0; i < 2; ++i) {
          if (row.ends[i] == none || row.lengths[i] == none) continue;
          const fill_row of_end = row_of(row.ends[i]);
          for (u32 k = 0; k < 2; ++k) {
            const u32 length = joined(of_end.lengths[k], row.lengths[i]);
            if (of_end.ends[k] != core_size) add_end(result, of_end.ends[k], length, core_size);
          }
        }
        set_row(v, result);
      });
      if (!meet()) return false;
    }
    return true;
  }

  /// There are never more than two ends.
  SIMT_DEVICE static void add_end(fill_row& row, u32 end, u32 length, u32 free_end) {
    const u32 i = row.ends[0] == free_end || row.ends[0] == end ? 0 : 1;
    row.lengths[i] = row.ends[i] == end ? lesser(row.lengths[i], length) : length;
    row.ends[i] = end;
  }

  SIMT_DEVICE u32 number_of(u32 v) const { return simt::load(arguments_.places + v) & ~core_place; }

  /// Makes rows of edges, numbers in the core and weights, in place of the rows of links of the core. Of parallel edges
  /// in short rows, which become sorted, only the shortest stays.
  SIMT_DEVICE bool make_core_rows() {
    reduction_control* const control = arguments_.control;
    bool has_long_chain = false;
    const auto edge_of = [&](u32 v, u32 position) {
      graph_link link = followed(v, position);
      if (link.neighbour == none || link.away == none) return graph_link{none, none, none, 0};
      has_long_chain |= link.away > arguments_.largest_weight;
      return graph_link{number_of(link.neighbour), link.away, none, 0};
    };
    for_each_row(
        [&](u32 v, u32 begin, u32 end) {
          u32 count = 0;
          for (u32 i = begin; i < end; ++i) {
            const graph_link edge = edge_of(v, i);
            if (edge.neighbour != none) count += insert(arguments_.links + begin, count, edge);
          }
          simt::store(arguments_.link_ends + v, begin + count);
        },
        [&](u32 v, u32 begin, u32 end) {
          u32 place = begin;
          for (u32 i = begin; i < end; i += simt::warp_size) {
            graph_link edge{none, none, none, 0};
            if (i + simt::lane() < end) edge = edge_of(v, i + simt::lane());
            const u32 writers = simt::ballot(edge.neighbour != none);
            simt::sync_warp();
            if (edge.neighbour != none) {
              store_link(arguments_.links + place + simt::popcount(writers & simt::lanes_below()), edge);
            }
            place += simt::popcount(writers);
          }
          if (simt::lane() == 0) simt::store(arguments_.link_ends + v, place);
        });
    if (has_long_chain) simt::store_atomic<order::relaxed, scope::device>(&control->has_long_chain, 1u);
    if (!meet()) return false;
    const auto edges_of = [this](u32 v) {
      return is_left(v) ? simt::load(arguments_.link_ends + v) - simt::load(arguments_.link_begins + v) : 0;
    };
    return scan(edges_of, [&](u32 v, u32 before, u32 total) {
      if (is_left(v)) simt::store(arguments_.core_offsets + number_of(v), before);
      if (v != 0) return;
      simt::store(&control->core_edges, total);
      simt::store(arguments_.core_offsets + simt::load(&control->core_vertices), total);
    });
  }

  /// Inserts an edge into a sorted row. @return the number of edges by which the row has grown
  SIMT_DEVICE static u32 insert(graph_link* row, u32 count, const graph_link& edge) {
    u32 place = count;
    while (place > 0 && load_link(row + place - 1).neighbour >= edge.neighbour) --place;
    if (place < count) {
      const graph_link next = load_link(row + place);
      if (next.neighbour == edge.neighbour) {
        if (edge.away < next.away) store_link(row + place, edge);
        return 0;
      }
    }
    for (u32 i = count; i > place; --i) store_link(row + i, load_link(row + i - 1));
    store_link(row + place, edge);
    return 1;
  }

  const reduce_arguments& arguments_;
  reduction_words* words_;
  u64 meetings_ = 0;
  u32 steps_ = 0;
  u32 jumps_ = 0;  ///< of all steps
};

}  // namespace mlmq

SIMT_KERNEL(reduce_graph, mlmq::reduce_arguments) {
  mlmq::graph_reducer reducer(arguments, reinterpret_cast<mlmq::reduction_words*>(simt::shared_memory()));
  if (arguments.core_edges == nullptr) {
    reducer.run();
  } else {
    reducer.copy_core();
  }
}
