// SPDX-License-Identifier: Apache-2.0
// A warp expands pieces of rows. A target that has no level yet is found, by one atomic minimum on its distance.
// Several edges of each lane are in flight at the same time, and the row of a target is loaded together with the atomic
// that shows whether the row is needed, because a level waits for its last warp.
#pragma once

#include "push_pull/found_pieces.cuh"
#include "supersteps/dealt_edges.cuh"

namespace mlmq::push_pull {

class row_pusher {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param batch 32 words of shared memory of this warp
  SIMT_DEVICE row_pusher(const arguments& search_arguments, u64* batch, found_pieces& output, counters& counts)
      : arguments_(search_arguments),
        offsets_(static_cast<const offset*>(search_arguments.offsets)),
        batch_(batch),
        output_(output),
        counts_(counts) {}

  template <u32 N>
  struct dealt_edges {
    u64 position[N];
    bool active[N];
  };

  /// Warp collective: expands one piece of each lane with `valid`.
  /// @param level level of the vertices found
  /// @param reads whether a distance is read before it is lowered
  SIMT_DEVICE void expand(piece mine, bool valid, u32 level, bool reads) {
    if (valid) {
      counts_.add(counter::pops, 1);
      counts_.add(counter::l2_reads, 1);
    }
    const u64 begin = begin_of(mine);
    const u32 degree = valid ? edges_of(mine) : 0;
    const bool is_heavy = degree >= heavy_degree;
    for (u32 heavy = simt::ballot(is_heavy); heavy != 0; heavy &= heavy - 1) {
      const u32 owner = simt::first_set(heavy);
      expand_row(simt::shuffle(begin, owner), simt::shuffle(degree, owner), level, reads);
    }
    const auto list = [&](u64* row, u32 start) { simt::store(row, begin - start); };
    supersteps::deal_rows(batch_, is_heavy ? 0 : degree, *this, list, level, reads);
  }

  /// Finds an edge. @param row position of the row's first edge, less its number
  template <u32 N>
  SIMT_DEVICE void find(dealt_edges<N>& dealt, u32 i, const u64* row, u32 edge) const {
    dealt.position[i] = simt::load(row) + edge;
  }

  /// Issues each kind of access for all edges before the next kind, which needs the result.
  template <u32 N>
  SIMT_DEVICE void relax(const dealt_edges<N>& dealt, u32 level, bool reads) {
    u32 target[N];
    bool tries[N];
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      tries[i] = dealt.active[i];
      target[i] = 0;
      if (tries[i]) {
        target[i] = simt::load_readonly(arguments_.edges + dealt.position[i]);
        counts_.add(counter::relaxations, 1);
      }
    }
    if (reads) {
      u32 distances[N];
#pragma unroll
      for (u32 i = 0; i < N; ++i) {
        distances[i] = 0;
        if (tries[i]) distances[i] = simt::load_atomic<order::relaxed, scope::device>(arguments_.distances + target[i]);
      }
#pragma unroll
      for (u32 i = 0; i < N; ++i) tries[i] = distances[i] == unreached;
      // In dense graphs most targets have been found long ago.
      bool any_tries = false;
#pragma unroll
      for (u32 i = 0; i < N; ++i) any_tries = any_tries || tries[i];
      if (!simt::any(any_tries)) return;
    }
    offset begin[N];
    offset end[N];
    u32 old[N];
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      begin[i] = 0;
      end[i] = 0;
      old[i] = 0;
      if (tries[i]) {
        begin[i] = simt::load_readonly(offsets_ + target[i]);
        end[i] = simt::load_readonly(offsets_ + target[i] + 1);
        old[i] = simt::atomic_min<order::relaxed, scope::device>(arguments_.distances + target[i], level);
        counts_.add(counter::distance_atomics, 1);
      }
    }
#pragma unroll
    for (u32 i = 0; i < N; ++i) output_.add(begin[i], end[i], old[i] == unreached);
  }

 private:
  /// Warp collective: expands one row, equal on all lanes.
  SIMT_DEVICE void expand_row(u64 begin, u32 degree, u32 level, bool reads) {
    u32 first = 0;
    while (degree - first > 2 * simt::warp_size) {
      expand_part<4>(begin, degree, first, level, reads);
      first += 4 * simt::warp_size;
      if (first >= degree) return;
    }
    expand_part<2>(begin, degree, first, level, reads);
  }

  template <u32 N>
  SIMT_DEVICE void expand_part(u64 begin, u32 degree, u32 first, u32 level, bool reads) {
    dealt_edges<N> dealt;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      const u32 edge = first + i * simt::warp_size + simt::lane();
      dealt.position[i] = begin + edge;
      dealt.active[i] = edge < degree;
    }
    relax(dealt, level, reads);
  }

  const arguments& arguments_;
  const offset* offsets_;
  u64* batch_;
  found_pieces& output_;
  counters& counts_;
};

}  // namespace mlmq::push_pull
