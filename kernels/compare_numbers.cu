// SPDX-License-Identifier: Apache-2.0
// Counts the numbers of an array that are not the expected ones, in plain CUDA C++. problems/kernel uses it to check
// results where they are.

/// Equal bits are always right.
template <typename Bits>
__global__ void count_different(unsigned long long* different, const Bits* results, const Bits* expected,
                                unsigned long long count) {
  unsigned long long own_count = 0;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    own_count += results[i] != expected[i];
  }
  if (own_count > 0) atomicAdd(different, own_count);
}

/// Position of a number in the order of the representable numbers.
template <typename Real, typename Bits>
__device__ long long rank_of(Bits bits) {
  const Bits sign = static_cast<Bits>(1) << (8 * sizeof(Bits) - 1);
  const long long magnitude = static_cast<long long>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

/// Right are equal bits, and of two finite numbers |result - expected| <= absolute, |result - expected| <= relative *
/// |expected|, and at most `ulp` representable numbers from one to the other. A NaN is equal to nothing but the same
/// bits.
template <typename Real, typename Bits>
__global__ void count_distant(unsigned long long* distant, const Bits* results, const Bits* expected,
                              unsigned long long count, double absolute, double relative, unsigned long long ulp) {
  unsigned long long own_count = 0;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    const Bits result_bits = results[i];
    const Bits expected_bits = expected[i];
    if (result_bits == expected_bits) continue;
    const double result = reinterpret_cast<const Real*>(results)[i];
    const double right = reinterpret_cast<const Real*>(expected)[i];
    const double distance = result < right ? right - result : result - right;
    if (result - result != 0 || right - right != 0) {
      ++own_count;
      continue;
    }
    if (distance <= absolute || distance <= relative * (right < 0 ? -right : right)) continue;
    if (ulp > 0) {
      const long long first = rank_of<Real>(result_bits);
      const long long second = rank_of<Real>(expected_bits);
      const unsigned long long steps = first > second ? static_cast<unsigned long long>(first) - second
                                                      : static_cast<unsigned long long>(second) - first;
      if (steps <= ulp) continue;
    }
    ++own_count;
  }
  if (own_count > 0) atomicAdd(distant, own_count);
}
