// SPDX-License-Identifier: Apache-2.0
// simt/ on a GPU, without any header of the toolkit: built-in variables, warp intrinsics and PTX.
// Synchronisation words use the PTX memory model (ISA chapter 8) with the state space spelled out, because a generic
// access to shared memory costs extra cycles.
#pragma once

#include "simt/types.cuh"

#define SIMT_DEVICE __device__ __forceinline__
#define SIMT_OUT_OF_LINE __device__ __noinline__
#ifndef MLMQ_BLOCK_THREADS
#error "MLMQ_BLOCK_THREADS: every kernel variant is compiled for one block size"
#endif
#define SIMT_KERNEL(name, argument_type)                              \
  extern "C" __global__ void __launch_bounds__(MLMQ_BLOCK_THREADS, 1) \
      name(const __grid_constant__ argument_type arguments)

// The simulator checks assertions; a GPU does not.
#define SIMT_ASSERT(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))

namespace simt {

SIMT_DEVICE u32 thread_in_block() { return threadIdx.x; }
SIMT_DEVICE constexpr u32 block_threads() { return MLMQ_BLOCK_THREADS; }
SIMT_DEVICE u32 lane() { return threadIdx.x % warp_size; }
SIMT_DEVICE u32 warp_in_block() { return threadIdx.x / warp_size; }
SIMT_DEVICE u32 block_index() { return blockIdx.x; }
SIMT_DEVICE u32 grid_blocks() { return gridDim.x; }

SIMT_DEVICE u8* shared_memory() {
  extern __shared__ uint4 simt_shared_memory[];
  return reinterpret_cast<u8*>(simt_shared_memory);
}

template <class T>
SIMT_DEVICE T load(const T* address) {
  return *address;
}
template <class T>
SIMT_DEVICE void store(T* address, T value) {
  *address = value;
}
template <class T>
SIMT_DEVICE T load_readonly(const T* address) {
  return __ldg(address);
}

/// Only affects the time. @param bytes from `base` that will be read soon
SIMT_DEVICE void prefetch(const void* base, u64 bytes) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const u8*>(base) + bytes));
}

namespace detail {

SIMT_DEVICE u32 shared_address(const void* address) { return static_cast<u32>(__cvta_generic_to_shared(address)); }

// One function per (operation, order, scope, width); the templates below choose. "memory" keeps the compiler from
// moving plain accesses across any of them.
#define SIMT_LOAD(order_name, scope_name, space, width, type, reg, address_reg, convert) \
  SIMT_DEVICE type load_##order_name##_##scope_name(const type* address) {               \
    type value;                                                                          \
    asm volatile("ld." #order_name "." space #width " %0, [%1];"                         \
                 : "=" reg(value)                                                        \
                 : address_reg(convert(address))                                         \
                 : "memory");                                                            \
    return value;                                                                        \
  }
#define SIMT_STORE(order_name, scope_name, space, width, type, reg, address_reg, convert)                    \
  SIMT_DEVICE void store_##order_name##_##scope_name(type* address, type value) {                            \
    asm volatile("st." #order_name "." space #width " [%0], %1;" ::address_reg(convert(address)), reg(value) \
                 : "memory");                                                                                \
  }
#define SIMT_ATOMIC(operation, ptx, order_name, scope_name, space, width, type, reg, address_reg, convert) \
  SIMT_DEVICE type operation##_##order_name##_##scope_name(type* address, type value) {                    \
    type old;                                                                                              \
    asm volatile("atom." #order_name "." space ptx #width " %0, [%1], %2;"                                 \
                 : "=" reg(old)                                                                            \
                 : address_reg(convert(address)), reg(value)                                               \
                 : "memory");                                                                              \
    return old;                                                                                            \
  }
#define SIMT_REDUCE(operation, ptx, order_name, scope_name, space, width, type, reg, address_reg, convert)        \
  SIMT_DEVICE void operation##_##order_name##_##scope_name(type* address, type value) {                           \
    asm volatile("red." #order_name "." space ptx #width " [%0], %1;" ::address_reg(convert(address)), reg(value) \
                 : "memory");                                                                                     \
  }
#define SIMT_COMPARE_EXCHANGE(order_name, scope_name, space, width, type, reg, address_reg, convert)          \
  SIMT_DEVICE type compare_exchange_##order_name##_##scope_name(type* address, type expected, type desired) { \
    type old;                                                                                                 \
    asm volatile("atom." #order_name "." space "cas.b" #width " %0, [%1], %2, %3;"                            \
                 : "=" reg(old)                                                                               \
                 : address_reg(convert(address)), reg(expected), reg(desired)                                 \
                 : "memory");                                                                                 \
    return old;                                                                                               \
  }
