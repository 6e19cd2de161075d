// SPDX-License-Identifier: Apache-2.0
#include "graph/hierarchy/customization.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/stop.hpp"

namespace mlmq::graph {
namespace {

constexpr std::uint32_t no_arc = ~std::uint32_t{0};
/// Number of vertices of a subtree from which it is divided among threads.
constexpr std::uint32_t large_subtree = 4'096;
constexpr std::size_t positions_of_copy_job = 8'192;

/// Length of the shortest path known for each arc.
struct arc_weights {
  std::vector<std::uint32_t> upward;
  std::vector<std::uint32_t> downward;
};

void lower(std::uint32_t& weight, std::uint32_t other) { weight = std::min(weight, other); }

/// Calls functions for all positions, in parallel, such that ancestors are all before or all after their descendants.
class tree_walk {
 public:
  tree_walk(const elimination& tree, thread_team& team) : tree_(tree), team_(team) {
    const std::uint32_t n = tree.vertices();
    for (std::uint32_t p = 0; p < n;) {
      if (tree.size[p] <= large_subtree) {
        small_subtrees_.push_back(p);
        p += tree.size[p];
        continue;
      }
      if (levels_.size() <= tree.depth[p]) levels_.resize(tree.depth[p] + std::size_t{1});
      levels_[tree.depth[p]].push_back(p);
      ++p;
    }
    // Largest first, so that no thread begins a large one at the end.
    std::ranges::stable_sort(small_subtrees_, std::ranges::greater{}, [&](std::uint32_t p) { return tree.size[p]; });
  }

  /// @param visit called by several threads
  /// @param visit_alone the same for a vertex on a level of few vertices, where the other threads have nothing to do
  template <class Visit, class VisitAlone>
  void from_leaves(const Visit& visit, const VisitAlone& visit_alone) const {
    team_.run(small_subtrees_.size(), [&, stop = stop_token_of_thread()](std::size_t i) {
      if (stop.stop_requested()) throw stopped_error();
      const std::uint32_t root = small_subtrees_[i];
      for (std::uint32_t p = root + tree_.size[root]; p-- > root;) visit(p);
    });
    for (std::size_t level = levels_.size(); level-- > 0;) visit_level(levels_[level], visit, visit_alone);
  }

  template <class Visit, class VisitAlone>
  void from_roots(const Visit& visit, const VisitAlone& visit_alone) const {
    for (const std::vector<std::uint32_t>& level : levels_) visit_level(level, visit, visit_alone);
    team_.run(small_subtrees_.size(), [&, stop = stop_token_of_thread()](std::size_t i) {
      if (stop.stop_requested()) throw stopped_error();
      const std::uint32_t root = small_subtrees_[i];
      for (std::uint32_t p = root; p < root + tree_.size[root]; ++p) visit(p);
    });
  }

 private:
  template <class Visit, class VisitAlone>
  void visit_level(const std::vector<std::uint32_t>& level, const Visit& visit, const VisitAlone& visit_alone) const {
    throw_if_stopped();
    if (level.size() < team_.threads()) {
      std::ranges::for_each(level, visit_alone);
    } else {
      team_.run(level.size(), [&](std::size_t i) { visit(level[i]); });
    }
  }

  const elimination& tree_;
  thread_team& team_;
  std::vector<std::uint32_t> small_subtrees_;       ///< their roots
  std::vector<std::vector<std::uint32_t>> levels_;  ///< positions above them, by depth
};

template <class Lengths>
class customizer {
  static constexpr std::uint32_t no_path = Lengths::no_path;

 public:
  customizer(const elimination& tree, const csr_graph& graph, thread_team& team)
      : tree_(tree), graph_(graph), team_(team), walk_(tree, team), head_depth_(tree.heads.size()) {
    team.run_blocks(tree.vertices(), positions_of_copy_job, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t a = tree.first_arc[first]; a < tree.first_arc[last]; ++a)
        head_depth_[a] = tree.depth[tree.heads[a]];
    });
    find_lower_arcs();
  }

