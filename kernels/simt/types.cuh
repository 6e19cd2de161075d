// SPDX-License-Identifier: Apache-2.0
// Names shared by both implementations of simt/ and by the host: fixed-width integers, memory order, scope.
#pragma once

using u8 = unsigned char;
using u32 = unsigned int;
using u64 = unsigned long long;

namespace simt {

inline constexpr u32 warp_size = 32;

/// Memory orders of synchronisation words, as in C++.
enum class order { relaxed, acquire, release, acq_rel };

/// The threads that share a word. `block` words live in shared memory, `device` and `system` words in global memory.
enum class scope { block, device, system };

/// Four words that are read together (one transaction, each word atomic by itself).
struct alignas(16) quad {
  u32 x, y, z, w;
};

}  // namespace simt
