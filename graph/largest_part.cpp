// SPDX-License-Identifier: Apache-2.0
#include "graph/largest_part.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace mlmq::graph {
namespace {

/// Disjoint sets with path halving and union by index: the root of a set is its smallest member.
class vertex_sets {
 public:
  explicit vertex_sets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), vertex_id{0}); }
  vertex_id root(vertex_id v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(vertex_id u, vertex_id v) {
    u = root(u);
    v = root(v);
    parent_[std::max(u, v)] = std::min(u, v);
  }

 private:
  std::vector<vertex_id> parent_;
};

}  // namespace

std::size_t keep_largest_part(std::size_t vertex_count, edge_list& edges) {
  vertex_sets sets(vertex_count);
  for (std::size_t i = 0; i < edges.size(); ++i) sets.join(edges.sources[i], edges.targets[i]);
  std::vector<vertex_id> size(vertex_count, 0);
  for (std::size_t v = 0; v < vertex_count; ++v) ++size[sets.root(static_cast<vertex_id>(v))];
  const auto largest = static_cast<vertex_id>(std::max_element(size.begin(), size.end()) - size.begin());
  std::vector<vertex_id> number(vertex_count);
  vertex_id count = 0;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    number[v] = count;
    if (sets.root(static_cast<vertex_id>(v)) == largest) ++count;
  }
  edge_list inside;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (sets.root(edges.sources[i]) != largest) continue;
    inside.add(number[edges.sources[i]], number[edges.targets[i]], edges.weight_bits[i]);
  }
  edges = std::move(inside);
  return count;
}

}  // namespace mlmq::graph
