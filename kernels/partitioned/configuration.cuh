// SPDX-License-Identifier: Apache-2.0
// The compile-time parameters of the partitioned search. Only this file reads its macros.
#pragma once

#include "distance.cuh"
#include "work_counters.cuh"
#ifdef MLMQ_TIMELINE
#include "timeline.cuh"
#endif

// Only variants for the cores of reduced graphs define it. The others are what they were before: hence an enumerator,
// since a constant would be part of the machine code.
#ifndef MLMQ_SEVERAL_SEEDS
#define MLMQ_SEVERAL_SEEDS 0
#endif

namespace mlmq {

/// Integer distances of a graph whose longest path is below 2^32 - 1: sums need no check.
struct exact_integer_distance {
  SIMT_DEVICE static u32 extend(u32 distance, u32 weight) { return distance + weight; }
};

/// Distances whose sums may exceed the longest path.
template <class Distance>
struct saturating {
  using type = Distance;
};
template <>
struct saturating<exact_integer_distance> {
  using type = integer_distance;
};

/// How a warp finds the vertices to relax.
enum part_work {
  part_sweeps,        ///< each thread repeatedly checks all of its slots (worker.cuh)
  part_groups,        ///< a warp checks one flag per 32 places (group_worker.cuh)
  part_pulled_groups  ///< the same, and distances within a group are computed in registers
};

template <class Distance>
inline constexpr bool is_exact_distance = false;
template <>
inline constexpr bool is_exact_distance<exact_integer_distance> = true;

struct partitioned_configuration {
  using distance = MLMQ_DISTANCE;
  static constexpr bool is_exact = is_exact_distance<distance>;
  static constexpr part_work work = MLMQ_PART_WORK;
  static constexpr bool pulls = work == part_pulled_groups;
  static constexpr u32 slot_arcs = MLMQ_SLOT_ARCS;
  static constexpr u32 slots_per_thread = MLMQ_SLOTS_PER_THREAD;
  static constexpr bool packed = MLMQ_PACKED_ARCS != 0;  ///< arcs are in shared memory
  enum : bool { has_several_seeds = MLMQ_SEVERAL_SEEDS != 0 };
  static constexpr bool has_window = MLMQ_PART_WINDOW != 0;  ///< vertices far behind the front of their block wait
};

#ifdef MLMQ_TIMELINE
using counters = work_timeline;
#else
using counters = work_counters<MLMQ_COUNTERS != 0>;
#endif

}  // namespace mlmq
