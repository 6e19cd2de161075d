// SPDX-License-Identifier: Apache-2.0
// Barriers, fences, collectives of a warp, and loads and stores with cache hints.
#pragma once

#include "simt/plain/instrumentation.hpp"

namespace mlmq_cuda {

inline constexpr unsigned all_lanes = 0xFFFFFFFFu;

inline unsigned lane() { return self()->lane; }

inline unsigned long long sync_block(bool value, const char* file, mlmq_u32 line) {
  return collect(collective::sync_block, all_lanes, value ? 1 : 0, 0, file, line);
}

template <class T>
inline T exchange(unsigned mask, T value, unsigned from_lane, const char* file, mlmq_u32 line) {
  static_assert(__is_trivially_copyable(T) && sizeof(T) <= 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = collect(collective::shuffle, mask, bits, from_lane, file, line);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

/// Maps the values of a type to unsigned numbers of the same order.
inline unsigned to_ordered(unsigned value) { return value; }
inline unsigned to_ordered(int value) { return static_cast<unsigned>(value) ^ 0x80000000u; }
inline void from_ordered(unsigned bits, unsigned& value) { value = bits; }
inline void from_ordered(unsigned bits, int& value) { value = static_cast<int>(bits ^ 0x80000000u); }

}  // namespace mlmq_cuda

inline void __syncthreads(MLMQ_PLACE) { mlmq_cuda::sync_block(false, file, line); }
inline int __syncthreads_count(int value, MLMQ_PLACE) {
  return static_cast<int>(mlmq_cuda::sync_block(value != 0, file, line));
}
inline int __syncthreads_or(int value, MLMQ_PLACE) { return mlmq_cuda::sync_block(value != 0, file, line) != 0; }
inline int __syncthreads_and(int value, MLMQ_PLACE) { return mlmq_cuda::sync_block(value == 0, file, line) == 0; }
inline void __syncwarp(unsigned mask = mlmq_cuda::all_lanes, MLMQ_PLACE) {
  mlmq_cuda::collect(mlmq_cuda::collective::sync_warp, mask, 0, 0, file, line);
}

inline void __threadfence(MLMQ_PLACE) { mlmq_cuda::fence(simt::scope::device, file, line); }
inline void __threadfence_block(MLMQ_PLACE) { mlmq_cuda::fence(simt::scope::block, file, line); }
inline void __threadfence_system(MLMQ_PLACE) { mlmq_cuda::fence(simt::scope::system, file, line); }

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, MLMQ_PLACE) {
  const unsigned segment = mlmq_cuda::lane() & ~static_cast<unsigned>(width - 1);
  return mlmq_cuda::exchange(mask, value, segment + (static_cast<unsigned>(source) & static_cast<unsigned>(width - 1)),
                             file, line);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, MLMQ_PLACE) {
  const unsigned me = mlmq_cuda::lane();
  const unsigned position = me & static_cast<unsigned>(width - 1);
  return mlmq_cuda::exchange(mask, value, delta <= position ? me - delta : me, file, line);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, MLMQ_PLACE) {
  const unsigned me = mlmq_cuda::lane();
  const unsigned position = me & static_cast<unsigned>(width - 1);
  return mlmq_cuda::exchange(mask, value, position + delta < static_cast<unsigned>(width) ? me + delta : me, file,
                             line);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, MLMQ_PLACE) {
  const unsigned me = mlmq_cuda::lane();
  const unsigned source = me ^ static_cast<unsigned>(lane_mask);
  // A lane may read from its own segment and from earlier ones.
  const bool is_readable = source / static_cast<unsigned>(width) <= me / static_cast<unsigned>(width);
  return mlmq_cuda::exchange(mask, value, is_readable ? source : me, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int value, MLMQ_PLACE) {
  return static_cast<unsigned>(
      mlmq_cuda::collect(mlmq_cuda::collective::ballot, mask, value != 0 ? 1 : 0, 0, file, line));
}
inline int __any_sync(unsigned mask, int value, MLMQ_PLACE) {
  return static_cast<int>(mlmq_cuda::collect(mlmq_cuda::collective::any, mask, value != 0 ? 1 : 0, 0, file, line));
}
inline int __all_sync(unsigned mask, int value, MLMQ_PLACE) {
  return static_cast<int>(mlmq_cuda::collect(mlmq_cuda::collective::all, mask, value != 0 ? 1 : 0, 0, file, line));
}
inline int __uni_sync(unsigned mask, int value, MLMQ_PLACE) {
  const unsigned votes = __ballot_sync(mask, value, file, line) & mask;
  return votes == 0 || votes == mask;
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, MLMQ_PLACE) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return static_cast<unsigned>(mlmq_cuda::collect(mlmq_cuda::collective::match_any, mask, bits, 0, file, line));
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* predicate, MLMQ_PLACE) {
  const unsigned same = __match_any_sync(mask, value, file, line);
  *predicate = (same & mask) == mask;
  return *predicate != 0 ? mask : 0;
}
template <class T>
inline T __reduce_add_sync(unsigned mask, T value, MLMQ_PLACE) {
  return static_cast<T>(
      mlmq_cuda::collect(mlmq_cuda::collective::warp_add, mask, static_cast<unsigned>(value), 0, file, line));
}
template <class T>
inline T __reduce_min_sync(unsigned mask, T value, MLMQ_PLACE) {
  const auto bits =
      mlmq_cuda::collect(mlmq_cuda::collective::warp_min, mask, mlmq_cuda::to_ordered(value), 0, file, line);
  mlmq_cuda::from_ordered(static_cast<unsigned>(bits), value);
  return value;
}
template <class T>
inline T __reduce_max_sync(unsigned mask, T value, MLMQ_PLACE) {
  const auto bits =
      mlmq_cuda::collect(mlmq_cuda::collective::warp_max, mask, mlmq_cuda::to_ordered(value), 0, file, line);
  mlmq_cuda::from_ordered(static_cast<unsigned>(bits), value);
  return value;
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, MLMQ_PLACE) {
  return static_cast<unsigned>(mlmq_cuda::collect(simt::simulator::warp_and, mask, value, 0, file, line));
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, MLMQ_PLACE) {
  return static_cast<unsigned>(mlmq_cuda::collect(mlmq_cuda::collective::warp_or, mask, value, 0, file, line));
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, MLMQ_PLACE) {
  return static_cast<unsigned>(mlmq_cuda::collect(simt::simulator::warp_xor, mask, value, 0, file, line));
}

// Cache hints affect only the time, and not the modelled time.
template <class T>
inline T __ldg(const T* address) {
  return *address;
}
#define MLMQ_LOADS(name)            \
  template <class T>                \
  inline T name(const T* address) { \
    return *address;                \
  }
MLMQ_LOADS(__ldcs)
MLMQ_LOADS(__ldca)
MLMQ_LOADS(__ldcg)
MLMQ_LOADS(__ldlu)
MLMQ_LOADS(__ldcv)
#undef MLMQ_LOADS
#define MLMQ_STORES(name)                 \
  template <class T>                      \
  inline void name(T* address, T value) { \
    *address = value;                     \
  }
MLMQ_STORES(__stcs)
MLMQ_STORES(__stcg)
MLMQ_STORES(__stwb)
MLMQ_STORES(__stwt)
#undef MLMQ_STORES

inline long long clock64() { return static_cast<long long>(mlmq_cuda::clock_ns() * 2); }
inline clock_t mlmq_clock() { return static_cast<clock_t>(clock64()); }
#define clock mlmq_clock
inline void __nanosleep(unsigned nanoseconds, MLMQ_PLACE) { mlmq_cuda::backoff(nanoseconds, file, line); }

// Output of a kernel is not printed.
#define printf(...) (static_cast<void>(sizeof(::printf(__VA_ARGS__))), 0)
inline void mlmq_violated(const char* condition, const char* file, mlmq_u32 line) {
  mlmq_cuda::violated(condition, file, line);
}
#include "simt/plain/include/assert.h"
#define __trap() ::mlmq_violated("__trap()", __FILE__, __LINE__)
#define __builtin_assume(condition) static_cast<void>(0)
