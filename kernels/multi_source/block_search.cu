// SPDX-License-Identifier: Apache-2.0
// Shortest paths from many sources: each block repeatedly takes the next search that has not started, and runs it alone
// with near and far piles (Davidson, Baxter, Garland, Owens 2014). A single search has little parallelism and waits for
// memory; many concurrent searches hide that latency.
//
// A round expands the frontier; a vertex that becomes nearer joins the next frontier if it is below the threshold, else
// the far pile. When the frontier is empty, all distances below the threshold are final: the threshold rises to Δ above
// the least of the far pile. The thread that shortens a vertex's distance pushes the vertex, once per shortening.
//
// Distances are read through the multiprocessor's own cache, because only this block writes them. Elements and
// thresholds contain keys of distances; for 8-byte distances these are the upper halves (distance_width.cuh).
#include "multi_source/answer.cuh"
#include "multi_source/block_worker.cuh"
#include "multi_source/frontier.cuh"
#include "multi_source/packed_rows.cuh"
#include "multi_source/rows.cuh"

namespace mlmq::multi_source {

/// Mark in an element: the vertex's row is long and is relaxed by a whole warp, or it is not among the packed rows.
inline constexpr u32 long_mark = 0x80000000u;

class block_search : block_worker<multi_source_arguments, block_search_words> {
 public:
  SIMT_DEVICE block_search(const multi_source_arguments& arguments, block_search_words* words, frontier& open,
                           counters& counts)
      : block_worker(arguments, words, counts), open_(open) {}

  /// Runs searches until none is left; called by all threads of the block.
  SIMT_DEVICE void run() {
    if (simt::thread_in_block() == 0) {
      set_deadline();
      simt::store(&words_->raises, 0u);
    }
    while (begin()) {
      u32 round = 0;
      bool continues = true;
      while (continues) {
        const u32 count = open_.count(round);
        if (count != 0) {
          expand(round, count);
          ++round;
          simt::sync_block();
          continues = round % 64 != 0 || !is_stopped();
        } else {
          continues = raise_threshold(round);
        }
      }
      if (simt::load(&words_->stop) != 0) return;
      finish();
    }
  }

 private:
  /// Returns the address where the distances of the search are kept.
  SIMT_DEVICE word* stored_row() const {
    return words_at(arguments_.stored_distances) + u64{search()} * arguments_.vertices;
  }

  /// Called by one thread. @return the next search; arguments_.searches or more: none is left
  SIMT_DEVICE u32 next_search() {
    const u32 turn = claim();
    const bool has_order = arguments_.search_order != nullptr && turn < arguments_.searches;
    return has_order ? simt::load_readonly(arguments_.search_order + turn) : turn;
  }

  /// @return false if no search is left
  SIMT_DEVICE bool begin() {
    const auto reset = [&] {
      simt::store(&words_->digest, u64{0});
      simt::store(&words_->reached, 0u);
      simt::store(&words_->farthest, 0u);
    };
    take_search([&] { return next_search(); }, reset);
    if (search() >= arguments_.searches || simt::load(&words_->stop) != 0) return false;
    // If the device numbers vertices differently, kept distances are permuted at the end.
    const bool in_place = !has_core && arguments_.stored_distances != nullptr && arguments_.graph_vertices == nullptr;
    distances_ =
        in_place ? stored_row() : words_at(arguments_.distances) + u64{simt::block_index()} * arguments_.vertices;
    for (u32 v = simt::thread_in_block(); v < arguments_.vertices; v += simt::block_threads())
      simt::store(distances_ + v, width::none);
    simt::sync_block();
    if constexpr (has_core) {
      begin_in_core();
    } else if (simt::thread_in_block() == 0) {
      const u32 source = simt::load_readonly(arguments_.sources + search());
      simt::store(distances_ + source, word{0});
      open_.begin(source);
    }
    threshold_ = arguments_.delta;
    simt::sync_block();
    return true;
  }

