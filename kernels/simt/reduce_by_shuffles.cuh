// SPDX-License-Identifier: Apache-2.0
// The reductions over a whole warp, for GPUs before compute capability 8.0, which have no instruction for them. The
// compiler's caller puts this text before a kernel file for such a GPU, so that the kernels' own text is the same for
// all GPUs.
#pragma once

namespace mlmq_before_sm80 {
template <class Operation>
__device__ inline unsigned reduce(unsigned value, Operation operation) {
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    value = operation(value, __shfl_xor_sync(0xFFFFFFFFu, value, distance));
  }
  return value;
}
__device__ inline unsigned add(unsigned value) {
  return reduce(value, [](unsigned a, unsigned b) { return a + b; });
}
__device__ inline unsigned min(unsigned value) {
  return reduce(value, [](unsigned a, unsigned b) { return a < b ? a : b; });
}
__device__ inline unsigned max(unsigned value) {
  return reduce(value, [](unsigned a, unsigned b) { return a < b ? b : a; });
}
__device__ inline unsigned bit_or(unsigned value) {
  return reduce(value, [](unsigned a, unsigned b) { return a | b; });
}
}  // namespace mlmq_before_sm80

// All masks are those of whole warps.
#define __reduce_add_sync(mask, value) (::mlmq_before_sm80::add(value))
#define __reduce_min_sync(mask, value) (::mlmq_before_sm80::min(value))
#define __reduce_max_sync(mask, value) (::mlmq_before_sm80::max(value))
#define __reduce_or_sync(mask, value) (::mlmq_before_sm80::bit_or(value))
