// SPDX-License-Identifier: Apache-2.0
#include "tuner/load_budget.hpp"

#include <unistd.h>

#include <algorithm>

namespace mlmq::tuner {

std::uint64_t bytes_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return 0;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
}

load_budget load_budget::of_machine(unsigned processes) {
  constexpr std::uint64_t share_of_memory = 8;
  // An edge of a graph takes 8 bytes, and about six times as much while the graph is made.
  constexpr std::uint64_t bytes_per_unit = 64;
  return load_budget(bytes_of_machine() / share_of_memory / bytes_per_unit / std::max(1U, processes));
}

}  // namespace mlmq::tuner
