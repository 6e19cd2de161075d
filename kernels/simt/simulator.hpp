// SPDX-License-Identifier: Apache-2.0
// simt/ on the simulator: the names of cuda.cuh, each a call into backends/simt. No standard header, because a variant
// is compiled in the middle of a sweep.
#pragma once

#include "simt/simulator_api.hpp"
#include "simt/types.cuh"

#define SIMT_DEVICE inline
#define SIMT_OUT_OF_LINE inline
#ifndef MLMQ_BLOCK_THREADS
#error "MLMQ_BLOCK_THREADS: every kernel variant is compiled for one block size"
#endif
// Defines the entry, and the values that the simulator checks before it calls it.
#define SIMT_KERNEL(name, argument_type)                                               \
  static void name##_on_simulator(const argument_type& arguments);                     \
  extern "C" __attribute__((visibility("default"))) void name(const void* arguments) { \
    name##_on_simulator(*static_cast<const argument_type*>(arguments));                \
  }                                                                                    \
  extern "C" __attribute__((visibility("default"))) const u32 name##_argument_bytes;   \
  const u32 name##_argument_bytes = sizeof(argument_type);                             \
  extern "C" __attribute__((visibility("default"))) const u32 name##_api_version;      \
  const u32 name##_api_version = ::simt::simulator::api_version;                       \
  static void name##_on_simulator([[maybe_unused]] const argument_type& arguments)

// See simt.cuh. Only if SIMT_CHECKED is defined: evaluating an assertion may take operations, and an ordinary run must
// do and cost the same as on a GPU.
#ifdef SIMT_CHECKED
#define SIMT_ASSERT(...) ((__VA_ARGS__) ? static_cast<void>(0) : ::simt::detail::violated(#__VA_ARGS__))
#else
#define SIMT_ASSERT(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#endif

// The caller's place in the kernel, for reports.
#define SIMT_PLACE const char *file = __builtin_FILE(), u32 line = __builtin_LINE()

namespace simt {

namespace detail {

SIMT_DEVICE simulator::lane_view* self() {
  const unsigned long frame = reinterpret_cast<unsigned long>(__builtin_frame_address(0));
  const unsigned long stack = frame & ~(simulator::stack_bytes - 1);
  return reinterpret_cast<simulator::lane_view*>(stack + simulator::stack_bytes - simulator::view_bytes);
}

template <class T>
inline constexpr bool is_word = false;
template <>
inline constexpr bool is_word<u32> = true;
template <>
inline constexpr bool is_word<u64> = true;

template <class T>
constexpr void check_plain() {
  static_assert(__is_trivially_copyable(T));
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                "memory is read and written in 1, 2, 4, 8 or 16 bytes");
  static_assert(alignof(T) >= (sizeof(T) < 4 ? sizeof(T) : 4), "what is larger than a word consists of words");
}

template <simulator::atomic_operation operation, order O, scope S, class T>
SIMT_DEVICE T atomic(T* address, T value, T expected, const char* file, u32 line) {
  static_assert(is_word<T>, "atomics work on u32 and u64");
  simulator::lane_view* const me = self();
  constexpr simulator::atomic_code code(operation, O, S, sizeof(T));
  return static_cast<T>(me->call->atomic(me, code.bits, address, value, expected, file, line));
}

SIMT_DEVICE u64 collect(simulator::collective kind, u64 value, u32 from_lane, const char* file, u32 line) {
  simulator::lane_view* const me = self();
  return me->call->collect(me, kind, value, from_lane, file, line);
}

SIMT_DEVICE void violated(const char* condition, SIMT_PLACE) {
  simulator::lane_view* const me = self();
  me->call->violated(me, condition, file, line);
}

}  // namespace detail

SIMT_DEVICE u32 thread_in_block() { return detail::self()->thread_in_block; }
SIMT_DEVICE constexpr u32 block_threads() { return MLMQ_BLOCK_THREADS; }
SIMT_DEVICE u32 lane() { return detail::self()->lane; }
SIMT_DEVICE u32 warp_in_block() { return detail::self()->warp_in_block; }
SIMT_DEVICE u32 block_index() { return detail::self()->block; }
SIMT_DEVICE u32 grid_blocks() { return detail::self()->grid_blocks; }

SIMT_DEVICE u8* shared_memory() { return detail::self()->shared_memory; }

template <class T>
SIMT_DEVICE T load(const T* address, SIMT_PLACE) {
  detail::check_plain<T>();
  simulator::lane_view* const me = detail::self();
  me->call->load(me, address, sizeof(T), alignof(T), false, file, line);
  return *address;
}
template <class T>
SIMT_DEVICE void store(T* address, T value, SIMT_PLACE) {
  detail::check_plain<T>();
  simulator::lane_view* const me = detail::self();
  me->call->store(me, address, &value, sizeof(T), alignof(T), file, line);
}
template <class T>
SIMT_DEVICE T load_readonly(const T* address, SIMT_PLACE) {
  detail::check_plain<T>();
  simulator::lane_view* const me = detail::self();
  me->call->load(me, address, sizeof(T), alignof(T), true, file, line);
  return *address;
}

/// Only affects the time, and not the modelled time.
SIMT_DEVICE void prefetch(const void* /*base*/, u64 /*bytes*/) {}

