// SPDX-License-Identifier: Apache-2.0
// Levels that are pulled (Beamer, Asanović, Patterson 2012): a vertex that has not been found looks through its
// incoming edges and stops at the first one that comes from a vertex of the level. Any vertex found before this step
// will do, because all neighbours of vertices of earlier levels have been found. So only a set of the found vertices is
// read, which is small enough for the cache. There are two sets, because vertices found in a step must not be seen in
// the same step.
//
// A warp owns a group of vertices; no other warp writes the words of the group in the sets, so no atomics are needed.
#pragma once

#include "push_pull/found_pieces.cuh"

namespace mlmq::push_pull {

class row_puller {
  using scope = simt::scope;
  using order = simt::order;
  using short_index = unsigned short;  // index of a vertex in its group

 public:
  /// @param candidates group_vertices indices in shared memory of this warp
  /// @param marks most_group_words words of shared memory of this warp
  SIMT_DEVICE row_puller(const arguments& search_arguments, short_index* candidates, u32* marks, found_pieces& output,
                         counters& counts)
      : arguments_(search_arguments),
        offsets_(static_cast<const offset*>(search_arguments.offsets)),
        in_offsets_(static_cast<const offset*>(search_arguments.in_offsets)),
        candidates_(candidates),
        marks_(marks),
        output_(output),
        counts_(counts) {}

  /// Warp collective: makes the sets of the vertices found so far, and of those that can still be found.
  /// @param warp index among the `all_warps` warps that share the work
  /// @param side index of the set of found vertices
  SIMT_DEVICE void gather(u32 warp, u32 all_warps, u32 side) const {
    const u32 words = set_words(arguments_.vertex_count);
    u32* const seen = seen_set(side);
    for (u32 word = warp; word < words; word += all_warps) {
      const u32 v = word * simt::warp_size + simt::lane();
      bool is_seen = false;
      bool is_open = false;
      if (v < arguments_.vertex_count) {
        const offset begin = simt::load_readonly(in_offsets_ + v);
        const offset end = simt::load_readonly(in_offsets_ + v + 1);
        is_seen = simt::load_atomic<order::relaxed, scope::device>(arguments_.distances + v) != unreached;
        is_open = !is_seen && begin != end;
      }
      const u32 all_seen = simt::ballot(is_seen);
      const u32 all_open = simt::ballot(is_open);
      if (simt::lane() == 0) simt::store(seen + word, all_seen);
      if (simt::lane() == 1) simt::store(arguments_.open + word, all_open);
    }
  }

  /// Warp collective: one step, from the set of `side` to the other set.
  /// @param level level of the vertices found
  SIMT_DEVICE void pull(u32 warp, u32 all_warps, u32 side, u32 level) {
    const u32 words = set_words(arguments_.vertex_count);
    const u32 even = words / (2 * all_warps);
    const u32 group = even < 1 ? 1 : even < most_group_words ? even : most_group_words;
    const in_set seen = {seen_set(side)};
    for (u64 first = static_cast<u64>(warp) * group; first < words; first += static_cast<u64>(all_warps) * group) {
      pull_group(static_cast<u32>(first), group, words, seen, side, level);
    }
  }

  /// Warp collective: one step based on the distances, which makes the set of `side`, and that of the vertices that can
  /// still be found, for the next step.
  SIMT_DEVICE void pull_first(u32 warp, u32 all_warps, u32 side, u32 level) {
    const u32 words = set_words(arguments_.vertex_count);
    const by_distance seen = {arguments_.distances, level};
    for (u32 word = warp; word < words; word += all_warps) {
      const u32 v = word * simt::warp_size + simt::lane();
      bool is_seen = false;
      bool is_open = false;
      if (v < arguments_.vertex_count) {
        is_seen = simt::load_atomic<order::relaxed, scope::device>(arguments_.distances + v) != unreached;
        is_open = !is_seen && simt::load_readonly(in_offsets_ + v) != simt::load_readonly(in_offsets_ + v + 1);
      }
      const bool is_found = has_neighbour(seen, v, is_open, level);
      const u32 all_seen = simt::ballot(is_seen || is_found);
      const u32 all_open = simt::ballot(is_open && !is_found);
      if (simt::lane() == 0) simt::store(seen_set(side) + word, all_seen);
      if (simt::lane() == 1) simt::store(arguments_.open + word, all_open);
    }
  }

 private:
  /// Test whether a vertex was found before a step, by the set of the step.
  struct in_set {
    const u32* words;
    SIMT_DEVICE u32 ask(u32 v) const { return simt::load(words + v / simt::warp_size); }
    SIMT_DEVICE bool is_yes(u32 answer, u32 v) const { return (answer >> v % simt::warp_size & 1) != 0; }
    SIMT_DEVICE static constexpr u32 no() { return 0; }
  };
  /// The same test by the distance, which other warps may be lowering to `level`.
  struct by_distance {
    const u32* distances;
    u32 level;
    SIMT_DEVICE u32 ask(u32 v) const { return simt::load_atomic<order::relaxed, scope::device>(distances + v); }
    SIMT_DEVICE bool is_yes(u32 answer, u32) const { return answer < level; }
    SIMT_DEVICE static constexpr u32 no() { return unreached; }
  };

  /// Number of edges that a lane checks by itself at a time, and number of such rounds before the whole warp helps.
  static constexpr u32 edges_at_once = 4;
  static constexpr u32 rounds_alone = 4;
  /// Edges per lane and step of a row that the whole warp checks.
  static constexpr u32 edges_together = 4;

