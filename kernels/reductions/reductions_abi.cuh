// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernels that reduce the distances of searches (reduce_distances.cu,
// read_pairs.cu).
//
// Sums are integers, so that they do not depend on the order of summation, and host and device compute equal terms:
// all arithmetic with doubles is fused multiply-adds, which every machine rounds alike. Sums of float distances are
// exact: integers of hundreds of bits.
#pragma once

#include "multi_source/distance_batch.cuh"

namespace mlmq {

/// Quantities of one search, over vertices that it reaches. Each has a number of words per search.
enum class reduction_kind : u32 {
  binned_sums,      ///< sums of values, by the first of several ascending limits that a distance does not exceed
  exponential_sum,  ///< sum of values, each times 2^-(distance * rate)
  gaussian_sum,     ///< sum of values, each times 2^-(distance^2 * rate)
  linear_sum,       ///< sum of values, each times 1 - distance * rate if that is positive
  distance_sum,     ///< sum of distances, of floats as digits (float_digits), and the number of vertices
  farthest,         ///< the largest distance; 0 if no vertex is reached
  nearest,          ///< the smallest distances, then the index of the vertex of each; all ones if there are fewer
};

/// Words of a result that stand for no distance or no vertex.
inline constexpr u64 no_result = ~0ull;

/// Entry i is vertex vertices[i] with the value values[i].
struct reduction_arguments {
  distance_batch batch;
  const u32* vertices;
  const u64* values;    ///< at most 2^62 in total; null: 1 each
  const u64* limits;    ///< binned_sums: ascending words of distances
  u64* results;         ///< `width` words for each search; zero at the start of a run, for `nearest` all ones
  u32* saturated_flag;  ///< set to 1 if a distance is `saturated`; zero at the start of a run
  u64 saturated;        ///< stands for distances that are too large
  double rate;
  u32 entries;
  u32 piece_entries;  ///< entries of a task
  u32 width;
};

/// Pairs of a search and a vertex, ordered by search: those of search s are first_pair[s] to first_pair[s + 1] - 1.
struct pair_arguments {
  distance_batch batch;
  const u32* first_pair;
  const u32* vertices;  ///< one per pair
  u64* results;         ///< a distance per pair; no_result if not reached
  u32* saturated_flag;
  u64 saturated;
};

/// Threads of a block of both kernels. Small blocks leave the choice of the shared memory per warp to the host.
inline constexpr u32 reduction_threads = 64;
/// Largest number of words per search.
inline constexpr u32 most_reduction_words = 128;

/// Shared memory of a block of reduce_distances: `width` words for each lane, and room for the limits.
constexpr u32 reduction_bytes(u32 width) {
  return (reduction_threads * width + most_reduction_words) * static_cast<u32>(sizeof(u64));
}

/// A nonnegative float or double as an integer, in units of the smallest positive one: up to three digits of 32 bits,
/// of which the lowest is number `first`. A sum has `count` digits, each less than 2^64 for fewer than 2^32 terms.
template <class Bits>
struct float_digits {
  static constexpr u32 mantissa_bits = sizeof(Bits) == sizeof(u32) ? 23 : 52;
  static constexpr u32 count = sizeof(Bits) == sizeof(u32) ? 9 : 66;

  u32 first;
  u32 digits[3];

  explicit float_digits(Bits bits) {
    const u32 exponent = static_cast<u32>(bits >> mantissa_bits);
    const u64 fraction = static_cast<u64>(bits) & ((u64{1} << mantissa_bits) - 1);
    const u64 mantissa = exponent == 0 ? fraction : fraction | u64{1} << mantissa_bits;
    const u32 lowest_bit = exponent == 0 ? 0 : exponent - 1;
    const u32 shift = lowest_bit % 32;
    first = lowest_bit / 32;
    digits[0] = static_cast<u32>(mantissa << shift);
    digits[1] = static_cast<u32>(mantissa << shift >> 32);
    digits[2] = static_cast<u32>((mantissa >> 32) >> (32 - shift));
  }
};

/// Returns a * b + c, rounded once.
inline double multiply_add(double a, double b, double c) {
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

/// Returns the product as an integer. @param factor 0 to 1.5
inline u64 scaled_value(u64 value, double factor) {
  return static_cast<u64>(multiply_add(static_cast<double>(value), factor, 0.5));
}

/// Returns value * 2^-(length * rate).
inline u64 exponential_share(u64 value, double length, double rate) {
  const double halvings = multiply_add(length, rate, 0.5);
  if (!(halvings < 64)) return 0;
  const u32 whole = static_cast<u32>(halvings);
  const double rest = multiply_add(length, rate, -static_cast<double>(whole));  // -0.5 to 0.5
  // The Taylor series of 2^-rest; the relative error is below 10^-8.
  double power = -1.5252733804059841e-05;
  power = multiply_add(power, rest, 1.5403530393381609e-04);
  power = multiply_add(power, rest, -1.3333558146428443e-03);
  power = multiply_add(power, rest, 9.6181291076284772e-03);
  power = multiply_add(power, rest, -5.5504108664821580e-02);
  power = multiply_add(power, rest, 2.4022650695910072e-01);
  power = multiply_add(power, rest, -6.9314718055994531e-01);
  power = multiply_add(power, rest, 1.0);
  return scaled_value(value, power) >> whole;
}

/// Returns value * (1 - length * rate), at least 0.
inline u64 linear_share(u64 value, double length, double rate) {
  const double factor = multiply_add(-length, rate, 1.0);
  return factor > 0 ? scaled_value(value, factor) : 0;
}

/// Returns the term of a vertex in a sum of values.
template <reduction_kind kind>
inline u64 reduction_term(u64 value, double distance, double rate) {
  if constexpr (kind == reduction_kind::exponential_sum) return exponential_share(value, distance, rate);
  if constexpr (kind == reduction_kind::gaussian_sum) return exponential_share(value, distance * distance, rate);
  if constexpr (kind == reduction_kind::linear_sum) return linear_share(value, distance, rate);
  return value;
}

}  // namespace mlmq
