// SPDX-License-Identifier: Apache-2.0
// The compile-time parameters that all baselines have. Only this file reads their macros.
#pragma once

#include "distance_width.cuh"
#include "work_counters.cuh"
#ifdef MLMQ_TIMELINE
#include "timeline.cuh"
#endif

namespace mlmq {

struct baseline_configuration {
  using offset = MLMQ_OFFSET;
  using distance = MLMQ_DISTANCE;
  using width = distance_width<distance>;
  using edges = MLMQ_EDGES;
  static constexpr u32 heavy_degree = MLMQ_HEAVY_DEGREE;
  static constexpr bool read_first = MLMQ_READ_FIRST != 0;
  static constexpr u32 ell_width = MLMQ_ELL_WIDTH;
  static constexpr bool queues_ell_overflow = false;  // an element's latency includes the manager
  static constexpr u32 split_degree = 0;
  static constexpr bool prefetch = false;
};

#ifdef MLMQ_TIMELINE
using counters = work_timeline;
#else
using counters = work_counters<MLMQ_COUNTERS != 0>;
#endif

}  // namespace mlmq
