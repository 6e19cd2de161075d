// SPDX-License-Identifier: Apache-2.0
// A worker's mailbox in shared memory, through which its block's dispatcher assigns work.
#pragma once

#include "simt/simt.cuh"

namespace mlmq::mailbox {

/// Mail of a worker that asks for work.
inline constexpr u64 idle = 0;
/// Mail before a worker has asked for the first time.
inline constexpr u64 starting = ~0ull;

/// Mail that sends a worker to the block's L1 queue, which has elements.
inline constexpr u64 retry_l1 = 0xFF00;

/// Returns the mail that assigns `count` elements (1 … 32) from `position` of `ring`.
SIMT_DEVICE u64 assignment(u32 ring, u32 position, u32 count) {
  return static_cast<u64>(position) << 32 | ring << 8 | count;
}
SIMT_DEVICE u32 position(u64 mail) { return static_cast<u32>(mail >> 32); }
SIMT_DEVICE u32 ring(u64 mail) { return static_cast<u32>(mail) >> 8; }
SIMT_DEVICE u32 count(u64 mail) { return static_cast<u32>(mail) & 0xFF; }

}  // namespace mlmq::mailbox
