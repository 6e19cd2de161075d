// SPDX-License-Identifier: Apache-2.0
// Searches on grids with processors: the reference for checks and the baseline for GPUs. Each object serves one thread
// and one map, and reuses its memory between searches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "problems/astar/grid.hpp"
#include "problems/astar/length.hpp"

namespace mlmq::astar {

/// A start and a goal, both free cells.
struct cell_pair {
  std::uint32_t start = 0;
  std::uint32_t goal = 0;

  bool operator==(const cell_pair&) const = default;
};

inline constexpr units unreachable = ~units{0};

struct search_work {
  std::uint64_t expansions = 0;
  std::uint64_t stale = 0;
  std::uint64_t inserted = 0;
};

/// Finds lengths of shortest paths.
class path_searcher {
 public:
  virtual ~path_searcher() = default;
  /// Returns the length of a shortest path, or `unreachable`.
  [[nodiscard]] virtual units run(const cell_pair& pair) = 0;
  /// Returns the length of the shortest path to a cell that the last search has met, or `unreachable`. That search must
  /// have found a path below 2^32 units.
  [[nodiscard]] virtual units length_at(std::uint32_t cell) const = 0;
  /// Returns the work of all searches so far.
  [[nodiscard]] const search_work& work() const noexcept { return work_; }

 protected:
  search_work work_;
};

/// Names of make_searcher():
///   astar     A* with a bucket queue
///   jps       jump point search, which scans 64 cells of a row or column at a time
///   dijkstra  no estimate, a binary heap: the oracle, simple and slow
[[nodiscard]] std::span<const std::string_view> searcher_names();
/// Makes a searcher; null for an unknown name. The map must outlive it.
[[nodiscard]] std::unique_ptr<path_searcher> make_searcher(std::string_view name, const grid& map);

/// Returns the length of a shortest path on a map without obstacles.
[[nodiscard]] units free_length(const grid& map, std::uint32_t start, std::uint32_t goal) noexcept;

/// Computes the lengths of shortest paths for all pairs on `threads` threads (0: one per processor).
/// @param searcher one of searcher_names()
[[nodiscard]] std::vector<units> solve_all(const grid& map, std::span<const cell_pair> pairs, unsigned threads = 0,
                                           std::string_view searcher = "astar");

}  // namespace mlmq::astar
