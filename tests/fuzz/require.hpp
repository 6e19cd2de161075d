// SPDX-License-Identifier: Apache-2.0
// What the fuzz programs share: how a rule that is broken is made known, and the input as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace mlmq::fuzz {

/// Ends the program, which libFuzzer takes for a finding, when the rule does not hold.
inline void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "broken rule: %s\n", rule);
  std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace mlmq::fuzz
