// SPDX-License-Identifier: Apache-2.0
// The compile-time parameters of a variant. Only this file reads the macros that the tuner defines, and turns them into
// template arguments.
#pragma once

#include "distance.cuh"
#include "edges.cuh"
#include "queues/l0_vector.cuh"
#include "queues/l1_filter.cuh"
#include "queues/l1_near_far.cuh"
#include "queues/l1_of_block.cuh"
#include "queues/l1_slf.cuh"
#include "queues/l1_vector.cuh"
#include "queues/l2_blocks.cuh"
#include "queues/l2_bucket.cuh"
#include "queues/l2_heap.cuh"
#include "queues/l2_multi_heap.cuh"
#include "queues/l2_vector.cuh"
#include "queues/none.cuh"
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

/// The traits of the queues, and the parameters of relaxing.
struct configuration {
  using offset = MLMQ_OFFSET;
  using distance = MLMQ_DISTANCE;
  using order = key_above_item<distance>;
  using storage = search_arguments;
  using edges = MLMQ_EDGES;
  static constexpr u32 l0_depth = MLMQ_L0_DEPTH;
  static constexpr u32 l1_capacity = MLMQ_L1_CAPACITY;
  static constexpr u32 l1_batch = MLMQ_L1_BATCH;
  static constexpr u32 wb = MLMQ_WB;
  using spill = MLMQ_L1_SPILL;
  static constexpr u32 bmax = MLMQ_BMAX;
  static constexpr u32 pnum = MLMQ_PNUM;
  static constexpr u32 bnum = MLMQ_BNUM;
  static constexpr u32 idle_buckets = MLMQ_IDLE_BUCKETS;
  static constexpr bool adapts_delta = MLMQ_ADAPTS_DELTA != 0;
  static constexpr u32 l2_batch = MLMQ_L2_BATCH;
  static constexpr bool calls_l2 = simt::block_threads() <= 512;
  static constexpr u32 l2_share = MLMQ_L2_SHARE;
  static constexpr u32 heavy_degree = MLMQ_HEAVY_DEGREE;
  static constexpr u32 split_degree = MLMQ_SPLIT_DEGREE;
  static constexpr u32 ell_width = MLMQ_ELL_WIDTH;
  static constexpr bool queues_ell_overflow = MLMQ_QUEUE_ELL_OVERFLOW != 0;
  static constexpr bool read_first = MLMQ_READ_FIRST != 0;
  static constexpr bool prefetch = MLMQ_PREFETCH != 0;
  enum : bool {
    has_several_seeds = MLMQ_SEVERAL_SEEDS != 0,
    l0_spills_all = MLMQ_L0_SPILLS_FULL == 0,
    warps_read_l2 = MLMQ_WARPS_READ_L2 != 0
  };
  static constexpr u32 dispatcher_backoff_ns = MLMQ_DISPATCHER_PAUSE;
  static constexpr u32 manager_backoff_ns = 20;
};

/// An L2 queue as its readers need it: where every warp reads it, rings become queues of blocks.
template <class L2, bool by_warps>
struct l2_read {
  using type = L2;
};
template <template <class, class, class> class L2, class Traits, class Counters, class Rings>
struct l2_read<L2<Traits, Counters, Rings>, true> {
  using type = L2<Traits, Counters, l2_blocks<Traits, Counters, L2<Traits, Counters, Rings>>>;
};

#ifdef MLMQ_TIMELINE
using counters = work_timeline;
#else
using counters = work_counters<MLMQ_COUNTERS != 0>;
#endif
using l0_queue = MLMQ_L0<configuration, counters>;
using l1_queue = MLMQ_L1_SHARING<MLMQ_L1<configuration, counters>, counters>;
using l2_queue = l2_read<MLMQ_L2<configuration, counters>, configuration::warps_read_l2>::type;

}  // namespace mlmq
