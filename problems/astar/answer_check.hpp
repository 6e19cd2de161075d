// SPDX-License-Identifier: Apache-2.0
// Checks the answers of a query against a reference.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/astar/pairs.hpp"

namespace mlmq::astar {

/// Searches and their reference answers, which processors compute on first use.
struct reference {
  search_set searches;
  std::vector<units> lengths = {};  ///< lengths of shortest paths; empty: not yet computed

  std::string_view computed_by = {};

  /// Computes the lengths, unless this has been done: by A*, or by Dijkstra's algorithm to check the solver cpu_astar.
  /// @param threads 0: one per processor
  void compute(const grid& map, const std::string& solver, unsigned threads = 0);
};

/// The answers of a solver.
struct answers {
  std::span<const std::uint32_t> lengths;      ///< in units; no_length: no path
  std::span<const std::uint64_t> path_begins;  ///< empty without paths
  std::span<const std::uint8_t> paths;
  bool shortest = true;  ///< whether paths must be shortest; otherwise any legal path is correct
};

/// Checks answers. Lengths must equal the reference (or be at least the reference, unless `actual.shortest`) and agree
/// with the file of scenarios within its tolerance (unless corners are cut). Every step of a path must be legal, and
/// the path must have the stated length.
/// @param right reference, already computed
/// @return "" or a description of the first wrong search
[[nodiscard]] std::string find_error(const grid& map, const reference& right, const answers& actual);

/// Excess of the lengths over the shortest ones.
struct excess {
  double longer = 0;  ///< fraction of the found paths that are not shortest
  double mean = 0;    ///< mean of length / shortest - 1 over the found paths
  double largest = 0;
};
[[nodiscard]] excess excess_of(const reference& right, std::span<const std::uint32_t> lengths);

}  // namespace mlmq::astar
