// SPDX-License-Identifier: Apache-2.0
// The only source of chance in the simulator: small, fast, equal on every machine.
#pragma once

#include <cstdint>

namespace mlmq::backends::simulator {

class random_stream {
 public:
  explicit random_stream(std::uint64_t seed) : state_(mix(seed) | 1) {}

  /// 32 random bits.
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  /// A number below `limit`, which is not 0.
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(next()) * limit >> 32);
  }
  /// SplitMix64: neighbouring seeds give unrelated numbers.
  static std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
  }

 private:
  std::uint64_t state_;
};

}  // namespace mlmq::backends::simulator
