// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/elimination_panels.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

namespace mlmq::multi_source {
namespace {

constexpr std::uint32_t no_position = 0xFFFF'FFFF;

class panel_divider {
 public:
  explicit panel_divider(const graph::elimination& tree) : tree_(tree), top_(tree.vertices()) {
    for (std::uint32_t p = 0; p < tree.vertices(); ++p) top_[p] = is_below_in_supernode(p) ? top_[tree.parent[p]] : p;
  }

  [[nodiscard]] elimination_panels divide() {
    find_panels();
    add_identity();
    for (std::uint32_t p = 0; p < tree_.vertices(); ++p) {
      if (highest_[p] == p) add_panel(p);
    }
    sort_by_level();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t arcs(std::uint32_t p) const { return tree_.upper_neighbours(p).size(); }
  /// Returns whether the upper neighbours of a position are its parent and those of the parent.
  [[nodiscard]] bool is_below_in_supernode(std::uint32_t p) const {
    return tree_.parent[p] != p && arcs(p) == arcs(tree_.parent[p]) + 1;
  }

  /// A vertex continues the panel of its parent if it has the highest subtree of those that can.
  void find_panels() {
    const std::uint32_t n = tree_.vertices();
    std::vector<std::uint32_t> height(n, 0);
    next_.assign(n, no_position);
    for (std::uint32_t p = n; p-- > 0;) {
      const std::uint32_t parent = tree_.parent[p];
      if (parent == p) continue;
      height[parent] = std::max(height[parent], height[p] + 1);
      if (is_below_in_supernode(p) && (next_[parent] == no_position || height[next_[parent]] <= height[p]))
        next_[parent] = p;
    }
    highest_.resize(n);
    std::vector<std::uint32_t> column(n, 0);
    for (std::uint32_t p = 0; p < n; ++p) {
      const std::uint32_t parent = tree_.parent[p];
      const bool continues = parent != p && next_[parent] == p && column[parent] + 1 < most_panel_columns;
      highest_[p] = continues ? highest_[parent] : p;
      column[p] = continues ? column[parent] + 1 : 0;
    }
    levels_.assign(n, 0);
    for (std::uint32_t p = n; p-- > 0;) {
      const std::uint32_t parent = tree_.parent[p];
      if (parent != p)
        levels_[parent] = std::max(levels_[parent], levels_[p] + (highest_[p] == highest_[parent] ? 0 : 1));
    }
  }

  /// Row `i` of many panels is the arc `i` of each nearer row: the supernodes have the same upper neighbours.
  void add_identity() {
    std::size_t most = 0;
    for (std::uint32_t p = 0; p < tree_.vertices(); ++p) most = std::max(most, arcs(p));
    result_.places.resize(most);
    std::iota(result_.places.begin(), result_.places.end(), 0U);
    first_row_.resize(tree_.vertices());
  }

  void add_panel(std::uint32_t highest) {
    const std::span<const std::uint32_t> heads = tree_.upper_neighbours(highest);
    first_row_[highest] = result_.rows.size();
    elimination_panel panel{.first_column = static_cast<u32>(result_.columns.size()),
                            .columns = 0,
                            .first_row = static_cast<u32>(result_.rows.size()),
                            .rows = static_cast<u32>(heads.size())};
    for (std::uint32_t p = highest; p != no_position && highest_[p] == highest; p = next_[p]) {
      result_.columns.push_back(static_cast<u32>(tree_.first_arc[p]));
      ++panel.columns;
    }
    for (const std::uint32_t head : heads)
      result_.rows.push_back({.first_arc = static_cast<u32>(tree_.first_arc[head]), .first_place = 0});
    const std::span<panel_row> rows = std::span(result_.rows).last(heads.size());
    if (top_[highest] == highest) {
      find_places(heads, rows);
    } else {  // the rows of the supernode, and then those of its vertices above, which have arcs to all before them
      const std::size_t first = first_row_[top_[highest]];
      for (std::size_t i = 0; i < arcs(top_[highest]); ++i) rows[i].first_place = result_.rows[first + i].first_place;
    }
    result_.panels.push_back(panel);
    panel_levels_.push_back(levels_[highest]);
  }

  /// Finds the places of arcs among rows. Rows of the same supernode share them.
  void find_places(std::span<const std::uint32_t> heads, std::span<panel_row> rows) {
    for (std::size_t begin = 0; begin < heads.size();) {
      const std::uint32_t top = top_[heads[begin]];
      std::size_t end = begin + 1;
      while (end < heads.size() && top_[heads[end]] == top) ++end;
      const std::size_t first_place = result_.places.size();
      const std::span<const std::uint32_t> others = tree_.upper_neighbours(top);
      std::size_t place = 0;
      for (std::size_t i = 0; i < begin; ++i) {
        while (others[place] != heads[i]) ++place;
        result_.places.push_back(static_cast<u32>(place));
      }
      for (std::size_t i = begin; i + 1 < end; ++i)
        result_.places.push_back(static_cast<u32>(others.size() + tree_.depth[heads[i]] - tree_.depth[top]));
      const bool is_identity =
          result_.places.size() == first_place || result_.places.back() == result_.places.size() - 1 - first_place;
      if (is_identity) result_.places.resize(first_place);
      for (std::size_t i = begin; i < end; ++i) rows[i].first_place = is_identity ? 0 : static_cast<u32>(first_place);
      begin = end;
    }
  }

  void sort_by_level() {
    std::vector<u32> order(result_.panels.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](u32 panel) { return panel_levels_[panel]; });
    for (const u32 number : order) {
      while (result_.level_tiles.size() <= panel_levels_[number]) begin_level();
      add_tiles(number);
      add_strips(number);
    }
    begin_level();
  }

  void begin_level() {
    result_.level_tiles.push_back(static_cast<u32>(result_.tiles.size()));
    result_.level_strips.push_back(static_cast<u32>(result_.strips.size()));
  }

  void add_tiles(u32 number) {
    const u32 rows = result_.panels[number].rows;
    for (u32 near = 1; near < rows; near += tile_near_rows) {
      for (u32 far = 0; far < std::min(near + tile_near_rows, rows) - 1; far += simt::warp_size)
        result_.tiles.push_back({.panel = number, .first_rows = near | far << 16});
    }
  }

  void add_strips(u32 number) {
    const elimination_panel& panel = result_.panels[number];
    if (panel.columns == 1) return;
    for (u32 row = 0; row < panel.rows + panel.columns - 1; row += simt::warp_size)
      result_.strips.push_back({.panel = number, .first_row = row});
  }

  const graph::elimination& tree_;
  std::vector<std::uint32_t> top_;      ///< of the supernode of each position: the first of its vertices
  std::vector<std::uint32_t> highest_;  ///< of the panel of each position
  std::vector<std::uint32_t> next_;     ///< the child that could be the next column of the panel
  std::vector<std::uint32_t> levels_;   ///< of the panel of each position, if that is its highest one
  std::vector<std::size_t> first_row_;  ///< of the panel of each position that is the highest of one
  std::vector<std::uint32_t> panel_levels_;
  elimination_panels result_;
};

}  // namespace

elimination_panels divide_into_panels(const graph::elimination& tree) { return panel_divider(tree).divide(); }

}  // namespace mlmq::multi_source
