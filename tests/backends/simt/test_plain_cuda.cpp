// SPDX-License-Identifier: Apache-2.0
// Kernels in plain CUDA C++: results, findings with the user's file and line, and what is refused.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "base/error.hpp"
#include "simt_test.hpp"

using namespace mlmq::backends;
using namespace mlmq::backends::simulator;
using Catch::Matchers::Contains;
using tests::marked_line;
using tests::test_device;

namespace {

/// One function of a kernel file, compiled for a device.
class function {
 public:
  function(test_device& device, const std::string& name, std::map<std::string, std::string> defines = {},
           const std::string& file = "plain.cu")
      : device_(device),
        variant_(device->compile({.file = file, .entry = name, .defines = std::move(defines), .functions = {name}})) {}

  /// @return modelled milliseconds
  template <class... Arguments>
  double run(extent grid, extent block, std::size_t shared_bytes, Arguments... arguments) {
    return launch({.grid = grid, .block = block, .cluster = {}, .shared_bytes = shared_bytes}, arguments...);
  }
  template <class... Arguments>
  double run_cooperative(extent grid, extent block, Arguments... arguments) {
    return launch({.grid = grid, .block = block, .cluster = {}, .cooperative = true}, arguments...);
  }
  /// Returns the finding that stops the launch, or "".
  template <class... Arguments>
  std::string finding(extent grid, extent block, std::size_t shared_bytes, Arguments... arguments) {
    try {
      run(grid, block, shared_bytes, arguments...);
    } catch (const kernel_fault& fault) {
      return fault.what();
    }
    return {};
  }
  [[nodiscard]] const kernel& variant() const { return *variant_; }

 private:
  template <class... Arguments>
  double launch(function_launch spec, Arguments... arguments) {
    const std::array<void*, sizeof...(Arguments)> addresses{&arguments...};
    spec.arguments = addresses;
    return device_->measure([&] { device_->launch_function(*variant_, spec); });
  }

  test_device& device_;
  std::shared_ptr<const kernel> variant_;
};

std::vector<float> count_up(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

}  // namespace

TEST_CASE("plain CUDA: a sum of vectors of any size") {
  test_device device;
  function add(device, "add");
  for (const int n : {1, 31, 1000, 4097}) {
    CAPTURE(n);
    const auto size = static_cast<std::size_t>(n);
    const device_memory a = device.make(count_up(size), "a");
    const device_memory b = device.make(std::vector<float>(size, 1.0F), "b");
    const device_memory sum = device->allocate(size * sizeof(float), "sum");
    const double ms =
        add.run({(static_cast<unsigned>(n) + 99) / 100}, {100}, 0, a.address(), b.address(), sum.address(), n);
    CHECK(ms > 0);
    const std::vector<float> result = device.read<float>(sum);
    for (std::size_t i = 0; i < size; ++i) REQUIRE(result[i] == static_cast<float>(i) + 1);
  }
}
