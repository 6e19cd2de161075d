// SPDX-License-Identifier: Apache-2.0
// The compile-time parameters of the kernel `push_pull`. Only this file reads its macros.
#pragma once

#include "edges.cuh"
#include "work_counters.cuh"
#ifdef MLMQ_TIMELINE
#include "timeline.cuh"
#endif

namespace mlmq::push_pull {

using offset = MLMQ_OFFSET;
/// A whole warp expands a row with at least this many edges; shorter rows are dealt to its lanes.
inline constexpr u32 heavy_degree = MLMQ_HEAVY_DEGREE;

#ifdef MLMQ_TIMELINE
using counters = work_timeline;
#else
using counters = work_counters<MLMQ_COUNTERS != 0>;
#endif

}  // namespace mlmq::push_pull