  SIMT_DEVICE u32* seen_set(u32 side) const {
    return arguments_.seen + static_cast<u64>(side) * set_words(arguments_.vertex_count);
  }

  SIMT_DEVICE void pull_group(u32 first, u32 group, u32 words, const in_set& set, u32 side, u32 level) {
    const u32 lane = simt::lane();
    const bool has_word = lane < group && first + lane < words;
    u32 seen = 0;
    u32 open = 0;
    if (has_word) {
      seen = simt::load(seen_set(side) + first + lane);
      open = simt::load(arguments_.open + first + lane);
    }
    u32 now = 0;
    const u32 count = simt::warp_add(simt::popcount(open));
    if (count > group * (simt::warp_size / 2)) {
      for (u32 i = 0; i < group; ++i) {
        const u32 bits = simt::shuffle(open, i);
        const bool valid = (bits >> lane & 1) != 0;
        const u32 matches = simt::ballot(has_neighbour(set, (first + i) * simt::warp_size + lane, valid, level));
        if (lane == i) now = matches;
      }
    } else if (count != 0) {
      list(open);
      for (u32 position = 0; position < count; position += simt::warp_size) {
        const bool valid = position + lane < count;
        u32 index = 0;
        if (valid) index = simt::load(candidates_ + position + lane);
        if (has_neighbour(set, first * simt::warp_size + index, valid, level)) {
          simt::atomic_or<order::relaxed, scope::block>(marks_ + index / simt::warp_size,
                                                        1u << index % simt::warp_size);
        }
      }
      simt::sync_warp();
      now = simt::load_atomic<order::relaxed, scope::block>(marks_ + lane);
      simt::sync_warp();
    }
    if (has_word) {
      simt::store(seen_set(side ^ 1) + first + lane, seen | now);
      if (now != 0) simt::store(arguments_.open + first + lane, open & ~now);
    }
  }

  /// Warp collective: lists the vertices of the group's words consecutively, and clears the marks.
  SIMT_DEVICE void list(u32 open) {
    const u32 count = simt::popcount(open);
    u32 position = simt::inclusive_scan(count) - count;
    for (u32 pending_vertices = open; pending_vertices != 0; pending_vertices &= pending_vertices - 1) {
      simt::store(candidates_ + position,
                  static_cast<short_index>(simt::lane() * simt::warp_size + simt::first_set(pending_vertices)));
      ++position;
    }
    simt::store_atomic<order::relaxed, scope::block>(marks_ + simt::lane(), 0u);
    simt::sync_warp();
  }

  /// Warp collective: checks whether this lane's vertex has a neighbour in the level. If so, it is found.
  template <class Seen>
  SIMT_DEVICE bool has_neighbour(const Seen& seen, u32 v, bool valid, u32 level) {
    if (!simt::any(valid)) return false;
    u64 next = 0;
    u64 end = 0;
    if (valid) {
      next = simt::load_readonly(in_offsets_ + v);
      end = simt::load_readonly(in_offsets_ + v + 1);
      counts_.add(counter::pops, 1);
    }
    const u64 begin = next;
    bool is_found = false;
    for (u32 round = 0; round < rounds_alone && simt::any(!is_found && next < end); ++round) {
      if (!is_found && next < end) is_found = look_at<edges_at_once, 1>(seen, next, end);
      next += edges_at_once;
    }
    for (u32 pending_lanes = simt::ballot(!is_found && next < end); pending_lanes != 0;
         pending_lanes &= pending_lanes - 1) {
      const u32 owner = simt::first_set(pending_lanes);
      const bool together = look_together(seen, simt::shuffle(next, owner), simt::shuffle(end, owner));
      if (simt::lane() == owner) is_found = together;
    }
    u64 row = begin;
    u64 row_end = end;
    if (is_found) {
      simt::store_atomic<order::relaxed, scope::device>(arguments_.distances + v, level);
      if (arguments_.offsets != arguments_.in_offsets) {
        row = simt::load_readonly(offsets_ + v);
        row_end = simt::load_readonly(offsets_ + v + 1);
      }
    }
    output_.add(row, row_end, is_found);
    return is_found;
  }

  /// Warp collective: returns whether any edge between the two positions, equal on all lanes, comes from the level.
  template <class Seen>
  SIMT_DEVICE bool look_together(const Seen& seen, u64 first, u64 end) {
    for (; first < end; first += edges_together * simt::warp_size) {
      if (simt::any(look_at<edges_together, simt::warp_size>(seen, first + simt::lane(), end))) return true;
    }
    return false;
  }

  /// Checks the edges of this lane: N edges from position `first` on, `stride` apart, without those at or after `end`.
  template <u32 N, u32 stride, class Seen>
  SIMT_DEVICE bool look_at(const Seen& seen, u64 first, u64 end) {
    u32 source[N];
    u32 answer[N];
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      source[i] = 0;
      if (first + i * stride < end) {
        source[i] = simt::load_readonly(arguments_.in_edges + first + i * stride);
        counts_.add(counter::relaxations, 1);
      }
    }
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      answer[i] = Seen::no();
      if (first + i * stride < end) answer[i] = seen.ask(source[i]);
    }
    bool hit = false;
#pragma unroll
    for (u32 i = 0; i < N; ++i) hit = hit || seen.is_yes(answer[i], source[i]);
    return hit;
  }

  const arguments& arguments_;
  const offset* offsets_;
  const offset* in_offsets_;
  short_index* candidates_;
  u32* marks_;
  found_pieces& output_;
  counters& counts_;
};

}  // namespace mlmq::push_pull
