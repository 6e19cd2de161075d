// SPDX-License-Identifier: Apache-2.0
// A location in a kernel's source.
#pragma once

#include <cstdint>

namespace mlmq::backends::simulator {

/// Location of a call. `file` is a string literal in the loaded kernel and is valid as long as the kernel is loaded.
/// For plain accesses of kernels in plain CUDA C++, it is the address in the code to which the call returns.
struct call_site {
  static constexpr std::uint32_t in_code = ~std::uint32_t{0};

  const char* file = nullptr;
  std::uint32_t line = 0;  ///< in_code: `file` is an address

  [[nodiscard]] static call_site of_code(const void* return_address) {
    return {static_cast<const char*>(return_address), in_code};
  }
};

}  // namespace mlmq::backends::simulator
