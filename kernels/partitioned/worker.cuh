// SPDX-License-Identifier: Apache-2.0
// The workers of a part: they relax the rows of the vertices whose distance has fallen.
//
// There is no queue. A thread holds its slots in registers and checks the distances of their vertices in rotation; if a
// distance is less than the one that the thread saw last, the thread lowers the distances of the targets of its arcs. A
// hop therefore takes one load and one atomic of shared memory, and nothing is claimed, sorted or handed over. Vertices
// are relaxed in any order: several times as often as with a queue, but by warps that would otherwise idle.
#pragma once

#include "partitioned/slot_arcs.cuh"

namespace mlmq {

/// @tparam Configuration with distance, slot_arcs, slots_per_thread, packed
template <class Configuration, class Counters>
class part_worker {
  using distance = typename Configuration::distance;
  static constexpr u32 slots = Configuration::slots_per_thread;
  static constexpr u32 arcs = Configuration::slot_arcs;
  /// Sweeps between two checks for a question.
  static constexpr u32 sweeps_per_question = 4;

 public:
  /// @param worker index among the block's worker threads
  SIMT_DEVICE part_worker(const partitioned_arguments& arguments, const graph_part& part, const part_memory& memory,
                          u32 worker, u32 workers, Counters& counters)
      : memory_(memory),
        counters_(counters),
        window_(arguments.window),
        least_of_lane_(memory.least(simt::lane())),
        least_of_warp_(memory.least(worker / simt::warp_size)),
        arcs_(arguments, part, memory, worker, workers),
        answering_(worker / simt::warp_size) {
    const simt::word_name absent_target = memory.absent_targets() + 4 * simt::lane();
#pragma unroll
    for (u32 k = 0; k < slots; ++k) {
      const u32 slot = worker + k * workers;
      const bool exists = slot < part.slots;
      // A slot without a vertex checks a word that never changes.
      vertex_[k] = exists ? memory.distance(simt::load_readonly(arguments.slot_vertices + part.first_slot + slot))
                          : absent_target;
      last_[k] = exists ? unreached : 0;
    }
  }

  /// Warp collective: works until the run is over.
  SIMT_DEVICE void run() {
    while (answering_.poll_question(memory_)) {
      bool had_work = false;
#pragma unroll 1
      for (u32 i = 0; i < sweeps_per_question; ++i) {
        if constexpr (Configuration::has_window) {
          had_work |= sweep_in_order();
        } else {
          had_work |= sweep();
        }
      }
      if (had_work) {
        answering_.note_work();
      } else {
        answering_.report_idle(memory_);
      }
    }
  }

 private:
  /// Warp collective. @return whether there was work
  SIMT_DEVICE bool sweep() {
    u32 current[slots];
#pragma unroll
    for (u32 k = 0; k < slots; ++k) current[k] = simt::load_word(vertex_[k]);
    bool has_fallen = false;
#pragma unroll
    for (u32 k = 0; k < slots; ++k) has_fallen = has_fallen || current[k] < last_[k];
    if (!simt::any(has_fallen)) return false;
    relax(current, [](u32) { return true; });
    return true;
  }

  /// Warp collective: like sweep(), but vertices whose distance exceeds the least distance of the block by more than
  /// the window wait. The least distance is that of each warp's last sweep; if it is too small, more vertices wait for
  /// a sweep or two.
  /// @return whether there was work, or any vertex waits
  SIMT_DEVICE bool sweep_in_order() {
    const u32 least_of_lane = simt::load_word(least_of_lane_);
    u32 current[slots];
#pragma unroll
    for (u32 k = 0; k < slots; ++k) current[k] = simt::load_word(vertex_[k]);
    u32 least = unreached;
#pragma unroll
    for (u32 k = 0; k < slots; ++k) least = current[k] < last_[k] && current[k] < least ? current[k] : least;
    least = simt::warp_min(least);
    if (least != published_) {
      // The vertex with the least distance of the block is always admitted: the warp that holds it publishes it.
      if (simt::lane() == 0) simt::store_word(least_of_warp_, least);
      published_ = least;
    }
    if (least == unreached) return false;
    const u32 front = simt::warp_min(least_of_lane < least ? least_of_lane : least);
    const u32 end = saturating<distance>::type::extend(front, window_);
    relax(current, [end](u32 distance) { return distance <= end; });
    return true;
  }

  /// Returns the slots whose distance has fallen and that the window admits.
  template <class IsAdmitted>
  SIMT_DEVICE void relax(const u32 (&current)[slots], const IsAdmitted& is_admitted) {
#pragma unroll
    for (u32 k = 0; k < slots; ++k) {
      if (current[k] < last_[k] && is_admitted(current[k])) {
        last_[k] = current[k];
        counters_.add(counter::pops, 1);
        counters_.add(counter::distance_atomics, arcs);
        arcs_.relax(k, current[k]);
      }
    }
  }

  const part_memory& memory_;
  Counters& counters_;
  u32 window_;
  simt::word_name least_of_lane_;  ///< word of the warp with the lane's number
  simt::word_name least_of_warp_;
  u32 published_ = unreached;  ///< last published distance
  simt::word_name vertex_[slots];
  u32 last_[slots];  ///< distance at which each slot was relaxed last
  typename slot_arcs_of<Configuration>::type arcs_;
  answering_warp answering_;
};

}  // namespace mlmq
