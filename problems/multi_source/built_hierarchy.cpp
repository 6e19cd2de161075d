// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/built_hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/thread_team.hpp"
#include "graph/hierarchy/kept_order.hpp"

namespace mlmq::multi_source {
namespace {

/// Limits beyond which searches of a hierarchy would be slower than others, and building one would take very long.
constexpr std::size_t most_edges_per_vertex = 32;
constexpr std::size_t most_neighbours = 1'000;
constexpr std::size_t most_arcs_per_vertex = 100;

std::size_t most_edges_at_a_vertex(const graph::csr_graph& graph) {
  std::vector<std::size_t> edges_at(graph.vertex_count(), 0);
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    edges_at[v] += graph.offsets()[v + std::size_t{1}] - graph.offsets()[v];
    for (graph::edge_offset e = graph.offsets()[v]; e < graph.offsets()[v + std::size_t{1}]; ++e)
      ++edges_at[graph.targets()[e]];
  }
  return edges_at.empty() ? 0 : *std::ranges::max_element(edges_at);
}

void require_suitable(const graph::csr_graph& graph) {
  if (graph.weights() != graph::weight_type::uint32) {
    throw backends::launch_error(
        fmt::format("a hierarchy needs integer weights, but these are {}: sums of floats depend on their order",
                    name_of(graph.weights())));
  }
  if (graph.edge_count() > most_edges_per_vertex * graph.vertex_count()) {
    throw backends::launch_error(
        fmt::format("a hierarchy needs a graph of at most {} edges per vertex", most_edges_per_vertex));
  }
  if (most_edges_at_a_vertex(graph) > most_neighbours) {
    throw backends::launch_error(
        fmt::format("a hierarchy needs vertices of at most {} edges, in both directions together", most_neighbours));
  }
}

/// Values that are computed from a graph and are in use, by the arrays of the graph. A value keeps these arrays.
/// Thread-safe: the first caller computes, and others wait for it.
template <class Value>
class values_in_use {
 public:
  /// Arrays, and the number of vertices: graphs without edges have no arrays.
  using key = std::tuple<const void*, const void*, std::size_t>;

  template <class Compute>
  std::shared_ptr<const Value> get(const void* arcs, const void* weights, const graph::csr_graph& graph,
                                   const Compute& compute) {
    const std::shared_ptr<entry> shared = entry_of({arcs, weights, graph.vertex_count()});
    // ThreadSanitizer of GCC 12 does not see how timed mutexes are locked.
    std::unique_lock lock(shared->mutex, std::defer_lock);
    while (!lock.try_lock()) {
      throw_if_stopped();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::shared_ptr<const computed> result = shared->result.lock();
    if (result == nullptr) shared->result = result = std::make_shared<const computed>(computed{graph, compute()});
    return {result, &result->value};
  }

 private:
  struct computed {
    graph::csr_graph graph;
    Value value;
  };
  struct entry {
    std::mutex mutex;  // held while the value is computed
    std::weak_ptr<const computed> result;
  };

  std::shared_ptr<entry> entry_of(const key& arrays) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [](const auto& e) {
      if (e.second.use_count() > 1) return false;
      const std::lock_guard other(e.second->mutex);
      return e.second->result.expired();
    });
    std::shared_ptr<entry>& slot = entries_[arrays];
    if (slot == nullptr) slot = std::make_shared<entry>();
    return slot;
  }

  std::mutex mutex_;
  std::map<key, std::shared_ptr<entry>> entries_;
};

}  // namespace

bool lazily_built_hierarchy::has_long_paths() {
  if (!has_long_paths_) {
    constexpr std::uint64_t longest = graph::short_lengths::no_path - 1;
    if (graph_.weights() != graph::weight_type::uint32) {
      has_long_paths_ = false;
    } else {
      has_long_paths_ =
          (heaviest_ ? bound_.find(structure_, *heaviest_, longest) : bound_.find(graph_, longest)) > longest;
    }
  }
  return *has_long_paths_;
}

std::uint32_t lazily_built_hierarchy::farthest_within(graph::wide_distance_bits cutoff) {
  const std::uint32_t no_path = has_long_paths() ? graph::long_lengths::no_path : graph::short_lengths::no_path;
  return static_cast<std::uint32_t>(std::min<graph::wide_distance_bits>(cutoff, no_path - 1));
}

std::shared_ptr<const graph::elimination> lazily_built_hierarchy::tree() {
  static values_in_use<graph::elimination> trees;
  if (tree_ != nullptr) return tree_;
  require_suitable(structure_);
  tree_ = trees.get(structure_.targets().data(), nullptr, structure_, [&] {
    thread_team team(0);
    try {
      return graph::eliminate(structure_, graph::kept_dissection_order(structure_, team),
                              most_arcs_per_vertex * structure_.vertex_count(), team);
    } catch (const input_error& error) {
      throw backends::launch_error(error.what());
    }
  });
  return tree_;
}

void lazily_built_hierarchy::forget_weights(std::optional<std::uint32_t> heaviest) {
  heaviest_ = heaviest;
  has_long_paths_.reset();
  built_.reset();
}

const graph::search_hierarchy& lazily_built_hierarchy::get() {
  static values_in_use<graph::search_hierarchy> hierarchies;
  if (built_ == nullptr) {
    std::shared_ptr<const graph::elimination> tree = this->tree();
    built_ = hierarchies.get(graph_.targets().data(), graph_.weight_bits().data(), graph_, [&] {
      thread_team team(0);
      return graph::customize(std::move(tree), graph_, has_long_paths(), team);
    });
  }
  return *built_;
}

}  // namespace mlmq::multi_source
