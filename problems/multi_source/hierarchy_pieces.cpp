// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/hierarchy_pieces.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "backends/backend.hpp"
#include "base/stop.hpp"

namespace mlmq::multi_source {
namespace {

using graph::elimination;

constexpr std::uint32_t no_slot = ~std::uint32_t{0};
constexpr std::uint32_t largest_16_bits = 0xFFFF;
/// Share of the slots that vertices of the piece may take; the others are for ancestors above it.
constexpr double share_of_piece = 0.75;
/// Part of the current round during which the pieces of the next one are swept ahead.
constexpr double share_for_next_round = 0.8;

void require_32_bits(std::size_t number) {
  if (number > std::numeric_limits<std::uint32_t>::max())
    throw backends::launch_error("the hierarchy of this graph has 2^32 arcs or more");
}

class piece_cutter {
 public:
  piece_cutter(const elimination& tree, const piece_limits& limits, bool stores_all)
      : tree_(tree),
        limits_(limits),
        most_height_(std::max(1U, static_cast<std::uint32_t>(share_of_piece * limits.slots))),
        is_stored_(tree_.vertices(), stores_all ? 1 : 0),
        is_top_(tree_.vertices(), 0),
        begins_piece_(tree_.vertices(), 0),
        piece_of_(tree_.vertices(), no_piece),
        depth_in_piece_(tree_.vertices(), 0),
        row_of_(tree_.vertices(), 0),
        uses_(tree_.vertices(), 0),
        slot_of_(tree_.vertices(), no_slot) {
    result_.vertex_rows.resize(stores_all ? tree_.vertices() : 0);
  }

  [[nodiscard]] hierarchy_pieces cut() {
    find_top();
    cut_top();
    list_top_pieces();
    list_other_pieces();
    for (std::uint32_t piece = 0; piece < members_.size(); ++piece) choose_boundary(piece);
    number_rows();
    for (std::uint32_t piece = 0; piece < members_.size(); ++piece) {
      throw_if_stopped();
      write_piece(piece);
    }
    result_.items.resize(result_.items.size() + std::size_t{read_ahead_items});
    require_32_bits(result_.items.size());
    find_order();
    return std::move(result_);
  }

 private:
  struct open_part {
    std::uint32_t vertices;
    std::uint32_t height;
  };

  template <class Visit>
  void for_each_child(std::uint32_t p, const Visit& visit) const {
    for (std::uint32_t child = p + 1; child < p + tree_.size[p]; child += tree_.size[child]) visit(child);
  }

  [[nodiscard]] bool is_tree_root(std::uint32_t p) const { return tree_.parent[p] == p; }

  /// Finds the top of the tree: vertices whose subtrees are too large for a piece.
  void find_top() {
    std::vector<std::uint32_t> height(tree_.vertices(), 1);
    for (std::uint32_t p = tree_.vertices(); p-- > 0;) {
      is_top_[p] = tree_.size[p] > limits_.vertices || height[p] > most_height_ ? 1 : 0;
      if (!is_tree_root(p)) height[tree_.parent[p]] = std::max(height[tree_.parent[p]], height[p] + 1);
    }
  }

  /// Decides from below where pieces of the top begin: at a child whose part does not fit to its parent's.
  void cut_top() {
    std::vector<open_part> open(tree_.vertices());
    std::vector<std::uint32_t> children;
    for (std::uint32_t p = tree_.vertices(); p-- > 0;) {
      if (is_top_[p] == 0) continue;
      children.clear();
      open[p] = {1, 1};
      for_each_child(p, [&](std::uint32_t child) {
        if (is_top_[child] == 0) return;
        children.push_back(child);
        open[p].vertices += open[child].vertices;
      });
      std::ranges::sort(children, {}, [&](std::uint32_t child) { return open[child].vertices; });
      for (std::size_t i = children.size(); i-- > 0;) {
        const open_part& part = open[children[i]];
        if (open[p].vertices > limits_.vertices || part.height + 1 > most_height_) {
          begins_piece_[children[i]] = 1;
          open[p].vertices -= part.vertices;
        } else {
          open[p].height = std::max(open[p].height, part.height + 1);
        }
      }
      if (is_tree_root(p)) begins_piece_[p] = 1;
    }
  }