  [[nodiscard]] std::pair<ancestor_rows, ancestor_rows> customize() {
    set_edge_weights();
    walk_.from_leaves([this](std::uint32_t p) { relax_lower_triangles(p, 0, lower_count(p), row_in(within_, p)); },
                      [this](std::uint32_t p) { relax_lower_triangles_in_parts(p); });
    shortest_ = within_;
    is_needed_upward_.assign(tree_.heads.size(), 1);
    is_needed_downward_.assign(tree_.heads.size(), 1);
    walk_.from_roots(
        [this](std::uint32_t p) {
          relax_upper_triangles(p, 0, tree_.upper_neighbours(p).size(), row_in(shortest_, p), own_needs(p));
          drop_replaced_arcs(p);
        },
        [this](std::uint32_t p) {
          relax_upper_triangles_in_parts(p);
          drop_replaced_arcs(p);
        });
    return {needed_rows(within_.upward, is_needed_upward_), needed_rows(within_.downward, is_needed_downward_)};
  }

 private:
  /// Position of the arc to each ancestor in a row, by the ancestor's depth; for one vertex at a time.
  class arc_index {
   public:
    arc_index(const customizer& owner, std::uint32_t position) : owner_(owner), position_(position) {
      arc_at_depth().resize(std::max<std::size_t>(arc_at_depth().size(), owner.tree_.depth[position] + std::size_t{1}),
                            no_arc);
      for (std::size_t a = begin(); a < end(); ++a)
        arc_at_depth()[owner.head_depth_[a]] = static_cast<std::uint32_t>(a - begin());
    }
    arc_index(const arc_index&) = delete;
    arc_index& operator=(const arc_index&) = delete;
    ~arc_index() {
      for (std::size_t a = begin(); a < end(); ++a) arc_at_depth()[owner_.head_depth_[a]] = no_arc;
    }
    [[nodiscard]] std::size_t begin() const { return owner_.tree_.first_arc[position_]; }
    [[nodiscard]] std::size_t end() const { return owner_.tree_.first_arc[position_ + std::size_t{1}]; }
    /// Returns the offset of the arc in the row, or no_arc.
    [[nodiscard]] std::uint32_t offset_at(std::uint32_t depth) const { return arc_at_depth()[depth]; }

   private:
    [[nodiscard]] static std::vector<std::uint32_t>& arc_at_depth() {
      static thread_local std::vector<std::uint32_t> arcs;
      return arcs;
    }

    const customizer& owner_;
    std::uint32_t position_;
  };

  /// Finds the arcs that end at each position.
  void find_lower_arcs() {
    const std::uint32_t n = tree_.vertices();
    first_lower_.assign(n + std::size_t{1}, 0);
    for (const std::uint32_t head : tree_.heads) ++first_lower_[head + std::size_t{1}];
    std::partial_sum(first_lower_.begin(), first_lower_.end(), first_lower_.begin());
    lower_.resize(tree_.heads.size());
    std::vector<std::size_t> next(first_lower_.begin(), first_lower_.end() - 1);
    for (std::uint32_t p = 0; p < n; ++p) {
      for (std::size_t a = tree_.first_arc[p]; a < tree_.first_arc[p + std::size_t{1}]; ++a)
        lower_[next[tree_.heads[a]]++] = {p, static_cast<std::uint32_t>(a - tree_.first_arc[p])};
    }
  }

  void set_edge_weights() {
    within_.upward.assign(tree_.heads.size(), no_path);
    within_.downward.assign(tree_.heads.size(), no_path);
    for (vertex_id v = 0; v < graph_.vertex_count(); ++v) {
      const std::uint32_t tail = tree_.position_of[v];
      for (edge_offset e = graph_.offsets()[v]; e < graph_.offsets()[v + std::size_t{1}]; ++e) {
        const std::uint32_t head = tree_.position_of[graph_.targets()[e]];
        if (head < tail) lower(within_.upward[tree_.arc_between(tail, head)], graph_.weight_bits()[e]);
        if (tail < head) lower(within_.downward[tree_.arc_between(head, tail)], graph_.weight_bits()[e]);
      }
    }
  }

  /// Weights of one position's arcs.
  struct row_weights {
    std::uint32_t* upward;
    std::uint32_t* downward;
  };
  /// For each arc of one position whether it is needed.
  struct row_needs {
    std::uint8_t* upward;
    std::uint8_t* downward;
  };
  /// What one thread finds about the arcs of a position.
  struct row_part {
    std::vector<std::uint32_t> upward;
    std::vector<std::uint32_t> downward;
    std::vector<std::uint8_t> needs_upward;
    std::vector<std::uint8_t> needs_downward;
  };

