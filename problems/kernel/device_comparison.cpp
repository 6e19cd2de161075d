// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/device_comparison.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace mlmq::kernel {
namespace {

constexpr unsigned block_threads = 256;
constexpr std::uint64_t most_blocks = 4096;
constexpr double limit_ms = 60e3;
/// A simulated comparison of more numbers takes longer than one on the host.
constexpr std::uint64_t most_modelled_numbers = 4096;

constexpr std::array functions{"count_distant<float, unsigned>", "count_distant<double, unsigned long long>",
                               "count_different<unsigned char>", "count_different<unsigned short>",
                               "count_different<unsigned>",      "count_different<unsigned long long>"};

/// Returns the function that compares numbers of a type; nothing if there is none.
std::optional<std::size_t> function_for(const element_type& type) {
  if (type.is_real()) {
    if (type.bytes == 2) return std::nullopt;
    return type.bytes == 4 ? 0 : 1;
  }
  switch (type.bytes) {
    case 1:
      return 2;
    case 2:
      return 3;
    case 4:
      return 4;
    default:
      return 5;
  }
}

}  // namespace

bool device_comparison::is_able_to_compare(const element_type& type, std::size_t count) const {
  return function_for(type) && (!device_.info().modelled || count * type.numbers <= most_modelled_numbers);
}

const backends::kernel& device_comparison::compiled(std::size_t function) {
  std::shared_ptr<const backends::kernel>& variant = variants_[function];
  if (variant == nullptr) {
    backends::kernel_source source;
    source.file = "compare_numbers.cu";
    source.entry = "compare_numbers";
    source.functions = {functions[function]};
    variant = device_.compile(source);
  }
  return *variant;
}

void device_comparison::compile(const element_type& type, std::size_t count) {
  if (is_able_to_compare(type, count)) (void)compiled(*function_for(type));
}

std::vector<std::byte> device_comparison::download(std::size_t array) {
  const backends::device_memory& expected = expected_.at(array);
  std::vector<std::byte> numbers(expected.bytes());
  device_.download(numbers.data(), expected, numbers.size());
  return numbers;
}

bool device_comparison::all_right(std::size_t array, const element_type& type, const backends::device_memory& results,
                                  const std::vector<std::byte>& expected, const tolerance& allowed) {
  backends::device_memory& right = expected_[array];
  const std::size_t bytes = expected.empty() ? right.bytes() : expected.size();
  std::uint64_t count = bytes / type.bytes;
  if (!is_able_to_compare(type, count / type.numbers) || count == 0 || results.bytes() != bytes || !has_memory_) {
    return false;
  }
  try {
    if (count_.address() == nullptr) count_ = device_.allocate(sizeof(std::uint64_t), "number of wrong results");
    if (right.bytes() != bytes) {
      right = {};
      right = device_.allocate(expected.size(), "expected results");
      device_.upload(right, expected.data(), expected.size());
    }
  } catch (const backends::out_of_device_memory&) {
    has_memory_ = false;
    return false;
  }
  const backends::kernel& variant = compiled(*function_for(type));
  double absolute = allowed.absolute;
  double relative = allowed.relative;
  std::uint64_t ulp = allowed.ulp;
  void* results_address = results.address();
  void* expected_address = right.address();
  void* count_address = count_.address();
  std::vector<void*> arguments = {&count_address, &results_address, &expected_address, &count};
  if (type.is_real()) {
    arguments.insert(arguments.end(), {&absolute, &relative, &ulp});
  }
  backends::function_launch launch;
  launch.block.x = block_threads;
  launch.grid.x = static_cast<unsigned>(std::min(most_blocks, (count + block_threads - 1) / block_threads));
  launch.arguments = arguments;
  device_.set_watchdog({.limit_ms = limit_ms, .grace_ms = 2000, .fire = [] {}});
  std::uint64_t wrong = 0;
  const backends::host_copy copy{.source = &count_, .destination = &wrong, .bytes = sizeof wrong};
  (void)device_.measure_and_download(
      [&] {
        device_.fill(count_, 0, sizeof wrong, 0);
        device_.launch_function(variant, launch);
      },
      {&copy, 1});
  return wrong == 0;
}

}  // namespace mlmq::kernel