#define SIMT_UPDATES(order_name, scope_name, space, width, type, reg, address_reg, convert)              \
  SIMT_ATOMIC(add, "add.u", order_name, scope_name, space, width, type, reg, address_reg, convert)       \
  SIMT_ATOMIC(min, "min.u", order_name, scope_name, space, width, type, reg, address_reg, convert)       \
  SIMT_ATOMIC(or, "or.b", order_name, scope_name, space, width, type, reg, address_reg, convert)         \
  SIMT_ATOMIC(exchange, "exch.b", order_name, scope_name, space, width, type, reg, address_reg, convert) \
  SIMT_COMPARE_EXCHANGE(order_name, scope_name, space, width, type, reg, address_reg, convert)
#define SIMT_WIDTH(scope_name, space, width, type, reg, address_reg, convert)                          \
  SIMT_LOAD(relaxed, scope_name, space ".u", width, type, reg, address_reg, convert)                   \
  SIMT_LOAD(acquire, scope_name, space ".u", width, type, reg, address_reg, convert)                   \
  SIMT_STORE(relaxed, scope_name, space ".u", width, type, reg, address_reg, convert)                  \
  SIMT_STORE(release, scope_name, space ".u", width, type, reg, address_reg, convert)                  \
  SIMT_UPDATES(relaxed, scope_name, space ".", width, type, reg, address_reg, convert)                 \
  SIMT_UPDATES(acquire, scope_name, space ".", width, type, reg, address_reg, convert)                 \
  SIMT_UPDATES(release, scope_name, space ".", width, type, reg, address_reg, convert)                 \
  SIMT_UPDATES(acq_rel, scope_name, space ".", width, type, reg, address_reg, convert)                 \
  SIMT_REDUCE(reduce, "add.u", relaxed, scope_name, space ".", width, type, reg, address_reg, convert) \
  SIMT_REDUCE(reduce, "add.u", release, scope_name, space ".", width, type, reg, address_reg, convert)
#define SIMT_SPACE(scope_name, space, address_reg, convert)         \
  SIMT_WIDTH(scope_name, space, 32, u32, "r", address_reg, convert) \
  SIMT_WIDTH(scope_name, space, 64, u64, "l", address_reg, convert)

SIMT_DEVICE const void* global_address(const void* address) { return address; }

SIMT_SPACE(block, "cta.shared", "r", shared_address)
SIMT_SPACE(device, "gpu.global", "l", global_address)
SIMT_SPACE(system, "sys.global", "l", global_address)

#undef SIMT_SPACE
#undef SIMT_WIDTH
#undef SIMT_UPDATES
#undef SIMT_COMPARE_EXCHANGE
#undef SIMT_REDUCE
#undef SIMT_ATOMIC
#undef SIMT_STORE
#undef SIMT_LOAD

}  // namespace detail

#define SIMT_BY_SCOPE(call, order_name, ...)                                                  \
  if constexpr (S == scope::block) return detail::call##_##order_name##_block(__VA_ARGS__);   \
  if constexpr (S == scope::device) return detail::call##_##order_name##_device(__VA_ARGS__); \
  if constexpr (S == scope::system) return detail::call##_##order_name##_system(__VA_ARGS__);
#define SIMT_UPDATE(call, ...)                \
  if constexpr (O == order::relaxed) {        \
    SIMT_BY_SCOPE(call, relaxed, __VA_ARGS__) \
  }                                           \
  if constexpr (O == order::acquire) {        \
    SIMT_BY_SCOPE(call, acquire, __VA_ARGS__) \
  }                                           \
  if constexpr (O == order::release) {        \
    SIMT_BY_SCOPE(call, release, __VA_ARGS__) \
  }                                           \
  if constexpr (O == order::acq_rel) {        \
    SIMT_BY_SCOPE(call, acq_rel, __VA_ARGS__) \
  }

