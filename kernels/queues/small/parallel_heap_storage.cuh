// SPDX-License-Identifier: Apache-2.0
// Memory of a parallel heap (parallel_heap.cuh); for the host and the kernels.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// State of the heap; zeros: only the root exists.
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
  u32 node;            ///< elements per node, a power of two from 2 on
};

/// Elements to allocate for the nodes.
constexpr u64 parallel_heap_elements(u32 node, u32 capacity_nodes) { return static_cast<u64>(node) * capacity_nodes; }
/// Elements to allocate for the work memory of a step: new elements, two merged nodes, carried elements, and removed
/// ones.
constexpr u64 parallel_heap_work(u32 node) { return u64{5} * node; }

}  // namespace mlmq
