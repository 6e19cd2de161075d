// SPDX-License-Identifier: Apache-2.0
// The compile-time parameters of the kernel `near_pull`. Only this file reads its macros.
#pragma once

#include "distance_width.cuh"
#include "work_counters.cuh"
#ifdef MLMQ_TIMELINE
#include "timeline.cuh"
#endif

namespace mlmq::near_pull {

using offset = MLMQ_OFFSET;
using distance = MLMQ_DISTANCE;
using edges = MLMQ_EDGES;
using width = distance_width<distance>;
using word = width::word;

#ifdef MLMQ_TIMELINE
using counters = work_timeline;
#else
using counters = work_counters<MLMQ_COUNTERS != 0>;
#endif

}  // namespace mlmq::near_pull
