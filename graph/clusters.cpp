// SPDX-License-Identifier: Apache-2.0
#include "graph/clusters.hpp"

#include <numeric>

namespace mlmq::graph {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFFu;

/// Which vertices are together: those of cluster c are members[first[c]] … members[first[c + 1] - 1].
struct grouping {
  std::vector<std::uint32_t> cluster_of;
  std::vector<vertex_id> members;
  std::vector<std::size_t> first;
  std::vector<std::uint64_t> loads;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(loads.size()); }
};

/// Grows one cluster after the other, each from a vertex that an earlier one has met.
class grower {
 public:
  grower(const csr_graph& graph, std::span<const std::uint32_t> loads, std::uint64_t enough)
      : offsets_(graph.offsets()), targets_(graph.targets()), loads_(loads), enough_(enough) {}

  [[nodiscard]] grouping grow() {
    const std::size_t n = loads_.size();
    made_.cluster_of.assign(n, none);
    made_.members.reserve(n);
    while (made_.members.size() < n) grow_from(seed());
    made_.first.push_back(n);
    return std::move(made_);
  }

 private:
  /// The next vertex of no cluster: one that was met, or else the first.
  vertex_id seed() {
    for (; next_met_ < met_.size(); ++next_met_) {
      if (made_.cluster_of[met_[next_met_]] == none) return met_[next_met_];
    }
    while (made_.cluster_of[next_] != none) ++next_;
    return next_;
  }

  void grow_from(vertex_id seed) {
    const std::size_t first = made_.members.size();
    const std::uint32_t number = made_.count();
    made_.first.push_back(first);
    made_.loads.push_back(0);
    join(seed, number);
    std::size_t next = first;
    for (; next < made_.members.size() && made_.loads.back() < enough_; ++next) {
      const vertex_id v = made_.members[next];
      for (edge_offset e = offsets_[v]; e < offsets_[v + 1] && made_.loads.back() < enough_; ++e) {
        if (made_.cluster_of[targets_[e]] == none) join(targets_[e], number);
      }
    }
    // The last row may not have been read to its end.
    for (next = next > first ? next - 1 : next; next < made_.members.size(); ++next) {
      const vertex_id v = made_.members[next];
      for (edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
        if (made_.cluster_of[targets_[e]] == none) met_.push_back(targets_[e]);
      }
    }
  }

  void join(vertex_id v, std::uint32_t number) {
    made_.cluster_of[v] = number;
    made_.loads.back() += loads_[v];
    made_.members.push_back(v);
  }

  std::span<const edge_offset> offsets_;
  std::span<const vertex_id> targets_;
  std::span<const std::uint32_t> loads_;
  std::uint64_t enough_;
  grouping made_;
  std::vector<vertex_id> met_;
  std::size_t next_met_ = 0;
  vertex_id next_ = 0;
};

/// Clusters of less than half the load join the lightest neighbour that has room.
grouping without_crumbs(const csr_graph& graph, grouping made, std::uint64_t enough) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  std::vector<std::uint32_t> joined(made.count());
  std::iota(joined.begin(), joined.end(), 0U);
  const auto end_of = [&](std::uint32_t one) {
    while (joined[one] != one) one = joined[one];
    return one;
  };
  for (std::uint32_t one = 0; one < made.count(); ++one) {
    // Others may have joined it.
    if (made.loads[one] >= enough / 2) continue;
    std::uint32_t best = none;
    for (std::size_t i = made.first[one]; i < made.first[one + 1]; ++i) {
      const vertex_id v = made.members[i];
      for (edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
        const std::uint32_t other = end_of(made.cluster_of[targets[e]]);
        if (other == one || made.loads[other] + made.loads[one] > 2 * enough) continue;
        if (best == none || made.loads[other] < made.loads[best]) best = other;
      }
    }
    if (best == none) continue;
    joined[one] = best;
    made.loads[best] += made.loads[one];
  }
  grouping fewer;
  std::vector<std::uint32_t> number(made.count(), none);
  for (std::uint32_t one = 0; one < made.count(); ++one) {
    if (joined[one] != one) continue;
    number[one] = fewer.count();
    fewer.loads.push_back(made.loads[one]);
  }
  fewer.first.assign(fewer.loads.size() + 1, 0);
  for (std::uint32_t one = 0; one < made.count(); ++one) {
    number[one] = number[end_of(one)];
    fewer.first[number[one] + 1] += made.first[one + 1] - made.first[one];
  }
  std::partial_sum(fewer.first.begin(), fewer.first.end(), fewer.first.begin());
  std::vector<std::size_t> next(fewer.first.begin(), fewer.first.end() - 1);
  fewer.members.resize(made.members.size());
  fewer.cluster_of = std::move(made.cluster_of);
  for (std::uint32_t one = 0; one < made.count(); ++one) {
    for (std::size_t i = made.first[one]; i < made.first[one + 1]; ++i) {
      const vertex_id v = made.members[i];
      fewer.cluster_of[v] = number[one];
      fewer.members[next[number[one]]++] = v;
    }
  }
  return fewer;
}

/// The edges between clusters, in both directions; those between the same two count together.
weighted_rows rows_between(const csr_graph& graph, const grouping& made) {
  struct edge {
    std::uint32_t from, to, count;
  };
  std::vector<edge> edges;
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  std::vector<std::uint32_t> seen_by(made.count(), none);
  std::vector<std::size_t> at(made.count());
  for (std::uint32_t one = 0; one < made.count(); ++one) {
    for (std::size_t i = made.first[one]; i < made.first[one + 1]; ++i) {
      const vertex_id v = made.members[i];
      for (edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
        const std::uint32_t other = made.cluster_of[targets[e]];
        if (other == one) continue;
        if (seen_by[other] != one) {
          seen_by[other] = one;
          at[other] = edges.size();
          edges.push_back({one, other, 0});
        }
        ++edges[at[other]].count;
      }
    }
  }
  weighted_rows rows;
  rows.offsets.assign(std::size_t{made.count()} + 1, 0);
  for (const edge& one : edges) {
    ++rows.offsets[std::size_t{one.from} + 1];
    ++rows.offsets[std::size_t{one.to} + 1];
  }
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.targets.resize(rows.offsets.back());
  rows.edge_weights.resize(rows.offsets.back());
  std::vector<std::size_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  const auto add = [&](std::uint32_t from, std::uint32_t to, std::uint32_t count) {
    rows.targets[next[from]] = to;
    rows.edge_weights[next[from]++] = count;
  };
  for (const edge& one : edges) {
    add(one.from, one.to, one.count);
    add(one.to, one.from, one.count);
  }
  return rows;
}

}  // namespace

clusters cluster(const csr_graph& graph, std::span<const std::uint32_t> loads, std::uint64_t enough) {
  grouping made = without_crumbs(graph, grower(graph, loads, enough).grow(), enough);
  clusters all{.cluster_of = {}, .between = rows_between(graph, made)};
  all.between.vertex_weights = std::move(made.loads);
  all.cluster_of = std::move(made.cluster_of);
  return all;
}

}  // namespace mlmq::graph