  SIMT_DEVICE void expand(u32 round, u32 count) {
    if (simt::thread_in_block() == 0) {
      open_.clear_after(round);
      counts_.add(counter::supersteps, 1);
    }
    const u32 warp_first = simt::warp_in_block() * simt::warp_size;
    for (u32 i = warp_first; i < count; i += simt::block_threads()) {
      const bool valid = i + simt::lane() < count;
      element e = make_element(no_edge, 0);
      if (valid) e = open_.element_at(round, i + simt::lane());
      const u32 place = vertex_of(e);
      const bool is_short = (place & long_mark) == 0;
      if (is_short) counts_.add(counter::pops, 1);
      if constexpr (has_packed_rows) {
        expand_packed(round + 1, place, distance_of(e), is_short);
      } else if constexpr (ell_width != 0) {
        expand_in_place(round + 1, place, distance_of(e), is_short);
      } else {
        word row_distance = width::from_key(distance_of(e));
        const bool valid = is_short && !is_stale(place, distance_of(e), row_distance);
        expand_between_bounds(round + 1, place, row_distance, valid);
      }
    }
    if (open_.has_long(round)) expand_long(round, count);
  }

  /// Warp collective: relaxes the elements of the frontier that are marked as long, one after the other, each with all
  /// lanes. It is a separate function because the frequent code has no registers to spare for it.
  SIMT_DEVICE void expand_long(u32 round, u32 count) {
    const auto* const offsets = static_cast<const u32*>(arguments_.offsets);
    const auto* const edge_words = static_cast<const edges::word*>(arguments_.edges);
    const u32 warp_first = simt::warp_in_block() * simt::warp_size;
    for (u32 i = warp_first; i < count; i += simt::block_threads()) {
      element e = 0;
      if (i + simt::lane() < count) e = open_.element_at(round, i + simt::lane());
      bool is_long = (vertex_of(e) & long_mark) != 0;
      if constexpr (has_packed_rows) is_long = expand_unpacked(round + 1, e, is_long);
      for (u32 pending_lanes = simt::ballot(is_long); pending_lanes != 0; pending_lanes &= pending_lanes - 1) {
        const element row = simt::shuffle(e, simt::first_set(pending_lanes));
        const u32 vertex = vertex_of(row) & ~long_mark;
        const u32 end = simt::load_readonly(offsets + vertex + 1);
        word row_distance = width::from_key(distance_of(row));
        if constexpr (!width::has_exact_keys) row_distance = simt::load_of_block(distances_ + vertex);
        for (u32 k = simt::load_readonly(offsets + vertex); k < end; k += chunk_edges * simt::warp_size) {
          relax(round + 1, row_distance, load_chunk(edge_words, k + simt::lane(), simt::warp_size, end));
        }
      }
    }
  }

  /// Warp collective: relaxes rows that are not packed, one per lane. @return whether this lane's row is long, and has
  /// yet to be relaxed
  SIMT_DEVICE bool expand_unpacked(u32 next, element e, bool valid) {
    const auto* const offsets = static_cast<const u32*>(arguments_.offsets);
    const auto* const edge_words = static_cast<const edges::word*>(arguments_.edges);
    u32 begin = 0;
    u32 end = 0;
    if (valid) {
      begin = simt::load_readonly(offsets + (vertex_of(e) & ~long_mark));
      end = simt::load_readonly(offsets + (vertex_of(e) & ~long_mark) + 1);
    }
    const bool is_long = end - begin >= heavy_degree;
    if (is_long) end = begin;
    const u32 longest = simt::warp_max(end - begin);
    const word row_distance = width::from_key(distance_of(e));
    for (u32 i = 0; i < longest; i += chunk_edges) relax(next, row_distance, load_chunk(edge_words, begin + i, 1, end));
    return is_long;
  }

  /// Warp collective: relaxes packed rows, one per lane; rows that do not fit become elements of the next round. Only
  /// for 4-byte distances, whose keys are the distances.
  SIMT_DEVICE void expand_packed(u32 next, u32 vertex, u32 key, bool valid) {
    static_assert(!has_packed_rows || width::has_exact_keys, "weights of 8 bytes cannot be packed");
    const auto* const words = static_cast<const u32*>(arguments_.ell_rows) + u64{vertex} * ell_width;
    word row_distance = width::from_key(key);
    bool unpacked = false;
    for (u32 begin = 0; begin < ell_width; begin += chunk_edges) {
      edge_chunk chunk = {};
      if (valid) {
        chunk = load_packed_chunk(words + begin, vertex, arguments_.packed_weight_bits);
        if (begin == 0) {
          // Loaded after the row, so that both loads are in flight together.
          valid = !is_stale(vertex, key, row_distance);
          unpacked = valid && is_unpacked(chunk);
          if (!valid) chunk.valid = 0;
        }
      }
      relax(next, row_distance, chunk);
    }
    if (!simt::any(unpacked)) return;
    const u32 row[1] = {vertex | long_mark};
    const u32 length[1] = {key};
    open_.push(next, row, length, unpacked ? 1u : 0u, unpacked ? 1u : 0u);
    if (unpacked) open_.set_long(next);
  }

