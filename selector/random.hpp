// SPDX-License-Identifier: Apache-2.0
// Random numbers that are equal on every platform: distributions and shuffles of standard libraries differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mlmq::selector {

/// SplitMix64.
class portable_random {
 public:
  explicit portable_random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

  /// Returns a number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

template <typename T>
void shuffle(std::vector<T>& items, std::uint64_t seed) {
  portable_random random(seed);
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace mlmq::selector
