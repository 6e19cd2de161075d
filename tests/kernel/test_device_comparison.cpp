// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/device_comparison.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "problems/kernel/host_array.hpp"

namespace mlmq::kernel {

TEST_CASE("the device and the host agree on what is right") {
  const auto device = backends::open_device("simt:1x8");
  device_comparison comparison(*device);
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  std::size_t key = 0;
  std::size_t right = 0;
  for (const char* const name : {"float", "double", "int", "unsigned char", "short", "long long", "float4"}) {
    const element_type& type = *find_type(name);
    const bool is_real = type.kind == number_kind::real;
    for (const tolerance& allowed :
         {tolerance{}, tolerance{.absolute = 0.5, .relative = 0, .ulp = 0},
          tolerance{.absolute = 0, .relative = 0.01, .ulp = 0}, tolerance{.absolute = 0, .relative = 0, .ulp = 2}}) {
      for (const auto& [got, expected] : std::vector<std::pair<double, double>>{{1, 1},
                                                                                {100, 100.4},
                                                                                {100, 101},
                                                                                {-0.0, 0.0},
                                                                                {-1, 1},
                                                                                {nan, nan},
                                                                                {nan, 1},
                                                                                {1, nan},
                                                                                {infinity, 1},
                                                                                {1, infinity},
                                                                                {1, 1 + 2e-7}}) {
        if (!is_real && (!std::isfinite(got) || !std::isfinite(expected))) continue;
        CAPTURE(name, allowed.absolute, allowed.relative, allowed.ulp, got, expected);
        constexpr std::size_t count = 600;  // more than a block
        std::vector<std::byte> results(count * type.bytes);
        for (std::size_t i = 0; i < count; ++i) write_number(type, results.data(), i, static_cast<double>(i % 100));
        std::vector<std::byte> expected_numbers = results;
        write_number(type, results.data(), 577, got);
        write_number(type, expected_numbers.data(), 577, expected);
        const backends::device_memory memory = uploaded(*device, results, "results");
        const bool is_right = compare("a", type, results, expected_numbers, allowed).empty();
        CHECK(comparison.all_right(key++, type, memory, expected_numbers, allowed) == is_right);
        right += is_right ? 1 : 0;
      }
    }
  }
  CHECK(right > 20);
}

TEST_CASE("types and sizes that the device does not compare are left to the host") {
  const auto device = backends::open_device("simt:1x8");
  device_comparison comparison(*device);
  const std::vector<std::byte> numbers(8);
  const backends::device_memory memory = uploaded(*device, numbers, "results");
  CHECK_FALSE(comparison.all_right(0, *find_type("half"), memory, numbers, {}));
  CHECK_FALSE(comparison.all_right(1, *find_type("int"), memory, {}, {}));
}

}  // namespace mlmq::kernel
