// SPDX-License-Identifier: Apache-2.0
// Searches an elimination hierarchy from several sources at once, with one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/hierarchy/customization.hpp"
#include "multi_source/multi_source_abi.cuh"

namespace mlmq::multi_source {

/// Number of sources that are searched from together.
inline constexpr std::size_t hierarchy_lanes = 16;

/// One distance for each source, aligned for vector instructions.
struct alignas(hierarchy_lanes * sizeof(std::uint32_t)) lane_distances {
  std::array<std::uint32_t, hierarchy_lanes> lanes;
};

/// Distances of successive positions.
struct swept_rows {
  std::span<const std::uint32_t> positions;
  std::span<lane_distances> distances;  ///< parallel to `positions`; search_hierarchy::no_path() if not reached
};

/// Searches from up to 16 sources together (Delling, Goldberg, Nowatzyk and Werneck 2011): from each source upwards
/// along its path in the elimination tree, then downwards over all vertices. All upper neighbours of a vertex are its
/// ancestors, so the distances of the ancestors of the current vertex suffice, which fit into the cache. For one
/// thread.
class hierarchy_search {
 public:
  /// @param hierarchy must outlive the object
  explicit hierarchy_search(const graph::search_hierarchy& hierarchy);

  /// @param sources   at most hierarchy_lanes vertices of the graph; the other lanes reach nothing
  /// @param positions positions to visit, ascending, with all ancestors of each
  /// @param take      receives the distances of all visited positions, in order; may change them. Returns false to end
  ///   the search
  /// @return false if `take` ended the search
  bool run(std::span<const graph::vertex_id> sources, std::span<const std::uint32_t> positions,
           const std::function<bool(const swept_rows&)>& take);

  /// Returns how many arcs were relaxed, each for all lanes at once.
  [[nodiscard]] std::uint64_t relaxations() const { return relaxations_; }

 private:
  template <class Lengths>
  void ascend(std::size_t lane, std::uint32_t position);
  void set_first_distances(std::size_t sources, swept_rows rows);

  const graph::search_hierarchy& hierarchy_;
  lane_distances nothing_reached_;
  std::vector<lane_distances> from_below_;  ///< result of the upward searches, by depth
  std::vector<std::uint32_t> paths_;        ///< positions on the paths of all sources, ascending
  std::size_t next_on_paths_ = 0;
  std::vector<lane_distances> of_ancestors_;  ///< final distances of the current vertex's ancestors, by depth
  std::array<std::uint32_t, hierarchy_lanes> source_positions_{};
  std::uint64_t relaxations_ = 0;
};

/// Sums up the answers of up to 16 searches.
struct lane_answers {
  std::array<std::uint64_t, hierarchy_lanes> digests{};
  std::array<std::uint32_t, hierarchy_lanes> reached{};
  std::array<std::uint32_t, hierarchy_lanes> farthest{};

  /// @param vertices vertex of the graph at each position
  /// @param no_path  distances that are not less are not reached
  void add(const swept_rows& rows, std::span<const graph::vertex_id> vertices, std::uint32_t no_path);
  [[nodiscard]] multi_source_answer answer(std::size_t lane) const;
};

}  // namespace mlmq::multi_source
