// SPDX-License-Identifier: Apache-2.0
// Records the order in which the threads were served, which differs between seeds.
#include "simt/simt.cuh"

struct order_arguments {
  u32* next;
  u32* tickets;  // one per thread of the grid
};

SIMT_KERNEL(serve, order_arguments) {
  const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  const u32 ticket = simt::atomic_add<simt::order::relaxed, simt::scope::device>(arguments.next, 1u);
  simt::store(arguments.tickets + ticket, thread);
}
