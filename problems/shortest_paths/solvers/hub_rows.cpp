// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/hub_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "graph/kept_partition.hpp"
#include "problems/shortest_paths/solvers/graph_parts.hpp"

namespace mlmq::problems {
namespace {

/// A copy with fewer arcs would not save a message.
constexpr std::size_t least_arcs_of_copy = 2;
constexpr std::size_t rows_of_job = 4096;

constexpr u32 no_hub = 0xFFFFFFFFu;

struct arc {
  u32 target;
  u32 weight;

  friend auto operator<=>(const arc&, const arc&) = default;
};

bool is_hub(const graph::csr_graph& graph, const part_shape& shape, u32 v) {
  return graph.offsets()[v + 1] - graph.offsets()[v] > shape.hub_degree;
}

/// Returns the arcs of a hub by part, without loops and heavier parallel arcs.
std::vector<arc> row_of_hub(const graph::csr_graph& graph, std::span<const u32> part_of, u32 hub) {
  std::vector<arc> row;
  for (graph::edge_offset e = graph.offsets()[hub]; e < graph.offsets()[hub + 1]; ++e) {
    if (graph.targets()[e] != hub) row.push_back({graph.targets()[e], graph.weight_bits()[e]});
  }
  std::ranges::sort(row, {}, [&](const arc& a) { return std::tuple(part_of[a.target], a.target, a.weight); });
  const auto same_target = [](const arc& a, const arc& b) { return a.target == b.target; };
  row.erase(std::unique(row.begin(), row.end(), same_target), row.end());
  return row;
}

/// The rows of a graph with copies of its hubs.
class hub_copier {
 public:
  hub_copier(const graph::csr_graph& graph, std::span<const u32> part_of, const part_shape& shape, thread_team& team)
      : graph_(graph), team_(team), hub_of_(graph.vertex_count(), no_hub) {
    result_.part_of.assign(part_of.begin(), part_of.end());
    for (u32 v = 0; v < graph.vertex_count(); ++v) {
      if (!is_hub(graph, shape, v)) continue;
      hub_of_[v] = static_cast<u32>(hubs_.size());
      hubs_.push_back(v);
    }
  }

  [[nodiscard]] graph_with_copies copy() {
    split_rows_of_hubs();
    divert_arcs_of_hubs();
    find_entered_copies();
    add_arcs_to_hubs();
    count_arcs();
    auto targets = std::make_shared<std::vector<u32>>(offsets_.back());
    auto weights = std::make_shared<std::vector<u32>>(offsets_.back());
    const auto place = [&](u32 v, std::span<const arc> row) {
      graph::edge_offset e = offsets_[v];
      for (const arc& a : row) {
        (*targets)[e] = a.target;
        (*weights)[e++] = a.weight;
      }
    };
    const std::size_t n = graph_.vertex_count();
    team_.run_blocks(n, rows_of_job, [&](std::size_t, std::size_t begin, std::size_t end) {
      std::vector<arc> row;
      for (u32 v = static_cast<u32>(begin); v < end; ++v) {
        if (hub_of_[v] != no_hub) continue;
        row.clear();
        for (graph::edge_offset e = graph_.offsets()[v]; e < graph_.offsets()[v + 1]; ++e) {
          row.push_back({near(graph_.targets()[e], result_.part_of[v]), graph_.weight_bits()[e]});
        }
        place(v, row);
      }
    });
    team_.run(rows_.size(), [&](std::size_t i) { place(rows_[i].vertex, rows_[i].arcs); });
    const auto offsets = std::make_shared<std::vector<graph::edge_offset>>(std::move(offsets_));
    const auto owner = std::make_shared<std::tuple<decltype(offsets), decltype(targets), decltype(weights)>>(
        offsets, targets, weights);
    result_.graph = graph::csr_graph(*offsets, *targets, *weights, graph_.weights(), owner);
    return std::move(result_);
  }

 private:
  /// The row of a hub or of a copy.
  struct hub_row {
    u32 vertex;
    u32 hub;
    std::vector<arc> arcs;
  };

  /// Returns the copy of a target in a part if there is one, or else the target.
  [[nodiscard]] u32 near(u32 target, u32 part) const {
    if (hub_of_[target] == no_hub) return target;
    const u32 first = first_copies_[hub_of_[target]];
    const u32 last = first_copies_[hub_of_[target] + 1];
    const auto parts_of_copies = std::span(result_.part_of).subspan(first, last - first);
    const auto match = std::ranges::lower_bound(parts_of_copies, part);
    if (match == parts_of_copies.end() || *match != part) return target;
    return first + static_cast<u32>(match - parts_of_copies.begin());
  }