  [[nodiscard]] row_weights row_in(arc_weights& weights, std::uint32_t position) const {
    const std::size_t begin = tree_.first_arc[position];
    return {weights.upward.data() + begin, weights.downward.data() + begin};
  }
  [[nodiscard]] row_needs own_needs(std::uint32_t position) {
    const std::size_t begin = tree_.first_arc[position];
    return {is_needed_upward_.data() + begin, is_needed_downward_.data() + begin};
  }
  [[nodiscard]] std::size_t lower_count(std::uint32_t position) const {
    return first_lower_[position + std::size_t{1}] - first_lower_[position];
  }

  /// Calls work(first, last, part) for parts of 0 … count - 1 in parallel. Each begins with arcs without paths.
  /// @return the parts
  template <class Work>
  std::span<const row_part> work_in_parts(std::uint32_t position, std::size_t count, const Work& work) {
    constexpr std::size_t least_in_part = 32;
    const std::size_t row = tree_.upper_neighbours(position).size();
    const std::size_t part_count = std::clamp<std::size_t>(count / least_in_part, 1, team_.threads());
    if (parts_.size() < part_count) parts_.resize(part_count);
    team_.run(part_count, [&](std::size_t i) {
      parts_[i].upward.assign(row, no_path);
      parts_[i].downward.assign(row, no_path);
      parts_[i].needs_upward.assign(row, 1);
      parts_[i].needs_downward.assign(row, 1);
      work(count * i / part_count, count * (i + 1) / part_count, parts_[i]);
    });
    return std::span(parts_).first(part_count);
  }

  static void lower_row(row_weights row, const row_part& part) {
    for (std::size_t i = 0; i < part.upward.size(); ++i) {
      lower(row.upward[i], part.upward[i]);
      lower(row.downward[i], part.downward[i]);
    }
  }

  void relax_lower_triangles_in_parts(std::uint32_t position) {
    const auto parts =
        work_in_parts(position, lower_count(position), [&](std::size_t first, std::size_t last, row_part& part) {
          relax_lower_triangles(position, first, last, {part.upward.data(), part.downward.data()});
        });
    for (const row_part& part : parts) lower_row(row_in(within_, position), part);
  }

  void relax_upper_triangles_in_parts(std::uint32_t position) {
    const std::size_t arcs = tree_.upper_neighbours(position).size();
    const auto parts = work_in_parts(position, arcs, [&](std::size_t first, std::size_t last, row_part& part) {
      relax_upper_triangles(position, first, last, {part.upward.data(), part.downward.data()},
                            {part.needs_upward.data(), part.needs_downward.data()});
    });
    const row_needs needs = own_needs(position);
    for (const row_part& part : parts) {
      lower_row(row_in(shortest_, position), part);
      for (std::size_t i = 0; i < arcs; ++i) {
        needs.upward[i] &= part.needs_upward[i];
        needs.downward[i] &= part.needs_downward[i];
      }
    }
  }

  /// Shortens the arcs of a position by paths over one vertex that was eliminated before it.
  /// @param first, last the lower neighbours to be considered
  void relax_lower_triangles(std::uint32_t position, std::size_t first, std::size_t last, row_weights row) {
    const arc_index row_index(*this, position);
    for (std::size_t i = first_lower_[position] + first; i < first_lower_[position] + last; ++i) {
      const std::size_t begin = tree_.first_arc[lower_[i].tail];
      const std::size_t to_position = begin + lower_[i].offset;
      const std::uint32_t from_lower = within_.upward[to_position];
      const std::uint32_t to_lower = within_.downward[to_position];
      for (std::size_t a = begin; a < to_position; ++a) {
        const std::uint32_t arc = row_index.offset_at(head_depth_[a]);
        lower(row.upward[arc], Lengths::sum(to_lower, within_.upward[a]));
        lower(row.downward[arc], Lengths::sum(within_.downward[a], from_lower));
      }
    }
  }

