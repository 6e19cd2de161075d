// SPDX-License-Identifier: Apache-2.0
// Records when work is done (MLMQ, Fig. 10): the number of vertices read from the queues and the working warps, in each
// of many short intervals of the grid's clock. It replaces the work counters in variants with MLMQ_TIMELINE; other
// variants do not include this file.
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
    const u64 interval = now > origin_ ? (now - origin_) >> interval_shift_ : 0;
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
