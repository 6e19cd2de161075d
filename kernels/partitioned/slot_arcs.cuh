// SPDX-License-Identifier: Apache-2.0
// The arcs of a thread's slots: in its registers, or packed in shared memory for graphs that have more.
#pragma once

#include "partitioned/part_memory.cuh"

namespace mlmq {

/// @tparam Configuration with distance, slot_arcs, slots_per_thread
template <class Configuration>
class register_arcs {
  using distance = typename Configuration::distance;
  static constexpr u32 slots = Configuration::slots_per_thread;
  static constexpr u32 arcs = Configuration::slot_arcs;

 public:
  SIMT_DEVICE register_arcs(const partitioned_arguments& arguments, const graph_part& part, const part_memory& memory,
                            u32 worker, u32 workers) {
    const simt::word_name absent_target = memory.absent_targets() + 4 * simt::lane();
#pragma unroll
    for (u32 k = 0; k < slots; ++k) {
      const u32 slot = worker + k * workers;
#pragma unroll
      for (u32 j = 0; j < arcs; ++j) {
        u64 arc = no_edge;
        if (slot < part.slots) {
          arc = simt::load_readonly(arguments.arcs + u64{part.first_slot} * arcs + u64{j} * part.slots + slot);
        }
        const u32 target = static_cast<u32>(arc);
        targets_[k][j] = target == no_edge ? absent_target : memory.target(target);
        weight_[k][j] = static_cast<u32>(arc >> 32);
      }
    }
  }

  /// Lowers the distances of the targets of slot k of the thread.
  SIMT_DEVICE void relax(u32 k, u32 slot_distance) const {
#pragma unroll
    for (u32 j = 0; j < arcs; ++j) simt::lower_word(targets_[k][j], distance::extend(slot_distance, weight_[k][j]));
  }

 private:
  simt::word_name targets_[slots][arcs];
  u32 weight_[slots][arcs];
};

/// Arcs of a slot that are read from shared memory.
template <class Configuration>
class packed_arcs {
  using distance = typename Configuration::distance;
  static constexpr u32 arcs = Configuration::slot_arcs;

 public:
  SIMT_DEVICE packed_arcs(const partitioned_arguments& arguments, const graph_part&, const part_memory& memory,
                          u32 worker, u32 workers)
      : memory_(memory),
        first_(memory.packed_slot(worker, arcs)),
        stride_(4 * arcs * workers),
        target_bits_(arguments.target_bits) {}

  SIMT_DEVICE void relax(u32 k, u32 slot_distance) const {
    u32 packed[arcs];
    simt::load_words(first_ + k * stride_, packed);
#pragma unroll
    for (u32 j = 0; j < arcs; ++j) {
      simt::lower_word(memory_.target(target_of_packed(packed[j], target_bits_)),
                       distance::extend(slot_distance, weight_of_packed(packed[j], target_bits_)));
    }
  }

 private:
  const part_memory& memory_;
  simt::word_name first_;
  u32 stride_;  ///< bytes between two slots of a thread
  u32 target_bits_;
};

template <class Configuration, bool is_packed = Configuration::packed>
struct slot_arcs_of {
  using type = register_arcs<Configuration>;
};
template <class Configuration>
struct slot_arcs_of<Configuration, true> {
  using type = packed_arcs<Configuration>;
};

}  // namespace mlmq
