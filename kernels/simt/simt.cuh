// SPDX-License-Identifier: Apache-2.0
// The machine the kernels are written for. Kernel code uses the GPU only through the names that two headers define
// alike; which of them is used is decided only here.
//
//   SIMT_DEVICE                       marks every function of kernel code; they are all inlined
//   SIMT_OUT_OF_LINE                  instead: one copy, called. Its arguments should be values: memory that a pointer
//                                     leads to cannot stay in registers
//   SIMT_KERNEL(name, arguments)      defines a kernel: SIMT_KERNEL(copy, copy_arguments) { … arguments.field … }
//   thread_in_block() lane() warp_in_block() block_index() grid_blocks() block_threads()
//   shared_memory()                   the block's dynamic shared memory, 16-byte aligned; all shared memory is dynamic
//   load store                        plain access; ordered against other warps only by synchronisation
//   prefetch                          a hint: global memory that will be read soon
//   load_readonly                     data that is constant while the kernel runs
//   load_atomic<O,S> store_atomic<O,S> load_quad     words that other warps write or read at the same time
//   atomic_add atomic_min atomic_or atomic_exchange atomic_compare_exchange <O,S>   return the old value
//   reduce_add<O,S>                   atomic_add without a result
//   fence<O,S>
//   sync_warp ballot any all shuffle match_any warp_add warp_min warp_max warp_or inclusive_scan
//                                     warp collectives: all 32 lanes call the same one at the same place
//                                     sync_warp also orders the lanes' memory accesses; the others do not
//   sync_block                        barrier over the block; all its threads call it
//   clock_ns() backoff(ns)            every loop that waits for another warp calls backoff
//   SIMT_ASSERT(condition)            stops the launch if it does not hold; a statement that all lanes of a warp reach
//                                     together may call collectives. Only in the simulator, and there only in variants
//                                     with SIMT_CHECKED (mlmq check); elsewhere nothing is evaluated
//   popcount first_set lanes_below    pure bit helpers
//
// Kernels whose blocks run as clusters include simt/cluster.cuh too.
#pragma once

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#include "simt/cuda.cuh"
#else
#include "simt/simulator.hpp"
#endif
