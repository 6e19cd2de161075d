// SPDX-License-Identifier: Apache-2.0
// Searches on grids by processors: what answers are checked against, and what a GPU has to beat. Each object is for one
// thread and one map, and keeps its memory from search to search.
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
  /// The length of a shortest path, or unreachable.
  [[nodiscard]] virtual units run(const cell_pair& asked) = 0;
  /// What the last search, which found a path below 2^32 units, knows of a cell: the length of the shortest way to it that
  /// it met, or unreachable.
  [[nodiscard]] virtual units length_at(std::uint32_t cell) const = 0;
  /// Of all searches so far.
  [[nodiscard]] const search_work& work() const noexcept { return work_; }

 protected:
  search_work work_;
};

/// Names of make_searcher():
///   astar     A* with a bucket queue
///   jps       jump point search, which looks at 64 cells of a row or column at a time
///   dijkstra  no estimate, a binary heap: the oracle, simple and slow
[[nodiscard]] std::span<const std::string_view> searcher_names();
/// The map outlives the searcher. Null for an unknown name.
[[nodiscard]] std::unique_ptr<path_searcher> make_searcher(std::string_view name, const grid& map);

/// The length of the shortest way on a map without obstacles.
[[nodiscard]] units free_length(const grid& map, std::uint32_t from, std::uint32_t to) noexcept;

/// Lengths of shortest paths for all pairs, by A* on `threads` threads (0: as many as there are processors).
[[nodiscard]] std::vector<units> solve_all(const grid& map, std::span<const cell_pair> asked, unsigned threads = 0);

}  // namespace mlmq::astar
