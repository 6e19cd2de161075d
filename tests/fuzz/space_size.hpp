// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuner/search_space.hpp"

namespace mlmq::fuzz {

/// Returns the largest possible number of configurations, or the limit if that is smaller.
inline std::uint64_t size_of_product(const tuner::space_definition& space, std::uint64_t limit) {
  std::uint64_t size = 1;
  for (const tuner::parameter_request& parameter : space.parameters) {
    size *= parameter.values.size();
    if (size >= limit) return limit;
  }
  return size;
}

}  // namespace mlmq::fuzz
