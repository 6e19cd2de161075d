// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzz programs: reporting a broken rule.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace mlmq::fuzz {

/// Ends the program, which libFuzzer takes for a finding, when the rule does not hold.
inline void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "broken rule: %s\n", rule);
  std::abort();
}

}  // namespace mlmq::fuzz