  /// @param row_distance set to the distance from which the vertex is to be expanded
  SIMT_DEVICE bool is_stale(u32 vertex, u32 key, word& row_distance) {
    const word current = simt::load_of_block(distances_ + vertex);
    row_distance = width::reached(row_distance, current);
    if (!width::is_outdated(current, key)) return false;
    counts_.add(counter::stale_pops, 1);
    return true;
  }

  /// Warp collective: expands rows in place, of vertices or overflow rows. An overflow row that continues a row becomes
  /// an element of the next round: following it here would take registers from the common case.
  SIMT_DEVICE void expand_in_place(u32 next, u32 row, u32 key, bool valid) {
    word row_distance = width::from_key(key);
    const edges::word* const words = static_cast<const edges::word*>(arguments_.ell_rows) + u64{row} * ell_width;
    u32 rest[1] = {no_edge};
    for (u32 begin = 0; begin < ell_width; begin += chunk_edges) {
      edge_chunk chunk = {};
      if (valid) {
        chunk = load_chunk(words + begin);
        rest[0] = edges::target(chunk.words[chunk_edges - 1]);
        if (begin == 0) {
          // Loaded after the row, so that both loads are in flight together. Only vertices have distances.
          if (row < arguments_.vertices && is_stale(row, key, row_distance)) {
            valid = false;
            chunk.valid = 0;
            rest[0] = no_edge;
          } else if (edges::target(chunk.words[0]) == long_row) {
            valid = false;
            rest[0] = row | long_mark;
          } else if (ell_width == chunk_edges) {
            rest[0] = overflow_row_of(rest[0]);
          }
        } else if (begin + chunk_edges == ell_width) {
          rest[0] = overflow_row_of(rest[0]);
        }
      }
      relax(next, row_distance, chunk);
    }
    const u32 length[1] = {key};
    const u32 continues = rest[0] != no_edge ? 1u : 0u;
    if (!simt::any(continues != 0)) return;
    open_.push(next, rest, length, continues, continues);
    if (rest[0] != no_edge && (rest[0] & long_mark) != 0) open_.set_long(next);
  }

  /// Returns the overflow row that the last word of a row names; no_edge: none.
  SIMT_DEVICE static u32 overflow_row_of(u32 target) {
    return (target & continuation) != 0 && target != no_edge ? target & ~continuation : no_edge;
  }

  /// Warp collective: expands rows between their bounds, one per lane; long rows become elements of the next round.
  SIMT_DEVICE void expand_between_bounds(u32 next, u32 vertex, word row_distance, bool valid) {
    const auto* const offsets = static_cast<const u32*>(arguments_.offsets);
    const auto* const edge_words = static_cast<const edges::word*>(arguments_.edges);
    u32 begin = 0;
    u32 end = 0;
    if (valid) {
      begin = simt::load_readonly(offsets + vertex);
      end = simt::load_readonly(offsets + vertex + 1);
    }
    const bool is_long = end - begin >= heavy_degree;
    if (simt::any(is_long)) {
      const u32 row[1] = {vertex | long_mark};
      const u32 length[1] = {width::key_of(row_distance)};
      open_.push(next, row, length, is_long ? 1u : 0u, is_long ? 1u : 0u);
      if (is_long) open_.set_long(next);
    }
    if (is_long) end = begin;
    const u32 longest = simt::warp_max(end - begin);
    for (u32 i = 0; i < longest; i += chunk_edges) relax(next, row_distance, load_chunk(edge_words, begin + i, 1, end));
  }

