// SPDX-License-Identifier: Apache-2.0
// Records when work is done (MLMQ, Fig. 10): the number of vertices read from the queues and the working warps, in each
// of many short intervals of the grid's clock, and how many vertices the search offers at the same time (ADDS, Fig. 11
// to 15). It replaces the work counters in variants with MLMQ_TIMELINE; other variants do not include this file.
#pragma once

#include "queues/counters.cuh"
#include "search_abi.cuh"
#include "simt/simt.cuh"
#include "timeline_abi.cuh"

namespace mlmq {

class work_timeline {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param memory a timeline_header and the tables behind it (timeline_abi.cuh)
  SIMT_DEVICE explicit work_timeline(u64* memory)
      : header_(reinterpret_cast<timeline_header*>(memory)),
        counts_(reinterpret_cast<u32*>(header_ + 1)),
        warp_words_(simt::load_readonly(&header_->warp_words)),
        interval_shift_(simt::load_readonly(&header_->interval_shift)) {}

  SIMT_DEVICE void add(counter kind, u32 amount) {
    if (kind != counter::pops && kind != counter::relaxations) return;
    const u32 interval = current_interval();
    const u32 warp = simt::block_index() * (simt::block_threads() / simt::warp_size) + simt::warp_in_block();
    u32* const word = counts_ + interval * warp_words_ + warp / 32;
    if (kind == counter::pops) simt::reduce_add<order::relaxed, scope::device>(word, amount);
    if (interval == seen_at_work_) return;
    seen_at_work_ = interval;
    simt::atomic_or<order::relaxed, scope::device>(word + timeline_intervals * warp_words_, 1u << warp % 32);
  }

  SIMT_DEVICE void add(queue_counter, u32) {}

  /// Sets the number of vertices that can be relaxed at the same time from now on; called by one thread at a time. The
  /// last number of a run must be 0, because only earlier ones are recorded.
  SIMT_DEVICE void set_parallelism(u32 vertices) {
    auto* const record =
        reinterpret_cast<parallelism_record*>(reinterpret_cast<u32*>(header_) + parallelism_word(warp_words_));
    const u64 before = simt::load(&record->vertices);
    if (before == vertices) return;
    const u64 now = simt::clock_ns();
    const u64 origin = simt::load_atomic<order::relaxed, scope::device>(&header_->origin_ns);
    if (origin != 0 && before != 0) {
      const u64 changed = simt::load(&record->changed_ns);
      for (u64 begin = changed < origin ? origin : changed; begin < now;) {
        const u32 interval = interval_of(begin, origin);
        const u64 next = origin + ((interval + u64{1}) << interval_shift_);
        const u64 end = now < next || interval == timeline_intervals - 1 ? now : next;
        u64* const sum = &record->vertex_ns[interval];
        simt::store(sum, simt::load(sum) + before * (end - begin));
        begin = end;
      }
    }
    simt::store(&record->vertices, u64{vertices});
    simt::store(&record->changed_ns, now);
  }

  /// Warp collective: like set_parallelism() with the sum of what the lanes offer.
  SIMT_DEVICE void set_parallelism_by_lane(u32 vertices) {
    const u32 sum = simt::warp_add(vertices);
    if (simt::lane() == 0) set_parallelism(sum);
  }

  SIMT_DEVICE void flush(u64*) {}

 private:
  /// The time axis begins with the first vertex that is read. Later work counts in the last interval: the host detects
  /// that and repeats the run with longer intervals.
  SIMT_DEVICE u32 current_interval() {
    const u64 now = simt::clock_ns();
    if (origin_ == 0) {
      const u64 first = simt::atomic_compare_exchange<order::relaxed, scope::device>(&header_->origin_ns, u64{0}, now);
      origin_ = first == 0 ? now : first;
    }
    return interval_of(now, origin_);
  }

  SIMT_DEVICE u32 interval_of(u64 time, u64 origin) const {
    const u64 interval = time > origin ? (time - origin) >> interval_shift_ : 0;
    return interval < timeline_intervals ? static_cast<u32>(interval) : timeline_intervals - 1;
  }

  timeline_header* header_;
  u32* counts_;
  u32 warp_words_;
  u32 interval_shift_;
  u64 origin_ = 0;
  u32 seen_at_work_ = ~0u;
};

}  // namespace mlmq
