// SPDX-License-Identifier: Apache-2.0
// Compares arrays on the device, so that right results need not be downloaded.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "problems/kernel/definition.hpp"
#include "problems/kernel/element_type.hpp"

namespace mlmq::kernel {

/// The expected numbers of arrays, in device memory. It follows the same rule as compare() (host_array.hpp).
class device_comparison {
 public:
  explicit device_comparison(backends::backend& device) : device_(device) {}

  /// Compiles ahead what all_right() needs for arrays of `count` elements.
  void compile(const element_type& type, std::size_t count);

  /// Keeps the expected numbers of an array, which are in device memory already.
  void keep(std::size_t array, backends::device_memory expected) { expected_[array] = std::move(expected); }
  /// Copies kept numbers to the host.
  [[nodiscard]] std::vector<std::byte> download(std::size_t array);
  /// Returns whether the device compares arrays of `count` elements.
  [[nodiscard]] bool is_able_to_compare(const element_type& type, std::size_t count) const;

  /// Returns whether all numbers are right; false also if the device cannot tell: for types that it does not compare,
  /// or without memory for the expected numbers.
  /// @param array     key of the expected numbers, which are uploaded once
  /// @param expected  empty: those that keep() got
  /// @throws backends::kernel_fault
  [[nodiscard]] bool all_right(std::size_t array, const element_type& type, const backends::device_memory& results,
                               const std::vector<std::byte>& expected, const tolerance& allowed);

 private:
  [[nodiscard]] const backends::kernel& compiled(std::size_t function);

  backends::backend& device_;
  std::map<std::size_t, backends::device_memory> expected_;
  std::map<std::size_t, std::shared_ptr<const backends::kernel>> variants_;  ///< by function
  backends::device_memory count_;
  bool has_memory_ = true;
};

}  // namespace mlmq::kernel