  /// Warp collective.
  /// @param row_distance distance of the vertex that the edges start from
  SIMT_DEVICE void relax(u32 next, word row_distance, const edge_chunk& chunk) {
    u32 targets[chunk_edges];
    word lengths[chunk_edges];
    word before[chunk_edges];
    u32 keys[chunk_edges];
    u32 shorter = 0;
    for (u32 i = 0; i < chunk_edges; ++i) {
      targets[i] = edges::target(chunk.words[i]);
      lengths[i] = distance::extend(row_distance, edges::weight(chunk.words[i]));
      keys[i] = width::key_of(lengths[i]);
      before[i] = 0;
      if ((chunk.valid >> i & 1) != 0) before[i] = simt::load_of_block(distances_ + targets[i]);
    }
    for (u32 i = 0; i < chunk_edges; ++i) {
      if (lengths[i] < before[i] && lengths[i] <= cutoff_of(arguments_)) shorter |= 1u << i;
    }
    // All accesses are in flight before the first result is used.
    for (u32 i = 0; i < chunk_edges; ++i) {
      if ((shorter >> i & 1) != 0) {
        before[i] = simt::atomic_min<order::relaxed, scope::device>(distances_ + targets[i], lengths[i]);
      }
    }
    counts_.add(counter::relaxations, simt::popcount(chunk.valid));
    counts_.add(counter::distance_atomics, simt::popcount(shorter));
    u32 near = 0;
    for (u32 i = 0; i < chunk_edges; ++i) {
      if (before[i] <= lengths[i]) shorter &= ~(1u << i);
      if (keys[i] < threshold_) near |= 1u << i;
    }
    counts_.add(counter::updates, simt::popcount(shorter));
    open_.push(next, targets, keys, near & shorter, shorter);
  }

  /// Returns how often the block's thresholds have risen; equal in all its threads between two barriers.
  SIMT_DEVICE u32 count_raise() {
    if (simt::thread_in_block() == 0) simt::store(&words_->raises, simt::load(&words_->raises) + 1);
    simt::sync_block();
    return simt::load(&words_->raises);
  }

  /// Called by all threads when the frontier is empty. @return whether the search continues
  SIMT_DEVICE bool raise_threshold(u32 round) {
    const u32 far = open_.far_count();
    const u32 far_min = simt::load(&words_->far_min);
    // Checked only sometimes, because it takes longer than the rest of this function.
    if (far == 0 || are_settled() || (count_raise() % 16 == 0 && is_stopped())) return false;
    const u64* const far_pile = open_.far_pile();
    threshold_ = distance::extend(far_min, arguments_.delta);
    if (threshold_ <= far_min) threshold_ = far_min + 1;
    simt::sync_block();
    if (simt::thread_in_block() == 0) {
      open_.swap_far_piles();
      counts_.add(counter::bucket_switches, 1);
    }
    simt::sync_block();
    const u32 warp_first = simt::warp_in_block() * simt::warp_size;
    for (u32 i = warp_first; i < far; i += simt::block_threads()) {
      u32 vertex[1] = {0};
      u32 length[1] = {0};
      bool live = i + simt::lane() < far;
      if (live) {
        const element e = simt::load(far_pile + i + simt::lane());
        vertex[0] = vertex_of(e);
        length[0] = distance_of(e);
        live = !width::is_outdated(simt::load_of_block(distances_ + vertex[0]), length[0]);
        if (live) counts_.add(counter::resplits, 1);
      }
      const bool near = live && length[0] < threshold_;
      open_.push(round, vertex, length, near ? 1u : 0u, live ? 1u : 0u);
    }
    simt::sync_block();
    return true;
  }

  /// The vertices whose distances end a search.
  SIMT_DEVICE const u32* final_targets() const {
    if constexpr (has_core) return core_arguments().end_targets;
    return arguments_.targets;
  }
  SIMT_DEVICE u32 final_target_count() const {
    if constexpr (has_core) return core_arguments().end_target_count;
    return arguments_.target_count;
  }

  /// Called by all threads: returns whether there are targets and the distances of all of them are final.
  SIMT_DEVICE bool are_settled() {
    if (final_target_count() == 0) return false;
    if (simt::thread_in_block() == 0) simt::store(&words_->open, 0u);
    simt::sync_block();
    bool open = false;
    for (u32 i = simt::thread_in_block(); i < final_target_count() && !open; i += simt::block_threads()) {
      open = width::key_of(simt::load_of_block(distances_ + simt::load_readonly(final_targets() + i))) >= threshold_;
    }
    if (open) simt::store_atomic<order::relaxed, scope::block>(&words_->open, 1u);
    simt::sync_block();
    return simt::load(&words_->open) == 0;
  }

