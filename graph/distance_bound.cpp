// SPDX-License-Identifier: Apache-2.0
#include "graph/distance_bound.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "graph/reverse.hpp"

namespace mlmq::graph {
namespace {

constexpr std::uint32_t no_number = ~std::uint32_t{0};

/// Finds the strongly connected components (Tarjan 1972), without recursion.
class component_finder {
 public:
  explicit component_finder(const csr_graph& graph)
      : graph_(graph),
        component_(graph.vertex_count(), no_number),
        number_(graph.vertex_count(), no_number),
        lowest_(graph.vertex_count()),
        next_edge_(graph.vertex_count()) {}

  /// Returns the component of each vertex.
  [[nodiscard]] std::vector<std::uint32_t> find() {
    for (vertex_id v = 0; v < graph_.vertex_count(); ++v) {
      if (number_[v] == no_number) visit_from(v);
    }
    return std::move(component_);
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  void enter(vertex_id v) {
    number_[v] = lowest_[v] = numbered_++;
    next_edge_[v] = graph_.offsets()[v];
    path_.push_back(v);
    open_.push_back(v);
  }

  void visit_from(vertex_id root) {
    enter(root);
    while (!path_.empty()) {
      const vertex_id v = path_.back();
      if (next_edge_[v] < graph_.offsets()[v + std::size_t{1}]) {
        const vertex_id target = graph_.targets()[next_edge_[v]++];
        if (number_[target] == no_number) {
          enter(target);
        } else if (component_[target] == no_number) {
          lowest_[v] = std::min(lowest_[v], number_[target]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) lowest_[path_.back()] = std::min(lowest_[path_.back()], lowest_[v]);
      if (lowest_[v] == number_[v]) close(v);
    }
  }

  void close(vertex_id root) {
    for (;;) {
      const vertex_id v = open_.back();
      open_.pop_back();
      component_[v] = count_;
      if (v == root) break;
    }
    ++count_;
  }

  const csr_graph& graph_;
  std::vector<std::uint32_t> component_;
  std::vector<std::uint32_t> number_;  ///< order in which vertices are found
  std::vector<std::uint32_t> lowest_;
  std::vector<edge_offset> next_edge_;
  std::vector<vertex_id> path_;
  std::vector<vertex_id> open_;  ///< vertices whose components are not known yet
  std::uint32_t numbered_ = 0;
  std::uint32_t count_ = 0;
};

/// Returns the sum over all components of the depth of a breadth-first search within it, from its first vertex.
template <class Offsets, class Targets>
std::uint64_t sum_of_depths(const Offsets& offsets, const Targets& targets,
                            const std::vector<std::uint32_t>& component) {
  std::vector<std::uint8_t> is_found(component.size(), 0);
  std::vector<std::uint8_t> has_begun(component.size(), 0);
  std::vector<vertex_id> layer;
  std::vector<vertex_id> next_layer;
  std::uint64_t sum = 0;
  for (vertex_id first = 0; first < component.size(); ++first) {
    if (has_begun[component[first]] != 0) continue;
    has_begun[component[first]] = 1;
    is_found[first] = 1;
    for (layer.assign(1, first);; layer.swap(next_layer)) {
      next_layer.clear();
      for (const vertex_id v : layer) {
        for (edge_offset e = offsets[v]; e < offsets[v + std::size_t{1}]; ++e) {
          const vertex_id target = targets[e];
          if (is_found[target] != 0 || component[target] != component[v]) continue;
          is_found[target] = 1;
          next_layer.push_back(target);
        }
      }
      if (next_layer.empty()) break;
      ++sum;
    }
  }
  return sum;
}

/// Returns the sum of the heaviest edges from each vertex: a path without a cycle has one edge from each.
std::uint64_t sum_of_heaviest(const csr_graph& graph) {
  const std::span<const std::uint32_t> weights = graph.weight_bits();
  std::uint64_t sum = 0;
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    std::uint32_t heaviest = 0;
    for (edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + std::size_t{1}]; ++e)
      heaviest = std::max(heaviest, weights[e]);
    sum += heaviest;
  }
  return sum;
}

}  // namespace

std::uint64_t hop_bound(const csr_graph& graph) {
  if (graph.vertex_count() == 0) return 0;
  component_finder finder(graph);
  const std::vector<std::uint32_t> component = finder.find();
  // A path visits each component once: from where it enters to the first vertex, and from there to where it leaves.
  std::vector<vertex_id> sources(graph.edge_count());
  const std::vector<edge_offset> offsets_by_target = reverse_rows(
      graph, [&](edge_offset position, edge_offset /*edge*/, vertex_id source) { sources[position] = source; });
  return sum_of_depths(graph.offsets(), graph.targets(), component) +
         sum_of_depths(offsets_by_target, sources, component) + finder.count() - 1;
}

std::uint64_t distance_bound::find(const csr_graph& graph, std::uint64_t enough) {
  if (graph.edge_count() == 0) return 0;
  const std::uint32_t heaviest = *std::ranges::max_element(graph.weight_bits());
  // The sum takes less time than hop_bound(), unless this is known.
  const std::uint64_t hops = hops_.value_or(graph.vertex_count() - std::uint64_t{1});
  if (heaviest * hops > enough) {
    const std::uint64_t sum = sum_of_heaviest(graph);
    if (sum <= enough) return sum;
  }
  return find(graph, heaviest, enough);
}

std::uint64_t distance_bound::find(const csr_graph& structure, std::uint32_t heaviest, std::uint64_t enough) {
  if (structure.edge_count() == 0) return 0;
  const std::uint64_t bound = heaviest * (structure.vertex_count() - std::uint64_t{1});
  if (bound <= enough) return bound;
  if (!hops_) hops_ = hop_bound(structure);
  return std::min(bound, heaviest * *hops_);
}

}  // namespace mlmq::graph
