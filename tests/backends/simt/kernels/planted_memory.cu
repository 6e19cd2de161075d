// SPDX-License-Identifier: Apache-2.0
// Invalid accesses, one per kernel; correct with FIXED=1. The lines marked [name] must be reported.
#include "simt/simt.cuh"

struct memory_arguments {
  u32* words;
  u32 count;
  u32* other;  // freed, unwritten or read-only memory, depending on the kernel
};

SIMT_KERNEL(out_of_bounds, memory_arguments) {
  const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  const u32 limit = arguments.count + (FIXED ? 0u : 1u);
  for (u32 i = thread; i < limit; i += simt::grid_blocks() * simt::block_threads()) {
    simt::store(arguments.words + i, i);  // [out_of_bounds]
  }
}

SIMT_KERNEL(shared_out_of_bounds, memory_arguments) {
  u32* const shared = reinterpret_cast<u32*>(simt::shared_memory());
  const u32 place = simt::thread_in_block() + (FIXED ? 0u : 1u);
  simt::atomic_exchange<simt::order::relaxed, simt::scope::block>(shared + place, 1u);  // [shared_out_of_bounds]
}

SIMT_KERNEL(misaligned, memory_arguments) {
  if (simt::thread_in_block() != 0 || simt::block_index() != 0) return;
  u64* const address = reinterpret_cast<u64*>(arguments.words + (FIXED ? 2 : 1));
  simt::store(address, 5ull);  // [misaligned]
}

SIMT_KERNEL(use_after_free, memory_arguments) {
  const u32* const source = FIXED ? arguments.words : arguments.other;
  simt::load(source + simt::lane());  // [use_after_free]
}

SIMT_KERNEL(null_pointer, memory_arguments) {
  const u32* const source = FIXED ? arguments.words : nullptr;
  if (simt::lane() == 3) simt::load_atomic<simt::order::relaxed, simt::scope::device>(source);  // [null_pointer]
}

SIMT_KERNEL(unwritten_shared, memory_arguments) {
  u32* const shared = reinterpret_cast<u32*>(simt::shared_memory());
  if (FIXED || simt::thread_in_block() != 9) simt::store(shared + simt::thread_in_block(), 1u);
  simt::sync_block();
  simt::load(shared + (simt::thread_in_block() + 1) % simt::block_threads());  // [unwritten_shared]
}

SIMT_KERNEL(unwritten_device, memory_arguments) {
  const u32* const source = FIXED ? arguments.words : arguments.other;
  simt::load(source + simt::lane());  // [unwritten_device]
}

SIMT_KERNEL(wrong_space, memory_arguments) {
  u32* const shared = reinterpret_cast<u32*>(simt::shared_memory());
  if (simt::thread_in_block() != 0) return;
  u32* const address = FIXED ? shared : arguments.words;
  simt::store_atomic<simt::order::relaxed, simt::scope::block>(address, 1u);  // [wrong_space]
}

SIMT_KERNEL(readonly_written, memory_arguments) {
  const u32 thread = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  const u32 value = simt::load_readonly(arguments.words + thread);  // [readonly_written]
  if (thread == 77) simt::store((FIXED ? arguments.other : arguments.words) + thread, value + 1);
}
