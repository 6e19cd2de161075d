// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine and compiler (the standard's distributions are
// not).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace mlmq::graph {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads every input bit
/// over the result.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// One hash of several numbers, order matters.
[[nodiscard]] constexpr std::uint64_t mix64(std::initializer_list<std::uint64_t> numbers) noexcept {
  std::uint64_t hash = 0;
  for (const std::uint64_t number : numbers) {
    hash = mix64(hash + 0x9E3779B97F4A7C15u + mix64(number + 0x9E3779B97F4A7C15u));
  }
  return hash;
}

/// `bits`, uniform over all 64-bit numbers, scaled down to 0 … bound-1 by its upper half. The bias,
/// at most bound / 2^32, does not matter for weights.
[[nodiscard]] constexpr std::uint32_t scale_to(std::uint64_t bits, std::uint32_t bound) noexcept {
  return static_cast<std::uint32_t>(((bits >> 32) * bound) >> 32);
}

/// SplitMix64: a counter run through mix64. Period 2^64, passes BigCrush.
class random_stream {
 public:
  /// Equal lists give equal streams, different lists unrelated ones.
  explicit constexpr random_stream(std::initializer_list<std::uint64_t> seeds) noexcept : state_(mix64(seeds)) {}

  /// Uniform over all 64-bit numbers.
  constexpr std::uint64_t next() noexcept { return mix64(state_ += 0x9E3779B97F4A7C15u); }

  /// Uniform over 0 … bound-1, bound at least 1, without bias (Lemire 2019).
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    __extension__ using wide = unsigned __int128;
    wide product = static_cast<wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t rejected = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < rejected) {
        product = static_cast<wide>(next()) * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  std::uint64_t state_;
};

/// The part of all 2^32 values of 32 random bits that stands for a probability.
/// @param probability 0 to 1
[[nodiscard]] constexpr std::uint64_t share_of_32_bits(double probability) noexcept {
  return static_cast<std::uint64_t>(probability * 4294967296.0);  // a power of two: no rounding but the last
}

/// Any order of the items is as likely as any other (Fisher, Yates).
template <class T>
void shuffle(std::vector<T>& items, random_stream& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace mlmq::graph
