// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine; the standard distributions are not.
#pragma once

#include <cstdint>

namespace mlmq::tuner {

/// splitmix64 (Steele, Lea, Flood 2014): 64 bits of state, good enough to choose what to measure.
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in 0 … bound-1; bound > 0. Rejects the incomplete last round, so that no number is
  /// favoured.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept {
    const std::uint64_t rejected = (0 - bound) % bound;  // 2^64 mod bound
    for (;;) {
      const std::uint64_t bits = next();
      if (bits >= rejected) return bits % bound;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace mlmq::tuner