template <order O, scope S, class T>
SIMT_DEVICE T load_atomic(const T* address, SIMT_PLACE) {
  static_assert(O == order::relaxed || O == order::acquire);
  return detail::atomic<simulator::atomic_operation::load, O, S>(const_cast<T*>(address), T(0), T(0), file, line);
}
template <order O, scope S, class T>
SIMT_DEVICE void store_atomic(T* address, T value, SIMT_PLACE) {
  static_assert(O == order::relaxed || O == order::release);
  detail::atomic<simulator::atomic_operation::store, O, S>(address, value, T(0), file, line);
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_add(T* address, T value, SIMT_PLACE) {
  return detail::atomic<simulator::atomic_operation::add, O, S>(address, value, T(0), file, line);
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_min(T* address, T value, SIMT_PLACE) {
  return detail::atomic<simulator::atomic_operation::min, O, S>(address, value, T(0), file, line);
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_or(T* address, T value, SIMT_PLACE) {
  return detail::atomic<simulator::atomic_operation::bit_or, O, S>(address, value, T(0), file, line);
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_exchange(T* address, T value, SIMT_PLACE) {
  return detail::atomic<simulator::atomic_operation::exchange, O, S>(address, value, T(0), file, line);
}
template <order O, scope S, class T>
SIMT_DEVICE T atomic_compare_exchange(T* address, T expected, T desired, SIMT_PLACE) {
  return detail::atomic<simulator::atomic_operation::compare_exchange, O, S>(address, desired, expected, file, line);
}
template <order O, scope S, class T>
SIMT_DEVICE void reduce_add(T* address, T value, SIMT_PLACE) {
  static_assert(O == order::relaxed || O == order::release);
  detail::atomic<simulator::atomic_operation::reduce_add, O, S>(address, value, T(0), file, line);
}

/// Loads four consecutive words of global memory, each like load_atomic<relaxed, device>.
SIMT_DEVICE quad load_quad(const quad* address, SIMT_PLACE) {
  simulator::lane_view* const me = detail::self();
  quad value;
  me->call->load_quad(me, address, &value, file, line);
  return value;
}

template <order O, scope S>
SIMT_DEVICE void fence(SIMT_PLACE) {
  simulator::lane_view* const me = detail::self();
  me->call->fence(me, O, S, file, line);
}

inline constexpr u32 all_lanes = 0xFFFFFFFFu;

SIMT_DEVICE void sync_warp(SIMT_PLACE) { detail::collect(simulator::collective::sync_warp, 0, 0, file, line); }
SIMT_DEVICE u32 ballot(bool predicate, SIMT_PLACE) {
  return static_cast<u32>(detail::collect(simulator::collective::ballot, predicate ? 1 : 0, 0, file, line));
}
SIMT_DEVICE bool any(bool predicate, SIMT_PLACE) {
  return detail::collect(simulator::collective::any, predicate ? 1 : 0, 0, file, line) != 0;
}
SIMT_DEVICE bool all(bool predicate, SIMT_PLACE) {
  return detail::collect(simulator::collective::all, predicate ? 1 : 0, 0, file, line) != 0;
}
template <class T>
SIMT_DEVICE T shuffle(T value, u32 from_lane, SIMT_PLACE) {
  static_assert(__is_trivially_copyable(T) && (sizeof(T) == 4 || sizeof(T) == 8));
  u64 bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = detail::collect(simulator::collective::shuffle, bits, from_lane, file, line);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
SIMT_DEVICE u32 match_any(u32 value, SIMT_PLACE) {
  return static_cast<u32>(detail::collect(simulator::collective::match_any, value, 0, file, line));
}
SIMT_DEVICE u32 warp_add(u32 value, SIMT_PLACE) {
  return static_cast<u32>(detail::collect(simulator::collective::warp_add, value, 0, file, line));
}
SIMT_DEVICE u32 warp_min(u32 value, SIMT_PLACE) {
  return static_cast<u32>(detail::collect(simulator::collective::warp_min, value, 0, file, line));
}
SIMT_DEVICE u32 warp_max(u32 value, SIMT_PLACE) {
  return static_cast<u32>(detail::collect(simulator::collective::warp_max, value, 0, file, line));
}
SIMT_DEVICE u32 warp_or(u32 value, SIMT_PLACE) {
  return static_cast<u32>(detail::collect(simulator::collective::warp_or, value, 0, file, line));
}
SIMT_DEVICE u32 inclusive_scan(u32 value, SIMT_PLACE) {
  return static_cast<u32>(detail::collect(simulator::collective::inclusive_scan, value, 0, file, line));
}

SIMT_DEVICE void sync_block(SIMT_PLACE) { detail::collect(simulator::collective::sync_block, 0, 0, file, line); }

/// Returns the modelled nanoseconds of this lane since an arbitrary start.
SIMT_DEVICE u64 clock_ns() {
  simulator::lane_view* const me = detail::self();
  return me->call->clock_ns(me);
}
SIMT_DEVICE void backoff(u32 nanoseconds, SIMT_PLACE) {
  simulator::lane_view* const me = detail::self();
  me->call->backoff(me, nanoseconds, file, line);
}

SIMT_DEVICE u32 popcount(u32 bits) { return static_cast<u32>(__builtin_popcount(bits)); }
/// Returns the index of the lowest set bit; `bits` must not be 0.
SIMT_DEVICE u32 first_set(u32 bits) { return static_cast<u32>(__builtin_ctz(bits)); }
/// Returns the mask of the lanes with a smaller number than this one.
SIMT_DEVICE u32 lanes_below() { return (1u << lane()) - 1u; }
SIMT_DEVICE float as_float(u32 bits) { return __builtin_bit_cast(float, bits); }
SIMT_DEVICE u32 as_bits(float value) { return __builtin_bit_cast(u32, value); }

}  // namespace simt

#undef SIMT_PLACE
