// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/group_layout.hpp"

#include <algorithm>

#include "problems/shortest_paths/solvers/graph_parts.hpp"

namespace mlmq::problems {
namespace {

class group_growth {
 public:
  group_growth(const grouped_graph& graph, const part_shape& shape)
      : offsets_(graph.graph.offsets()), targets_(graph.graph.targets()), graph_(graph), shape_(shape) {}

  std::vector<u32> assign_places(std::span<const u32> vertices) {
    std::size_t next = 0;
    for (const u32 first : vertices) {
      if (is_open(first, first)) seeds_.push_back(first);
      for (; next < seeds_.size(); ++next) {
        if (is_open(seeds_[next], first)) grow(seeds_[next]);
      }
    }
    places_.resize(whole_groups(places_.size()), no_vertex);
    return std::move(places_);
  }

 private:
  /// Grows a group breadth-first until it is full; the next group begins at its border.
  void grow(u32 seed) {
    const std::size_t end = (places_.size() / group_places + 1) * group_places;
    group_.clear();
    place(seed);
    for (std::size_t next = 0; next < group_.size(); ++next) {
      const u32 v = group_[next];
      for (graph::edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
        const u32 other = targets_[e];
        if (!is_open(other, seed)) continue;
        if (places_.size() < end) {
          place(other);
        } else {
          seeds_.push_back(other);
        }
      }
    }
  }

  /// Returns whether `v` has no place yet and belongs to the same part as `other`.
  [[nodiscard]] bool is_open(u32 v, u32 other) const {
    return graph_.part_of[v] == graph_.part_of[other] && graph_.place_of[v] == no_vertex;
  }

  void place(u32 v) {
    graph_.place_of[v] = static_cast<u32>(places_.size());
    places_.push_back(v);
    places_.resize(places_.size() + slots_of(offsets_[v + 1] - offsets_[v], shape_) - 1, no_vertex);
    group_.push_back(v);
  }

  std::span<const graph::edge_offset> offsets_;
  std::span<const graph::vertex_id> targets_;
  const grouped_graph& graph_;
  const part_shape& shape_;
  std::vector<u32> places_;
  std::vector<u32> seeds_;  ///< where groups may begin
  std::vector<u32> group_;  ///< vertices of the current group
};

}  // namespace

std::vector<u32> places_in_groups(const grouped_graph& graph, std::span<const u32> vertices, const part_shape& shape) {
  return group_growth(graph, shape).assign_places(vertices);
}

group_slots::group_slots(std::span<u32> packed, const part_shape& shape, u32 idle, u32 target_bits)
    : packed_(packed), shape_(shape), width_(shape.slot_arcs), idle_(idle), target_bits_(target_bits) {
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = pulled(static_cast<u32>(i / width_), 0);
}

void group_slots::place_row(u32 place, std::span<const u32> row) {
  u32 next = place + 1;
  place_tree(place, next, row);
}

void group_slots::place_tree(u32 place, u32& next, std::span<const u32> row) {
  const std::size_t more = slots_of(row.size(), shape_) - 1;
  const std::size_t children = std::min(width_, more);
  const std::size_t alone = std::min(width_ - children, row.size());
  std::ranges::copy(row.first(alone), slot(place).begin());
  row = row.subspan(alone);
  for (std::size_t j = 0; j < children; ++j) {
    // All subtrees but the last one are full.
    const std::size_t beneath = (more - children) / children + (j < (more - children) % children ? 1 : 0);
    const std::size_t size = j + 1 == children ? row.size() : width_ + beneath * (width_ - 1);
    const u32 child = next++;
    slot(place)[alone + j] = pack_arc(child, 0, target_bits_);
    place_tree(child, next, row.first(size));
    row = row.subspan(size);
  }
}

void group_slots::pull_arcs() {
  for (u32 place = 0; place < packed_.size() / width_; ++place) {
    for (u32& arc : slot(place)) pull_arcs(place, arc);
  }
}

void group_slots::pull_arcs(u32 place, u32& arc) {
  const u32 target = target_of(arc);
  if (target >= idle_ || target / group_places != place / group_places) return;
  if (target == place) {
    arc = pulled(place, 0);  // a loop shortens no path
    return;
  }
  const u32 weight = weight_of_packed(arc, target_bits_);
  const std::span<u32> target_slot = slot(target);
  const auto back = std::ranges::find_if(target_slot, [&](u32 other) { return target_of(other) == place; });
  if (back != target_slot.end()) {
    arc = pulled(target, weight_of_packed(*back, target_bits_));
    *back = pulled(place, weight);
  } else if (const auto room = std::ranges::find(target_slot, pulled(target, 0)); room != target_slot.end()) {
    *room = pulled(place, weight);
    arc = pulled(place, 0);
  }
}

}  // namespace mlmq::problems
