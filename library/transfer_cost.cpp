// SPDX-License-Identifier: Apache-2.0
#include "library/transfer_cost.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/stopwatch.hpp"

namespace mlmq::detail {

problems::transfer_cost measure_transfer(backends::backend& device) {
  constexpr std::size_t small = std::size_t{4} << 10;
  constexpr std::size_t large = std::size_t{8} << 20;
  constexpr int attempts = 3;
  const std::vector<std::byte> data(large);
  const auto least_ms = [&](std::size_t bytes) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < attempts; ++i) {
      least = std::min(least, milliseconds_of([&] {
                         const backends::device_memory memory = device.allocate(bytes, "measuring transfers");
                         device.upload(memory, data.data(), bytes);
                       }));
    }
    return least;
  };
  const double least_small = least_ms(small);
  const double byte_ms = std::max(0.0, least_ms(large) - least_small) / static_cast<double>(large - small);
  return {.array_ms = std::max(0.0, least_small - static_cast<double>(small) * byte_ms), .byte_ms = byte_ms};
}

}  // namespace mlmq::detail
