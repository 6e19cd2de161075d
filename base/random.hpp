// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine and compiler (those of the standard library's distributions are
// not). All randomness of the project comes from this header. Generated graphs, chosen sources, searches and simulated
// schedules are identified by their seeds, so the sequence of a seed must never change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace mlmq {

/// Increment of SplitMix64's counter: 2^64 divided by the golden ratio.
inline constexpr std::uint64_t golden_step = 0x9E3779B97F4A7C15u;

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads every input bit
/// over the result.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Hashes several numbers; their order matters.
[[nodiscard]] constexpr std::uint64_t mix64(std::initializer_list<std::uint64_t> numbers) noexcept {
  std::uint64_t hash = 0;
  for (const std::uint64_t number : numbers) {
    hash = mix64(hash + golden_step + mix64(number + golden_step));
  }
  return hash;
}

/// Scales `bits`, which are uniform over all 64-bit numbers, down to 0 … bound-1. Uses the upper half of `bits`. The
/// bias is at most bound / 2^32, which does not matter for weights.
[[nodiscard]] constexpr std::uint32_t scale_to(std::uint64_t bits, std::uint32_t bound) noexcept {
  return static_cast<std::uint32_t>(((bits >> 32) * bound) >> 32);
}

/// SplitMix64, a counter whose values are hashed by mix64(). Its period is 2^64, and it passes BigCrush.
class random_stream {
 public:
  /// Creates a stream. Equal lists give equal streams, different lists unrelated ones.
  explicit constexpr random_stream(std::initializer_list<std::uint64_t> seeds) noexcept : state_(mix64(seeds)) {}
  /// Returns the stream of SplitMix64 as published, whose first state is the seed.
  [[nodiscard]] static constexpr random_stream from_state(std::uint64_t seed) noexcept {
    random_stream stream{};
    stream.state_ = seed;
    return stream;
  }

  /// Returns a number that is uniform over all 64-bit numbers.
  constexpr std::uint64_t next() noexcept { return mix64(state_ += golden_step); }

  /// Skips the next `count` numbers.
  constexpr void skip(std::uint64_t count) noexcept { state_ += count * golden_step; }

  /// Returns a number that is uniform over 0 … bound-1, without bias (Lemire 2019). @param bound at least 1
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

  /// Like below(), but by division, which gives other numbers. For sequences that were recorded with this method
  /// (searches, chosen sources).
  constexpr std::uint64_t below_by_division(std::uint64_t bound) noexcept {
    const std::uint64_t rejected = (0 - bound) % bound;  // 2^64 mod bound: an incomplete round
    for (;;) {
      const std::uint64_t bits = next();
      if (bits >= rejected) return bits % bound;
    }
  }

 private:
  constexpr random_stream() noexcept = default;

  std::uint64_t state_ = 0;
};

/// Returns the number of values of 32 random bits that represents a probability.
/// @param probability 0 to 1
[[nodiscard]] constexpr std::uint64_t share_of_32_bits(double probability) noexcept {
  return static_cast<std::uint64_t>(probability * 4294967296.0);  // exact product: a power of two
}

/// Shuffles the items; every order is equally likely (Fisher, Yates).
template <class T>
void shuffle(std::vector<T>& items, random_stream& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

/// A fast linear congruential generator for the simulator, which draws a number for every access. Returns the upper
/// half of the state, which is random enough for schedules.
class fast_stream {
 public:
  /// Creates a stream. Consecutive seeds give unrelated streams.
  explicit constexpr fast_stream(std::uint64_t seed) noexcept : state_(mix64(seed + golden_step) | 1) {}

  /// Returns 32 random bits.
  constexpr std::uint32_t next() noexcept {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  /// Returns a number less than `limit`, which must not be 0. The bias is at most limit / 2^32.
  constexpr std::uint32_t below(std::uint32_t limit) noexcept {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(next()) * limit) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace mlmq
