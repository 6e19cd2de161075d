// SPDX-License-Identifier: Apache-2.0
// The simulated model of PHOLD. Every kernel, the simulator and CPUs compute it identically, bit for bit.
//
// An event is one word: its time in ticks in the upper 48 bits, an identity of 16 bits below. Words order events: by
// time, then by identity. Two events of one entity with the same word are indistinguishable, so the order is total.
//
// The draws of the i-th event that an entity executes depend only on (seed, entity, i): a uniform target and an
// exponential delay. The new event is at the time of the executed event + lookahead + delay. The trace therefore does
// not depend on windows, queues or schedules.
#pragma once

#include "simt/types.cuh"

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#define MLMQ_PHOLD_FUNCTION __device__ __forceinline__
#else
#define MLMQ_PHOLD_FUNCTION inline
#endif

namespace mlmq::phold {

inline constexpr u32 identity_bits = 16;
/// Ticks in one unit of virtual time: 2^20.
inline constexpr u32 tick_bits = 20;
/// Value that stands for no event: events are never all ones.
inline constexpr u64 no_event = ~0ull;
/// Value that stands for the entity in the draws of the initial events.
inline constexpr u32 initial_entity = 0xFFFFFFFFu;

/// Parameters of the draws.
struct model {
  u64 key;             ///< hash of the seed
  u64 lookahead;       ///< in ticks, above 0
  u32 entities;        ///< number of entities N, above 0
  u32 delay_mantissa;  ///< median of the delay in ticks: mantissa · 2^(32 - shift)
  u32 delay_shift;
};

/// Result of the draw when an entity executes an event.
struct event_draw {
  u64 number;  ///< hash of (seed, entity, index); part of the hash of the trace
  u64 delay;   ///< in ticks
  u32 target;  ///< below N
};

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
MLMQ_PHOLD_FUNCTION u64 mix(u64 x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// Returns log2(1 + f / 2^31) · 2^32 with a relative error below 2^-26, by a polynomial of degree 9 times f.
/// @param f below 2^31
MLMQ_PHOLD_FUNCTION u64 log2_above_one(u32 f) {
  // In units of 2^-30: log2(1 + x) / x, interpolated at the Chebyshev nodes of [0, 1].
  const long long x = static_cast<int>(f);
  int sum = -4919973;
  sum = 30272977 + static_cast<int>(sum * x >> 31);
  sum = -87327348 + static_cast<int>(sum * x >> 31);
  sum = 163329378 + static_cast<int>(sum * x >> 31);
  sum = -236539664 + static_cast<int>(sum * x >> 31);
  sum = 304600243 + static_cast<int>(sum * x >> 31);
  sum = -386520997 + static_cast<int>(sum * x >> 31);
  sum = 516304548 + static_cast<int>(sum * x >> 31);
  sum = -774539339 + static_cast<int>(sum * x >> 31);
  sum = 1549081996 + static_cast<int>(sum * x >> 31);
  return static_cast<u64>(sum * x >> 29);
}

MLMQ_PHOLD_FUNCTION u32 leading_zeros(u64 bits) {
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
  return static_cast<u32>(__clzll(static_cast<long long>(bits)));
#else
  return static_cast<u32>(__builtin_clzll(bits));
#endif
}

/// Returns an exponential delay in ticks from 64 random bits: -log2(bits / 2^64), scaled.
MLMQ_PHOLD_FUNCTION u64 delay_of(const model& m, u64 bits) {
  const u64 number = bits | 1;
  const u32 zeros = leading_zeros(number);
  const u32 fraction = static_cast<u32>((number << zeros << 1) >> 33);
  const u64 fixed_one = 1ull << 32;
  const u64 log = log2_above_one(fraction);
  // The polynomial may exceed log2(2) by its error.
  const u64 negative = (zeros + 1) * fixed_one - (log < fixed_one ? log : fixed_one);
  return negative * m.delay_mantissa >> m.delay_shift;
}

/// @param index of the event among those of the entity, from 0
MLMQ_PHOLD_FUNCTION event_draw draw(const model& m, u32 entity, u32 index) {
  event_draw drawn;
  drawn.number = mix(m.key + 0x9E3779B97F4A7C15ull * (static_cast<u64>(entity) << 32 | index));
  drawn.target = static_cast<u32>((drawn.number >> 32) * m.entities >> 32);
  drawn.delay = delay_of(m, mix(drawn.number + m.key));
  return drawn;
}

MLMQ_PHOLD_FUNCTION u64 time_of(u64 event) { return event >> identity_bits; }
/// Returns the least event word with a time.
MLMQ_PHOLD_FUNCTION u64 least_at(u64 time) { return time << identity_bits; }
MLMQ_PHOLD_FUNCTION u64 event_at(u64 time, const event_draw& drawn) {
  return least_at(time) | (drawn.number & ((1u << identity_bits) - 1));
}

/// Returns the event that executing `executed` creates, given its draw.
MLMQ_PHOLD_FUNCTION u64 created_event(const model& m, u64 executed, const event_draw& drawn) {
  return event_at(time_of(executed) + m.lookahead + drawn.delay, drawn);
}

/// Returns the draw of initial event number `i`: the event's target and, as the delay, its time.
MLMQ_PHOLD_FUNCTION event_draw initial_draw(const model& m, u32 i) { return draw(m, initial_entity, i); }
MLMQ_PHOLD_FUNCTION u64 initial_event(const event_draw& drawn) { return event_at(drawn.delay, drawn); }

/// Returns the contribution of one executed event to the hash of a trace, which is the sum over all events.
MLMQ_PHOLD_FUNCTION u64 hash_of(u64 event, const event_draw& drawn) { return mix(drawn.number + event); }

}  // namespace mlmq::phold
