// SPDX-License-Identifier: Apache-2.0
// A worker block of ADDS: waits for its assignment flag, relaxes the assigned elements, writes the improved vertices to
// the buckets, and notifies the manager.
#pragma once

#include "baselines/adds_buckets.cuh"
#include "baselines/row_expander.cuh"
#include "relax_ell.cuh"

namespace mlmq {

template <class Buckets, class Counters>
class adds_worker {
  using order = simt::order;
  using scope = simt::scope;

 public:
  static constexpr bool ell_rows = baseline_configuration::ell_width != 0;
  /// Both expanders exist; a variant uses only one.
  using expander = row_expander<baseline_configuration, Buckets, Counters>;
  using ell_relax = typename relaxer_of<ell_rows, baseline_configuration, Buckets, Counters>::type;

  SIMT_DEVICE adds_worker(const adds_arguments& arguments, adds_worker_words* block, Buckets& buckets, expander& relax,
                          ell_relax& relax_ell, Counters& counters)
      : arguments_(arguments),
        block_(block),
        buckets_(buckets),
        relax_(relax),
        relax_ell_(relax_ell),
        counters_(counters) {}

  /// Runs the worker; called by all threads of the block.
  SIMT_DEVICE void run() {
    const u32 warps = simt::block_threads() / simt::warp_size;
    const u32 worker = simt::block_index();
    u32 turn = 1u << worker / simt::warp_size;
    for (u64 assignment = wait(worker, 0); assignment != adds_assignment::stop; assignment = wait(worker, assignment)) {
      const u32 count = adds_assignment::count(assignment);
      const u64* const elements = arguments_.pool + adds_assignment::position(assignment);
      buckets_.use_window(simt::load_atomic<order::relaxed, scope::device>(&arguments_.control->window));
      // Use few, full warps: each warp that writes makes reservations and counts by atomics on the same words as all
      // others.
      const u32 even_share = (count + warps - 1) / warps;
      const u32 fair_share = even_share > arguments_.least ? even_share : arguments_.least;
      const u32 share = fair_share < simt::warp_size ? fair_share : simt::warp_size;
      for (u32 first = simt::warp_in_block() * share; first < count; first += warps * share) {
        const bool valid = simt::lane() < share && first + simt::lane() < count;
        element e = 0;
        if (valid) e = simt::load(elements + first + simt::lane());
        relax(e, valid);
      }
      buckets_.write_all();
      simt::sync_block();
      relax_long_rows();
      if (simt::thread_in_block() == 0) {
        // Alternately adding and subtracting the bit leaves the other bits unchanged.
        simt::reduce_add<order::release, scope::device>(&arguments_.control->completed[worker % simt::warp_size], turn);
        turn = 0u - turn;
      }
    }
  }

 private:
  /// Called by all threads of the block. @return the next assignment, or stop
  SIMT_DEVICE u64 wait(u32 worker, u64 last) {
    if (simt::thread_in_block() == 0) {
      const u64* const flag = &arguments_.control->assignments[worker].flag;
      u64 assignment = simt::load_atomic<order::acquire, scope::device>(flag);
      while (assignment == last) {
        // No other thread polls this word, and the manager always writes it when the run ends.
        simt::backoff(0);
        assignment = simt::load_atomic<order::acquire, scope::device>(flag);
      }
      simt::store(&block_->assignment, assignment);
      simt::store_atomic<order::relaxed, scope::block>(&block_->long_rows, 0u);
    }
    simt::sync_block();
    return simt::load(&block_->assignment);
  }

  SIMT_DEVICE void relax(element e, bool valid) {
    if (valid) counters_.add(counter::l2_reads, 1);
    if constexpr (ell_rows) {
      relax_ell_.relax(e, valid);
      return;
    }
    typename expander::row row = relax_.load_row(e, valid);
    if (row.degree >= arguments_.long_row) {
      const u32 place = simt::atomic_add<order::relaxed, scope::block>(&block_->long_rows, 1u);
      if (place < simt::warp_size) {
        adds_row* const saved_row = &block_->rows[place];
        simt::store(&saved_row->begin, row.begin);
        simt::store(&saved_row->degree, row.degree);
        simt::store(&saved_row->distance, row.distance);
        row.degree = 0;
      }
    }
    simt::sync_warp();
    relax_.relax_rows(row);
  }

  /// Called by all threads of the block: together they relax the rows that are too long for one warp.
  SIMT_DEVICE void relax_long_rows() {
    const u32 row_count = simt::load_atomic<order::relaxed, scope::block>(&block_->long_rows);
    if (row_count == 0) return;
    constexpr u32 slice = 4 * simt::warp_size;
    const u32 saved_rows = row_count < simt::warp_size ? row_count : simt::warp_size;
    for (u32 i = 0; i < saved_rows; ++i) {
      const adds_row* const row = &block_->rows[i];
      const u64 begin = simt::load(&row->begin);
      const u32 degree = simt::load(&row->degree);
      const u32 distance = simt::load(&row->distance);
      for (u32 first = simt::warp_in_block() * slice; first < degree;
           first += simt::block_threads() / simt::warp_size * slice) {
        const u32 rest = degree - first;
        relax_.relax_row({begin + first, rest < slice ? rest : slice, distance});
      }
    }
    buckets_.write_all();
    simt::sync_block();
  }

  const adds_arguments& arguments_;
  adds_worker_words* block_;
  Buckets& buckets_;
  expander& relax_;
  ell_relax& relax_ell_;
  Counters& counters_;
};

}  // namespace mlmq