  /// Called by all threads: writes the answer. Distances that are not final, because all targets were settled earlier,
  /// count as unreached.
  SIMT_DEVICE void finish() {
    const bool has_targets = arguments_.target_count != 0;
    simt::sync_block();
    if constexpr (has_core) {
      if (core_arguments().outer_size != 0) fill_outer_core();
    }
    for (u32 i = simt::thread_in_block(); has_targets && i < arguments_.target_count; i += simt::block_threads()) {
      const u32 target = simt::load_readonly(arguments_.targets + i);
      word target_distance;
      if constexpr (has_core) {
        target_distance = filled(target);
      } else {
        target_distance = simt::load(distances_ + target);
      }
      simt::store(words_at(arguments_.target_distances) + u64{search()} * arguments_.target_count + i, target_distance);
    }
    if constexpr (has_core) {
      if (has_targets) lower_targets();
    }
    const partial_answer sum = sum_of_warp(has_targets ? partial_answer() : own_answer());
    if (simt::lane() == 0) {
      simt::atomic_add<order::relaxed, scope::block>(&words_->digest, sum.digest);
      simt::atomic_add<order::relaxed, scope::block>(&words_->reached, sum.reached);
    }
    if (simt::lane() == 0) raise_to<scope::block>(&words_->farthest, sum.farthest);
    simt::sync_block();
    if (simt::thread_in_block() != 0) return;
    multi_source_answer* const answer = arguments_.answers + search();
    simt::store(&answer->digest, simt::load(&words_->digest));
    simt::store(&answer->reached, simt::load(&words_->reached));
    simt::store(&answer->farthest, simt::load(&words_->farthest));
  }

  /// Returns this thread's part of the answer, by the graph's numbers. Also writes the distances that are kept.
  SIMT_DEVICE partial_answer own_answer() {
    if constexpr (has_core) return answer_from_core();
    partial_answer answer;
    if (arguments_.graph_vertices == nullptr) {
      for (u32 v = simt::thread_in_block(); v < arguments_.vertices; v += simt::block_threads()) {
        answer.add(v, simt::load(distances_ + v));
      }
    } else if (arguments_.stored_distances == nullptr) {
      for (u32 v = simt::thread_in_block(); v < arguments_.vertices; v += simt::block_threads()) {
        answer.add(simt::load_readonly(arguments_.graph_vertices + v), simt::load(distances_ + v));
      }
    } else {
      word* const row = stored_row();
      for (u32 v = simt::thread_in_block(); v < arguments_.vertices; v += simt::block_threads()) {
        const word vertex_distance = simt::load(distances_ + simt::load_readonly(arguments_.device_vertices + v));
        answer.add(v, vertex_distance);
        simt::store(row + v, vertex_distance);
      }
    }
    return answer;
  }

  // Searches of the core of a reduced graph, whose distances are integers.

  SIMT_DEVICE const core_search_arguments& core_arguments() const {
    return static_cast<const core_search_arguments&>(arguments_);
  }

  SIMT_DEVICE void begin_in_core() {
    if (simt::thread_in_block() != 0) return;
    const core_search* const start = core_arguments().core_searches + search();
    open_.begin();
    const u32 end = simt::load_readonly(&start->seeds_end);
    for (u32 i = simt::load_readonly(&start->seeds_begin); i < end; ++i) {
      const u32 vertex = simt::load_readonly(&core_arguments().seeds[i].vertex);
      const u32 distance = simt::load_readonly(&core_arguments().seeds[i].distance);
      simt::store(distances_ + vertex, word{distance});
      open_.add(vertex, distance, distance < arguments_.delta);
    }
  }

  /// The distances of a core from which others are filled in.
  struct core_distances {
    const word* words;
    u32 size;
    u32 offset;

    SIMT_DEVICE u32 over(u32 end, u32 length) const {
      if (end == size) return ~0u;
      const word of_end = simt::load(words + end);
      if (of_end == width::none) return ~0u;
      return integer_distance::extend(integer_distance::extend(static_cast<u32>(of_end), offset), length);
    }
    SIMT_DEVICE u32 over(const fill_row* rows) const {
      const simt::quad row = simt::load_readonly_quad(rows);
      const u32 first = over(row.x, row.z);
      const u32 second = over(row.y, row.w);
      return first < second ? first : second;
    }
  };

  [[nodiscard]] SIMT_DEVICE const core_search& start() const { return core_arguments().core_searches[search()]; }
  [[nodiscard]] SIMT_DEVICE word* outer_distances() const {
    return words_at(core_arguments().outer_distances) + u64{simt::block_index()} * core_arguments().outer_size;
  }