// compute-sanitizer's racecheck knows atomics, but not the release and acquire of ordinary accesses to shared memory.
// Variants for it (environment variable MLMQ_RACECHECK) read and write these words by atomics of the same order, which
// makes a search on a road network 4 to 7 % slower.
#ifdef SIMT_RACECHECK
inline constexpr bool shared_words_by_atomics = true;
#else
inline constexpr bool shared_words_by_atomics = false;
#endif
template <order O, scope S, class T>
SIMT_DEVICE T load_atomic(const T* address) {
  static_assert(O == order::relaxed || O == order::acquire);
  if constexpr (S == scope::block && shared_words_by_atomics) {
    T* const word = const_cast<T*>(address);
    if constexpr (O == order::relaxed) return detail::compare_exchange_relaxed_block(word, T{0}, T{0});
    if constexpr (O == order::acquire) return detail::compare_exchange_acquire_block(word, T{0}, T{0});
  }
  if constexpr (O == order::relaxed) {
    SIMT_BY_SCOPE(load, relaxed, address)
  }
  if constexpr (O == order::acquire) {
    SIMT_BY_SCOPE(load, acquire, address)
  }
}
template <order O, scope S, class T>
SIMT_DEVICE void store_atomic(T* address, T value) {
  static_assert(O == order::relaxed || O == order::release);
  if constexpr (S == scope::block && shared_words_by_atomics) {
    if constexpr (O == order::relaxed) detail::exchange_relaxed_block(address, value);
    if constexpr (O == order::release) detail::exchange_release_block(address, value);
    return;
  }
  if constexpr (O == order::relaxed) {
    SIMT_BY_SCOPE(store, relaxed, address, value)
  }
  if constexpr (O == order::release) {
    SIMT_BY_SCOPE(store, release, address, value)
  }
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_add(T* address, T value) {
  SIMT_UPDATE(add, address, value)
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_min(T* address, T value) {
  SIMT_UPDATE(min, address, value)
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_or(T* address, T value) {
  SIMT_UPDATE(or, address, value)
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_exchange(T* address, T value) {
  SIMT_UPDATE(exchange, address, value)
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_compare_exchange(T* address, T expected, T desired) {
  SIMT_UPDATE(compare_exchange, address, expected, desired)
}
template <order O, scope S, class T>
SIMT_DEVICE void reduce_add(T* address, T value) {
  static_assert(O == order::relaxed || O == order::release);
  if constexpr (O == order::relaxed) {
    SIMT_BY_SCOPE(reduce, relaxed, address, value)
  }
  if constexpr (O == order::release) {
    SIMT_BY_SCOPE(reduce, release, address, value)
  }
}
#undef SIMT_UPDATE
#undef SIMT_BY_SCOPE

/// Loads four consecutive words of global memory, each like load_atomic<relaxed, device>.
SIMT_DEVICE quad load_quad(const quad* address) {
  quad value;
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address)
               : "memory");
  return value;
}

template <order O, scope S>
SIMT_DEVICE void fence() {
  if constexpr (S == scope::block) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if constexpr (S == scope::device) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if constexpr (S == scope::system) asm volatile("fence.acq_rel.sys;" ::: "memory");
}

inline constexpr u32 all_lanes = 0xFFFFFFFFu;

SIMT_DEVICE void sync_warp() { __syncwarp(all_lanes); }
SIMT_DEVICE u32 ballot(bool predicate) { return __ballot_sync(all_lanes, predicate); }
SIMT_DEVICE bool any(bool predicate) { return __any_sync(all_lanes, predicate) != 0; }
SIMT_DEVICE bool all(bool predicate) { return __all_sync(all_lanes, predicate) != 0; }
template <class T>
SIMT_DEVICE T shuffle(T value, u32 from_lane) {
  return __shfl_sync(all_lanes, value, static_cast<int>(from_lane));
}
SIMT_DEVICE u32 match_any(u32 value) { return __match_any_sync(all_lanes, value); }
SIMT_DEVICE u32 warp_add(u32 value) { return __reduce_add_sync(all_lanes, value); }
SIMT_DEVICE u32 warp_min(u32 value) { return __reduce_min_sync(all_lanes, value); }
SIMT_DEVICE u32 warp_max(u32 value) { return __reduce_max_sync(all_lanes, value); }
SIMT_DEVICE u32 warp_or(u32 value) { return __reduce_or_sync(all_lanes, value); }
SIMT_DEVICE u32 inclusive_scan(u32 value) {
#pragma unroll
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const u32 other = __shfl_up_sync(all_lanes, value, distance);
    if (lane() >= distance) value += other;
  }
  return value;
}

SIMT_DEVICE void sync_block() { __syncthreads(); }

/// Returns nanoseconds since an arbitrary start, the same on every multiprocessor; may tick as coarsely as a
/// microsecond.
SIMT_DEVICE u64 clock_ns() {
  u64 now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}
SIMT_DEVICE void backoff(u32 nanoseconds) { __nanosleep(nanoseconds); }

SIMT_DEVICE u32 popcount(u32 bits) { return static_cast<u32>(__popc(static_cast<int>(bits))); }
/// Returns the index of the lowest set bit; `bits` must not be 0.
SIMT_DEVICE u32 first_set(u32 bits) { return static_cast<u32>(__ffs(static_cast<int>(bits))) - 1; }
/// Returns the mask of the lanes with a smaller number than this one.
SIMT_DEVICE u32 lanes_below() {
  u32 mask;
  asm("mov.u32 %0, %lanemask_lt;" : "=r"(mask));
  return mask;
}
SIMT_DEVICE float as_float(u32 bits) { return __uint_as_float(bits); }
SIMT_DEVICE u32 as_bits(float value) { return __float_as_uint(value); }

}  // namespace simt
