// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzz programs: reports broken rules.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace mlmq::fuzz {

/// Ends the program if the rule does not hold. libFuzzer reports this as a finding.
inline void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "broken rule: %s\n", rule);
  std::abort();
}

}  // namespace mlmq::fuzz
