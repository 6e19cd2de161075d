// SPDX-License-Identifier: Apache-2.0
// What the answers of a query must be, and whether they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problems/astar/pairs.hpp"

namespace mlmq::astar {

/// Searches, and their answers by processors, computed when they are first wanted.
struct reference {
  search_set asked;
  std::vector<units> lengths = {};  ///< of shortest paths; empty: not yet computed

  /// By A*, unless it has been done. @param threads 0: one for each processor
  void compute(const grid& map, unsigned threads = 0);
};

/// How a solver answered.
struct answers {
  std::span<const std::uint32_t> lengths;      ///< in units; no_length: no path
  std::span<const std::uint64_t> path_begins;  ///< empty without paths
  std::span<const std::uint8_t> paths;
  bool shortest = true;  ///< what is promised; otherwise any legal path will do
};

/// @param right computed
/// @return "" or what is wrong, of the first search that is. Lengths must be those of the reference (not below it, where the
/// shortest is not promised), those of a file of scenarios within its tolerance (where corners are not cut), and paths must
/// be legal step by step and as long as they are said to be.
[[nodiscard]] std::string what_is_wrong(const grid& map, const reference& right, const answers& given);

/// By how much lengths exceed the shortest.
struct excess {
  double longer = 0;  ///< share of the searches that found a path, whose path is not the shortest
  double mean = 0;    ///< of length / shortest - 1 over all searches that found a path
  double largest = 0;
};
[[nodiscard]] excess excess_of(const reference& right, std::span<const std::uint32_t> lengths);

}  // namespace mlmq::astar