  /// Shortens the arcs of a position by paths over one of its ancestors, and finds those that are not needed, because
  /// there is a path as short that only ascends or only descends. The arcs of all ancestors have their shortest
  /// lengths.
  /// @param first, last the arcs to be considered, to the nearer of two ancestors
  void relax_upper_triangles(std::uint32_t position, std::size_t first, std::size_t last, row_weights row,
                             row_needs needs) {
    const arc_index row_index(*this, position);
    const std::uint32_t* const up = within_.upward.data() + row_index.begin();
    const std::uint32_t* const down = within_.downward.data() + row_index.begin();
    for (std::size_t near = first; near < last; ++near) {
      const std::uint32_t middle = tree_.heads[row_index.begin() + near];
      for (std::size_t b = tree_.first_arc[middle]; b < tree_.first_arc[middle + std::size_t{1}]; ++b) {
        const std::uint32_t far = row_index.offset_at(head_depth_[b]);
        if (far == no_arc) continue;
        // Over the nearer ancestor to the farther one and back.
        const std::uint32_t over_near = Lengths::sum(up[near], shortest_.upward[b]);
        const std::uint32_t over_near_back = Lengths::sum(shortest_.downward[b], down[near]);
        if (over_near <= up[far] && shortest_.upward[b] == within_.upward[b]) needs.upward[far] = 0;
        if (over_near_back <= down[far] && shortest_.downward[b] == within_.downward[b]) needs.downward[far] = 0;
        lower(row.upward[far], over_near);
        lower(row.downward[far], over_near_back);
        // Over the farther ancestor to the nearer one and back.
        lower(row.upward[near], Lengths::sum(up[far], shortest_.downward[b]));
        lower(row.downward[near], Lengths::sum(shortest_.upward[b], down[far]));
      }
    }
  }

  /// Marks arcs as not needed for which there is a shorter path, or none. Saturated arcs remain: whether a path over
  /// several arcs is as short as one of these is not known.
  void drop_replaced_arcs(std::uint32_t position) {
    const auto is_needed = [](std::uint8_t was_needed, std::uint32_t within, std::uint32_t shortest) -> std::uint8_t {
      if (Lengths::is_saturated(within)) return 1;
      return was_needed != 0 && within < no_path && within <= shortest ? 1 : 0;
    };
    for (std::size_t a = tree_.first_arc[position]; a < tree_.first_arc[position + std::size_t{1}]; ++a) {
      is_needed_upward_[a] = is_needed(is_needed_upward_[a], within_.upward[a], shortest_.upward[a]);
      is_needed_downward_[a] = is_needed(is_needed_downward_[a], within_.downward[a], shortest_.downward[a]);
    }
  }

  [[nodiscard]] ancestor_rows needed_rows(const std::vector<std::uint32_t>& weights,
                                          const std::vector<std::uint8_t>& is_needed) const {
    const std::uint32_t n = tree_.vertices();
    ancestor_rows rows;
    rows.offsets.assign(n + std::size_t{1}, 0);
    team_.run_blocks(n, positions_of_copy_job, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t p = first; p < last; ++p) {
        rows.offsets[p + 1] =
            std::accumulate(is_needed.begin() + static_cast<std::ptrdiff_t>(tree_.first_arc[p]),
                            is_needed.begin() + static_cast<std::ptrdiff_t>(tree_.first_arc[p + 1]), std::size_t{0});
      }
    });
    std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
    rows.arcs.resize(rows.offsets[n]);
    team_.run_blocks(n, positions_of_copy_job, [&](std::size_t, std::size_t first, std::size_t last) {
      std::size_t next = rows.offsets[first];
      for (std::size_t a = tree_.first_arc[first]; a < tree_.first_arc[last]; ++a) {
        if (is_needed[a] != 0) rows.arcs[next++] = {head_depth_[a], weights[a]};
      }
    });
    return rows;
  }

  struct lower_arc {
    std::uint32_t tail;
    std::uint32_t offset;  ///< in the row of the tail
  };

  const elimination& tree_;
  const csr_graph& graph_;
  thread_team& team_;
  tree_walk walk_;
  std::vector<std::uint32_t> head_depth_;  ///< depth of the head of each arc
  std::vector<std::size_t> first_lower_;
  std::vector<lower_arc> lower_;
  arc_weights within_;    ///< over vertices eliminated before both ends
  arc_weights shortest_;  ///< over all vertices
  std::vector<std::uint8_t> is_needed_upward_;
  std::vector<std::uint8_t> is_needed_downward_;
  std::vector<row_part> parts_;
};

}  // namespace

search_hierarchy customize(std::shared_ptr<const elimination> tree, const csr_graph& graph, bool is_long,
                           thread_team& team) {
  auto [upward, downward] = is_long ? customizer<long_lengths>(*tree, graph, team).customize()
                                    : customizer<short_lengths>(*tree, graph, team).customize();
  return {std::move(tree), std::move(upward), std::move(downward), is_long};
}

}  // namespace mlmq::graph