  /// Called by all threads: computes the distances of the outer core.
  SIMT_DEVICE void fill_outer_core() const {
    const u32 count = core_arguments().rows_per_vertex;
    const core_distances of_core{distances_, arguments_.vertices, simt::load_readonly(&start().outer.offset)};
    word* const outer = outer_distances();
    for (u32 v = simt::thread_in_block(); v < core_arguments().outer_size; v += simt::block_threads()) {
      u32 least = ~0u;
      for (u32 i = 0; i < count; ++i) {
        const u32 distance = of_core.over(core_arguments().outer_rows + u64{v} * count + i);
        if (distance < least) least = distance;
      }
      simt::store(outer + v, least == ~0u ? width::none : word{least});
    }
    simt::sync_block();
    for_each_inside(start().outer, [&](u32 v, u32 length) {
      if (length < simt::load(outer + v)) simt::store(outer + v, word{length});
    });
    simt::sync_block();
  }

  /// Returns the distance of a vertex of the graph by paths from the core.
  SIMT_DEVICE u32 filled(u32 vertex) const {
    core_distances of_core{distances_, arguments_.vertices, simt::load_readonly(&start().of_graph.offset)};
    if (core_arguments().outer_size != 0) {
      of_core.words = outer_distances();
      of_core.size = core_arguments().outer_size;
    }
    return limited(of_core.over(core_arguments().fill_rows + vertex));
  }
  SIMT_DEVICE u32 limited(u32 distance) const { return distance <= arguments_.cutoff ? distance : ~0u; }

  /// Calls visit(vertex, length) for the paths inside the fragment of the source; with targets, with the numbers of
  /// those of the graph.
  template <class Visit>
  SIMT_DEVICE void for_each_inside(const core_start& start, const Visit& visit) const {
    const u32 end = simt::load_readonly(&start.inside_end);
    u32 i = simt::load_readonly(&start.inside_begin) + simt::thread_in_block();
    for (; i < end; i += simt::block_threads()) {
      visit(simt::load_readonly(&core_arguments().inside[i].vertex),
            limited(simt::load_readonly(&core_arguments().inside[i].length)));
    }
  }

  /// Called by all threads.
  SIMT_DEVICE void lower_targets() const {
    simt::sync_block();
    for_each_inside(start().of_graph, [this](u32 number, u32 length) {
      word* const place = words_at(arguments_.target_distances) + u64{search()} * arguments_.target_count + number;
      if (length < simt::load(place)) simt::store(place, word{length});
    });
  }

  /// Called by all threads: like own_answer(). Vertices of the source's fragment are marked, and only the second pass
  /// adds them.
  SIMT_DEVICE partial_answer answer_from_core() const {
    partial_answer answer;
    u32* const marks =
        core_arguments().inside_marks + u64{simt::block_index()} * ((core_arguments().graph_size + 31) / 32);
    word* const row = arguments_.stored_distances == nullptr
                          ? nullptr
                          : words_at(arguments_.stored_distances) + u64{search()} * core_arguments().graph_size;
    const auto add = [&](u32 v, u32 distance) {
      answer.add(v, word{distance});
      if (row != nullptr) simt::store(row + v, word{distance});
    };
    for_each_inside(start().of_graph,
                    [&](u32 v, u32) { simt::atomic_or<order::relaxed, scope::device>(marks + v / 32, 1u << v % 32); });
    simt::sync_block();
    for (u32 v = simt::thread_in_block(); v < core_arguments().graph_size; v += simt::block_threads()) {
      if ((simt::load_of_block(marks + v / 32) >> v % 32 & 1) == 0) add(v, filled(v));
    }
    for_each_inside(start().of_graph, [&](u32 v, u32 length) {
      const u32 distance = filled(v);
      add(v, length < distance ? length : distance);
    });
    simt::sync_block();
    for_each_inside(start().of_graph,
                    [&](u32 v, u32) { simt::store_atomic<order::relaxed, scope::device>(marks + v / 32, 0u); });
    return answer;
  }

  frontier& open_;
  word* distances_ = nullptr;
  u32 threshold_ = 0;  // a key
};

}  // namespace mlmq::multi_source

SIMT_KERNEL_OF_BLOCKS(block_search, mlmq::multi_source::block_search_arguments, mlmq::multi_source::blocks) {
  using namespace mlmq;
  auto* const words = reinterpret_cast<block_search_words*>(simt::shared_memory());
  auto* const near = reinterpret_cast<u64*>(simt::shared_memory() + (sizeof(block_search_words) + 15) / 16 * 16);
  multi_source::counters counts(arguments.counters);
  multi_source::frontier open(arguments, words, near);
  multi_source::block_search(arguments, words, open, counts).run();
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}