  void split_rows_of_hubs() {
    std::vector<std::vector<arc>> rows(hubs_.size());
    team_.run(hubs_.size(), [&](std::size_t i) { rows[i] = row_of_hub(graph_, result_.part_of, hubs_[i]); });
    for (std::size_t i = 0; i < hubs_.size(); ++i) {
      const u32 hub = hubs_[i];
      const u32 home = result_.part_of[hub];
      first_copies_.push_back(static_cast<u32>(result_.part_of.size()));
      std::vector<arc> hub_arcs;
      for (auto begin = rows[i].begin(); begin != rows[i].end();) {
        const u32 part = result_.part_of[begin->target];
        const auto end =
            std::find_if(begin, rows[i].end(), [&](const arc& a) { return result_.part_of[a.target] != part; });
        if (part == home || static_cast<std::size_t>(end - begin) < least_arcs_of_copy) {
          hub_arcs.insert(hub_arcs.end(), begin, end);
        } else {
          const auto copy = static_cast<u32>(result_.part_of.size());
          result_.part_of.push_back(part);
          hub_arcs.push_back({copy, 0});
          rows_.push_back({.vertex = copy, .hub = hub, .arcs = std::vector<arc>(begin, end)});
        }
        begin = end;
      }
      rows_.push_back({.vertex = hub, .hub = hub, .arcs = std::move(hub_arcs)});
    }
    first_copies_.push_back(static_cast<u32>(result_.part_of.size()));
  }

  /// Lets arcs from hubs to other hubs lead to copies.
  void divert_arcs_of_hubs() {
    for (hub_row& row : rows_) {
      for (arc& a : row.arcs) {
        if (!is_copy(a.target)) a.target = near(a.target, result_.part_of[row.vertex]);
      }
    }
  }

  /// Finds the copies that arcs other than those of their hubs lead to.
  void find_entered_copies() {
    is_entered_.assign(result_.part_of.size(), 0);
    const auto enter = [&](u32 target) {
      if (is_copy(target)) std::atomic_ref(is_entered_[target]).store(1, std::memory_order_relaxed);
    };
    team_.run_blocks(graph_.vertex_count(), rows_of_job, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (hub_of_[v] != no_hub) continue;
        for (graph::edge_offset e = graph_.offsets()[v]; e < graph_.offsets()[v + 1]; ++e) {
          enter(near(graph_.targets()[e], result_.part_of[v]));
        }
      }
    });
    for (const hub_row& row : rows_) {
      for (const arc& a : row.arcs) {
        if (is_copy(a.target) && result_.part_of[a.target] == result_.part_of[row.vertex]) enter(a.target);
      }
    }
  }

  void add_arcs_to_hubs() {
    for (hub_row& row : rows_) {
      if (is_copy(row.vertex) && is_entered_[row.vertex] != 0) row.arcs.push_back({row.hub, 0});
    }
  }

  [[nodiscard]] bool is_copy(u32 v) const { return v >= graph_.vertex_count(); }

  void count_arcs() {
    offsets_.assign(result_.part_of.size() + 1, 0);
    for (u32 v = 0; v < graph_.vertex_count(); ++v) offsets_[v + 1] = graph_.offsets()[v + 1] - graph_.offsets()[v];
    for (const hub_row& row : rows_) offsets_[row.vertex + 1] = row.arcs.size();
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  }

  const graph::csr_graph& graph_;
  thread_team& team_;
  graph_with_copies result_;
  std::vector<u32> hubs_;
  std::vector<u32> hub_of_;        ///< index of a vertex among the hubs; no_hub for others
  std::vector<u32> first_copies_;  ///< for each hub: its first copy. Copies are in the order of their parts.
  std::vector<hub_row> rows_;
  std::vector<std::uint8_t> is_entered_;
  std::vector<graph::edge_offset> offsets_;
};

}  // namespace

bool has_hub(const graph::csr_graph& graph, const part_shape& shape) {
  for (u32 v = 0; v < graph.vertex_count(); ++v) {
    if (is_hub(graph, shape, v)) return true;
  }
  return false;
}

std::vector<u32> partition_with_hubs(const graph::csr_graph& graph, unsigned parts, const part_shape& shape,
                                     thread_team& team) {
  const std::size_t n = graph.vertex_count();
  std::vector<graph::edge_offset> offsets(n + 1, 0);
  std::vector<u32> targets;
  // In arcs, because the rows of copies are divided in any ratio.
  std::vector<u32> loads(n);
  for (u32 v = 0; v < n; ++v) {
    const graph::edge_offset degree = graph.offsets()[v + 1] - graph.offsets()[v];
    const bool is_hub_row = is_hub(graph, shape, v);
    const std::size_t row = is_hub_row ? std::min<std::size_t>(degree, parts + degree / parts) : degree;
    loads[v] += static_cast<u32>(shape.slot_arcs * slots_of(row, shape));
    for (graph::edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + 1]; ++e) {
      const u32 target = graph.targets()[e];
      if (is_hub_row) {
        ++loads[target];
      } else if (!is_hub(graph, shape, target)) {
        targets.push_back(target);
      }
    }
    offsets[v + 1] = targets.size();
  }
  std::vector<u32> weights(targets.size(), 1);
  return graph::kept_partition(graph::csr_graph(std::move(offsets), std::move(targets), std::move(weights)), loads,
                               parts, team);
}

graph_with_copies copy_hubs(const graph::csr_graph& graph, std::span<const u32> part_of, const part_shape& shape,
                            thread_team& team) {
  return hub_copier(graph, part_of, shape, team).copy();
}

}  // namespace mlmq::problems