  [[nodiscard]] std::uint32_t add_piece(std::uint32_t parent) {
    members_.emplace_back();
    parents_.push_back(parent);
    return static_cast<std::uint32_t>(members_.size() - 1);
  }

  void list_top_pieces() {
    for (std::uint32_t p = 0; p < tree_.vertices(); ++p) {
      if (is_top_[p] == 0) continue;
      const std::uint32_t above = is_tree_root(p) ? no_piece : piece_of_[tree_.parent[p]];
      piece_of_[p] = begins_piece_[p] != 0 ? add_piece(above) : above;
      members_[piece_of_[p]].push_back(p);
    }
  }

  /// Puts the subtrees below the top into pieces. Small ones below the same piece of the top share a piece.
  void list_other_pieces() {
    std::vector<std::uint32_t> last_below(members_.size() + 1, no_piece);  // the last one is for whole trees
    for (std::uint32_t p = 0; p < tree_.vertices();) {
      if (is_top_[p] != 0) {
        ++p;
        continue;
      }
      const std::uint32_t above = is_tree_root(p) ? no_piece : piece_of_[tree_.parent[p]];
      std::uint32_t& piece = last_below[above == no_piece ? last_below.size() - 1 : above];
      if (piece == no_piece || members_[piece].size() + tree_.size[p] > limits_.vertices) piece = add_piece(above);
      for (const std::uint32_t end = p + tree_.size[p]; p < end; ++p) {
        piece_of_[p] = piece;
        members_[piece].push_back(p);
      }
    }
  }

  /// Chooses the ancestors above a piece that get slots, those with most arcs, and stores the rows of all of them.
  void choose_boundary(std::uint32_t piece) {
    std::vector<std::uint32_t> boundary;
    std::uint32_t height = 0;
    for (const std::uint32_t p : members_[piece]) {
      const bool is_below_member = !is_tree_root(p) && piece_of_[tree_.parent[p]] == piece;
      depth_in_piece_[p] = is_below_member ? depth_in_piece_[tree_.parent[p]] + 1 : 0;
      height = std::max(height, depth_in_piece_[p] + 1);
      for (const std::uint32_t ancestor : tree_.upper_neighbours(p)) {
        if (piece_of_[ancestor] != piece && uses_[ancestor]++ == 0) boundary.push_back(ancestor);
      }
    }
    std::ranges::stable_sort(boundary, std::ranges::greater{}, [&](std::uint32_t p) { return uses_[p]; });
    const auto used_once = std::ranges::find_if(boundary, [&](std::uint32_t p) { return uses_[p] < 2; });
    const auto worthwhile = static_cast<std::size_t>(used_once - boundary.begin());
    for (const std::uint32_t p : boundary) {
      is_stored_[p] = 1;
      uses_[p] = 0;
    }
    boundary.resize(std::min<std::size_t>(worthwhile, limits_.slots - height));
    boundaries_.push_back(std::move(boundary));
  }

  void number_rows() {
    for (const std::vector<std::uint32_t>& members : members_) {
      for (const std::uint32_t p : members) {
        if (is_stored_[p] == 0) continue;
        row_of_[p] = result_.row_count++;
        if (!result_.vertex_rows.empty()) result_.vertex_rows[tree_.vertex_at[p]] = row_of_[p];
      }
    }
  }

