// SPDX-License-Identifier: Apache-2.0
// Where a parallel heap is (parallel_heap.cuh); for the host and the kernels.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Zeros: there is the root alone.
struct parallel_heap_state {
  u32 nodes_below_root;
  u32 unused;
  u64 size;  ///< elements
};

template <class Element>
struct parallel_heap_storage {
  Element* nodes;  ///< parallel_heap_elements(); all ones: an empty heap
  Element* work;   ///< parallel_heap_work()
  parallel_heap_state* state;
  u32 capacity_nodes;  ///< at least 1
  u32 node;            ///< elements of a node, a power of two from 2 on
};

/// Elements to allocate for the nodes.
constexpr u64 parallel_heap_elements(u32 node, u32 capacity_nodes) { return static_cast<u64>(node) * capacity_nodes; }
/// Elements to allocate for what a step works on: new elements, two nodes merged, what goes down, and what is removed.
constexpr u64 parallel_heap_work(u32 node) { return u64{5} * node; }

}  // namespace mlmq
