// SPDX-License-Identifier: Apache-2.0
// A location in a kernel's source.
#pragma once

#include <cstdint>

namespace mlmq::backends::simulator {

/// Location of a call. `file` is a string literal in the loaded kernel and is valid as long as the kernel is loaded.
struct call_site {
  const char* file = nullptr;
  std::uint32_t line = 0;
};

}  // namespace mlmq::backends::simulator
