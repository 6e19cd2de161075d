// SPDX-License-Identifier: Apache-2.0
// A place in the kernel's source.
#pragma once

#include <cstdint>

namespace mlmq::backends::simulator {

/// `file` is a literal in the loaded kernel: valid while the kernel is.
struct call_site {
  const char* file = nullptr;
  std::uint32_t line = 0;
};

}  // namespace mlmq::backends::simulator