  void write_piece(std::uint32_t piece) {
    const std::vector<std::uint32_t>& members = members_[piece];
    const std::vector<std::uint32_t>& boundary = boundaries_[piece];
    const auto first_stored = std::ranges::find_if(members, [&](std::uint32_t p) { return is_stored_[p] != 0; });
    std::uint32_t end = 0;
    for (const std::uint32_t p : members) end = std::max(end, p + tree_.size[p]);
    result_.pieces.push_back({.first_item = static_cast<std::uint32_t>(result_.items.size()),
                              .vertices = static_cast<std::uint32_t>(members.size()),
                              .first_position = members.front(),
                              .positions = end - members.front(),
                              .first_boundary = static_cast<std::uint32_t>(result_.boundaries.size()),
                              .boundary_rows = static_cast<std::uint32_t>(boundary.size()),
                              .parent = parents_[piece],
                              .first_row = first_stored == members.end() ? 0 : row_of_[*first_stored]});
    for (std::uint32_t i = 0; i < boundary.size(); ++i) {
      slot_of_[boundary[i]] = i;
      result_.boundaries.push_back(row_of_[boundary[i]]);
    }
    const auto slot_in_piece = [&](std::uint32_t p) {
      return static_cast<std::uint32_t>(boundary.size()) + depth_in_piece_[p];
    };
    std::vector<hierarchy_item> far;
    for (const std::uint32_t p : members) {
      const std::size_t header = result_.items.size();
      result_.items.resize(header + 3);
      far.clear();
      for (std::size_t a = tree_.first_arc[p]; a < tree_.first_arc[p + std::size_t{1}]; ++a) {
        const std::uint32_t ancestor = tree_.heads[a];
        const auto arc = static_cast<std::uint32_t>(a);
        if (piece_of_[ancestor] == piece) {
          result_.items.push_back({slot_in_piece(ancestor), arc});
        } else if (slot_of_[ancestor] != no_slot) {
          result_.items.push_back({slot_of_[ancestor], arc});
        } else {
          far.push_back({row_of_[ancestor], arc});
        }
      }
      const std::size_t near = result_.items.size() - header - 3;
      if (std::max(near, far.size()) > largest_16_bits)
        throw backends::launch_error("the hierarchy of this graph has a vertex of more than 65535 arcs");
      result_.items.insert(result_.items.end(), far.begin(), far.end());
      result_.items[header] = {static_cast<std::uint32_t>(near | far.size() << 16),
                               slot_in_piece(p) | (is_stored_[p] != 0 ? is_stored_row : 0)};
      result_.items[header + 1] = {p, tree_.size[p]};
      result_.items[header + 2] = {tree_.vertex_at[p], tree_.depth[p]};
    }
    for (const std::uint32_t p : boundary) slot_of_[p] = no_slot;
  }

  /// Places the pieces that others wait for one round ahead, by their number of ancestors, between those that nothing
  /// waits for.
  void find_order() {
    const std::size_t count = result_.pieces.size();
    std::vector<std::uint32_t> ancestors(count, 0);
    std::vector<std::uint8_t> is_awaited(count, 0);
    std::uint32_t most_ancestors = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t parent = result_.pieces[i].parent;
      if (parent == no_piece) continue;
      ancestors[i] = ancestors[parent] + 1;
      is_awaited[parent] = 1;
      most_ancestors = std::max(most_ancestors, ancestors[i]);
    }
    const auto awaited = static_cast<double>(std::ranges::count(is_awaited, 1));
    const double others = static_cast<double>(count) - awaited;
    std::vector<std::pair<double, std::uint32_t>> order;  // by time within a round
    double next_other = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (is_awaited[i] != 0) {
        order.emplace_back(share_for_next_round * ancestors[i] / (most_ancestors + 1.0), i | is_next_round);
      } else {
        order.emplace_back(next_other++ / others, i);
      }
    }
    std::ranges::stable_sort(order, {}, &std::pair<double, std::uint32_t>::first);
    for (const auto& [time, entry] : order) result_.order.push_back(entry);
  }

  const elimination& tree_;
  piece_limits limits_;
  std::uint32_t most_height_;  ///< of a piece
  std::vector<std::uint8_t> is_stored_;
  std::vector<std::uint8_t> is_top_;
  std::vector<std::uint8_t> begins_piece_;  ///< for the top
  std::vector<std::uint32_t> piece_of_;
  std::vector<std::uint32_t> depth_in_piece_;
  std::vector<std::uint32_t> row_of_;
  std::vector<std::uint32_t> uses_;     ///< arcs of a piece from each ancestor above it; zero between pieces
  std::vector<std::uint32_t> slot_of_;  ///< slots of ancestors above a piece
  std::vector<std::vector<std::uint32_t>> members_;     ///< positions of each piece, ascending
  std::vector<std::uint32_t> parents_;                  ///< of each piece
  std::vector<std::vector<std::uint32_t>> boundaries_;  ///< ancestors above each piece that have slots
  hierarchy_pieces result_;
};

}  // namespace

hierarchy_pieces cut_into_pieces(const graph::elimination& tree, const piece_limits& limits, bool stores_all) {
  return piece_cutter(tree, limits, stores_all).cut();
}

}  // namespace mlmq::multi_source
